# SPDX-License-Identifier: Apache-2.0
"""Reductions over some or all axes: sums, means, extremes, histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.array_hints import Array
from .namespaces import NUMBER, World, dtype_text, function

__all__: list[str] = []


def _over(axis: Any, keepdims: bool, dtype: Any = None) -> dict[str, Any]:
    """The parameters of a reduction that are no defaults: calls with few are quicker."""
    attrs: dict[str, Any] = {}
    if axis is not None:
        attrs["axis"] = axis
    if keepdims:
        attrs["keepdims"] = True
    if dtype is not None:
        attrs["dtype"] = dtype_text(dtype)
    return attrs


@function
def sum_(
    F: World,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: float | None = None,
    out: Any = None,
) -> Array:
    """Return the sum over `axis`, by default over all axes."""
    attrs = _over(axis, keepdims, dtype)
    if initial is not None:
        attrs["initial"] = initial
    return F._np_sum(a, **attrs, out=out)


@function
def prod(
    F: World, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Array:
    """Return the product over `axis`, by default over all axes."""
    return F._np_prod(a, **_over(axis, keepdims, dtype), out=out)


@function
def product(
    F: World, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Array:
    """Alias of `prod`."""
    return prod(F, a, axis, dtype, out, keepdims)


def _extreme(name: str, operator: str, what: str) -> None:
    def implementation(
        F: World, a: Any, axis: Any = None, keepdims: bool = False, out: Any = None
    ) -> Array:
        return getattr(F, operator)(a, **_over(axis, keepdims), out=out)

    implementation.__name__ = name
    implementation.__doc__ = f"{what} over `axis`, by default over all."
    function(implementation)


for _name, _operator, _what in (
    ("max", "_np_max", "The greatest element"),
    ("amax", "_np_max", "The greatest element"),
    ("min", "_np_min", "The least element"),
    ("amin", "_np_min", "The least element"),
    ("all", "_np_all", "Whether all elements differ from 0,"),
    ("any", "_np_any", "Whether any element differs from 0,"),
    ("sometrue", "_np_any", "Whether any element differs from 0,"),
):
    _extreme(_name, _operator, _what)


@function
def mean(
    F: World, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Array:
    """Return the mean over `axis`, by default over all axes."""
    return F._npi_mean(a, **_over(axis, keepdims, dtype), out=out)


@function
def std(
    F: World,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Array:
    """Return the standard deviation over `axis`; the divisor is the count less `ddof`."""
    return F._npi_std(a, **_over(axis, keepdims, dtype), ddof=ddof, out=out)


@function
def var(
    F: World,
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Array:
    """Return the variance over `axis`; the divisor is the count less `ddof`."""
    return F._npi_var(a, **_over(axis, keepdims, dtype), ddof=ddof, out=out)


@function
def average(
    F: World,
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    out: Any = None,
) -> Any:
    """Return the weighted mean, and the sum of the weights if `returned`."""
    if weights is None:
        made = F._npi_average(a, axis=axis, returned=returned, weighted=False, out=out)
    else:
        made = F._npi_average(a, weights, axis=axis, returned=returned, weighted=True, out=out)
    return F.outputs(made) if returned else made


@function
def cumsum(F: World, a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Array:
    """Return the cumulative sum along `axis`, by default of the flattened array."""
    return F._np_cumsum(a, axis=axis, dtype=dtype_text(dtype), out=out)


@function
def argmax(F: World, a: Any, axis: Any = None, out: Any = None) -> Array:
    """Return the index of the largest element along `axis`, by default of the flattened array."""
    return F._npi_argmax(a, axis=axis, keepdims=False, out=out)


@function
def argmin(F: World, a: Any, axis: Any = None, out: Any = None) -> Array:
    """Return the index of the least element along `axis`, by default of the flattened array."""
    return F._npi_argmin(a, axis=axis, keepdims=False, out=out)


@function
def percentile(
    F: World,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the `q`-th percentile of the elements (`q` from 0 to 100)."""
    if overwrite_input is not None:
        raise NotImplementedError("percentile: overwrite_input: only None is possible")
    attrs: dict[str, Any] = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims}
    if isinstance(q, NUMBER):
        return F._npi_percentile(a, **attrs, q_scalar=float(q), out=out)
    return F._npi_percentile(a, q, **attrs, q_scalar=None, out=out)


@function
def quantile(
    F: World,
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the `q`-th quantile of the elements (`q` from 0 to 1)."""
    return percentile(F, a, q * 100, axis, out, overwrite_input, interpolation, keepdims)


@function
def bincount(F: World, x: Any, weights: Any = None, minlength: int = 0) -> Array:
    """Count each integer from 0 in `x`, or sum its weights."""
    if minlength < 0:
        raise ValueError(f"bincount: minlength={minlength}: must not be negative")
    if weights is None:
        return F._npi_bincount(x, minlength=minlength, has_weights=False)
    return F._npi_bincount(x, weights, minlength=minlength, has_weights=True)


@function
def histogram(
    F: World,
    a: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> tuple[Array, Array]:
    """Return (the count of elements in each bin, the bin edges)."""
    if normed or density or weights is not None:
        raise NotImplementedError("histogram: normed, weights and density are not supported")
    if isinstance(bins, (int, np.integer)):
        if range is None:
            raise NotImplementedError("histogram: range=None: a number of bins needs one")
        made = F._npi_histogram(a, bin_cnt=int(bins), range=tuple(map(float, range)))
    else:
        made = F._npi_histogram(a, bins)
    return tuple(F.outputs(made))
