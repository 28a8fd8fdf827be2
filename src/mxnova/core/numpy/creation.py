# SPDX-License-Identifier: Apache-2.0
"""Array creation: zeros, ones, ranges, grids, windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.array_hints import Array
from ..base.errors import ArgumentError, shown
from .namespaces import World, dtype_text, function

__all__: list[str] = []

_FLOAT = np.float32


def _context(ctx: Any) -> str:
    return "" if ctx is None else str(ctx)


def _check_order(name: str, order: Any) -> None:
    if order != "C":
        raise NotImplementedError(f"{name}: order={shown(order)}: must be C")


@function
def zeros(F: World, shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Array:
    """Return zeros of the given shape; the dtype is float32 by default."""
    _check_order("zeros", order)
    return F._npi_zeros(shape=shape, ctx=_context(ctx), dtype=dtype_text(dtype or _FLOAT))


@function
def ones(F: World, shape: Any, dtype: Any = _FLOAT, order: str = "C", ctx: Any = None) -> Array:
    """Return ones of the given shape; the dtype is float32 by default."""
    _check_order("ones", order)
    return F._npi_ones(shape=shape, ctx=_context(ctx), dtype=dtype_text(dtype or _FLOAT))


@function
def empty(F: World, shape: Any, dtype: Any = _FLOAT, order: str = "C", ctx: Any = None) -> Array:
    """Return zeros of the given shape and dtype."""
    return zeros(F, shape, dtype, order, ctx)


@function
def full(
    F: World,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Return an array filled with `fill_value`, a number or an array that is broadcast."""
    _check_order("full", order)
    if isinstance(fill_value, F.array):
        made = F._npi_broadcast_to(fill_value, shape=shape)
        return made if dtype is None else made.astype(dtype)
    if dtype is None:
        dtype = np.bool_ if isinstance(fill_value, bool) else _FLOAT
    return F._npi_full(
        shape=shape,
        value=_number(fill_value),
        ctx=_context(ctx),
        dtype=dtype_text(dtype),
        out=out,
    )


def _number(value: Any) -> Any:
    """Return `value` as the operator takes it, which raises an error unless it is a number."""
    return float(value) if isinstance(value, bool | np.bool_) else value


def _full_like(
    F: World, name: str, a: Any, value: Any, dtype: Any, order: str, ctx: Any, out: Any
) -> Any:
    _check_order(name, order)
    attrs = {"fill_value": _number(value), "ctx": _context(ctx), "dtype": dtype_text(dtype)}
    return F._npi_full_like(a, **attrs, out=out)


@function
def full_like(
    F: World,
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
) -> Array:
    """Return an array of the shape and dtype of `a`, filled with `fill_value`."""
    return _full_like(F, "full_like", a, fill_value, dtype, order, ctx, out)


@function
def zeros_like(
    F: World, a: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None
) -> Array:
    """Return zeros of the shape and dtype of `a`."""
    return _full_like(F, "zeros_like", a, 0, dtype, order, ctx, out)


@function
def ones_like(
    F: World, a: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None
) -> Array:
    """Return ones of the shape and dtype of `a`."""
    return _full_like(F, "ones_like", a, 1, dtype, order, ctx, out)


@function
def empty_like(
    F: World,
    prototype: Any,
    dtype: Any = None,
    order: str = "C",
    subok: bool = False,
    shape: Any = None,
) -> Array:
    """Return zeros of the shape and dtype of `prototype`."""
    if subok or shape is not None:
        raise NotImplementedError("empty_like: subok and shape are not supported")
    return _full_like(F, "empty_like", prototype, 0, dtype, order, None, None)


@function
def arange(
    F: World, start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None
) -> Array:
    """Return evenly spaced numbers in ``[start, stop)``; a single bound is `stop`."""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    if step == 0:
        raise ZeroDivisionError("arange: step=0: must not be 0")
    return F._npi_arange(
        start=start, stop=stop, step=step, dtype=dtype_text(dtype or _FLOAT), ctx=_context(ctx)
    )


@function
def linspace(
    F: World,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Array:
    """Return `num` evenly spaced numbers from `start` to `stop`, and the step if `retstep`."""
    _check_line("linspace", start, stop, axis)
    made = F._npi_linspace(
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        ctx=_context(ctx),
        dtype=dtype_text(dtype or _FLOAT),
    )
    return (made, (stop - start) / (num - bool(endpoint))) if retstep else made


@function
def logspace(
    F: World,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
) -> Array:
    """Return `num` powers of `base`, with evenly spaced exponents from `start` to `stop`."""
    _check_line("logspace", start, stop, axis)
    return F._npi_logspace(
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        base=base,
        ctx=_context(ctx),
        dtype=dtype_text(dtype or _FLOAT),
    )


def _check_line(name: str, start: Any, stop: Any, axis: int) -> None:
    if axis != 0 or np.ndim(start) or np.ndim(stop):
        raise NotImplementedError(f"{name}: start and stop are numbers, and axis is 0")


@function
def eye(F: World, N: int, M: Any = None, k: int = 0, dtype: Any = _FLOAT, **kwargs: Any) -> Array:
    """Return an `N` by `M` matrix with ones on diagonal `k` and zeros elsewhere."""
    ctx = _context(kwargs.pop("ctx", None))
    if kwargs:
        raise TypeError(f"eye: unexpected arguments: {', '.join(kwargs)}")
    columns = N if M is None else M
    return F._npi_eye(N, columns, k, ctx=ctx, dtype=dtype_text(dtype or _FLOAT))


@function
def identity(F: World, n: int, dtype: Any = None, ctx: Any = None) -> Array:
    """Return the identity matrix."""
    if not isinstance(n, int):
        raise TypeError(f"identity: n={shown(n)}: must be a whole number")
    if n < 0:
        raise ValueError(f"identity: n={n}: must not be negative")
    return F._npi_identity(shape=(n, n), ctx=_context(ctx), dtype=dtype_text(dtype or _FLOAT))


@function
def indices(F: World, dimensions: Any, dtype: Any = np.int32, ctx: Any = None) -> Array:
    """Return the indices of an array of the given shape, stacked: one array for each axis."""
    if not isinstance(dimensions, (tuple, list)):
        raise ArgumentError(f"indices: dimensions={shown(dimensions)}: must be a tuple")
    return F._npi_indices(
        dimensions=tuple(dimensions), dtype=dtype_text(dtype or np.int32), ctx=_context(ctx)
    )


def _window(name: str, what: str) -> None:
    def implementation(F: World, M: int, dtype: Any = _FLOAT, ctx: Any = None) -> Array:
        operator = getattr(F, f"_npi_{name}")
        return operator(M, ctx=_context(ctx), dtype=dtype_text(dtype or _FLOAT))

    implementation.__name__ = name
    implementation.__doc__ = f"The {what} window of M points."
    function(implementation)


for _name in ("blackman", "hamming", "hanning"):
    _window(_name, _name.capitalize())


@function
def meshgrid(F: World, *xi: Any, **kwargs: Any) -> list[Array]:
    """Return coordinate matrices of vectors; ``indexing`` is xy or ij; ``sparse``, ``copy``."""
    indexing, sparse = kwargs.pop("indexing", "xy"), kwargs.pop("sparse", False)
    kwargs.pop("copy", True)
    if kwargs:
        raise TypeError(f"meshgrid: unexpected arguments: {', '.join(kwargs)}")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing={shown(indexing)}: must be xy or ij")
    rank = len(xi)
    places = list(range(rank))
    if indexing == "xy" and rank > 1:
        places[:2] = [1, 0]
    lying = [
        F._npi_reshape(x, tuple(-1 if at == place else 1 for at in range(rank)))
        for x, place in zip(xi, places, strict=True)
    ]
    if sparse:
        return lying
    common = np.broadcast_shapes(*(x.shape for x in lying))
    return [F._npi_broadcast_to(x, shape=common) for x in lying]


@function
def copy(F: World, a: Any, out: Any = None) -> Array:
    """Return a copy."""
    return F._np_copy(a, out=out)
