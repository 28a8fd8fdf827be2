# SPDX-License-Identifier: Apache-2.0
"""Products, differences and traces of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.array_hints import Array
from ..base.errors import shown
from .namespaces import NUMBER, World, function

__all__: list[str] = []


@function
def dot(F: World, a: Any, b: Any, out: Any = None) -> Array:
    """Return the product over the last axis of `a` and the second-to-last axis of `b`."""
    if isinstance(b, NUMBER):
        return F._npi_multiply_scalar(a, float(b), isinstance(b, int), out=out)
    return F._np_dot(a, b, out=out)


@function
def matmul(F: World, a: Any, b: Any, out: Any = None, **kwargs: Any) -> Array:
    """Return the matrix product, broadcast over the other axes."""
    return F._npi_matmul(a, b, out=out)


@function
def tensordot(F: World, a: Any, b: Any, axes: Any = 2) -> Array:
    """Return the tensor contraction over the last `axes` axes of `a`, or over two lists of axes."""
    if isinstance(axes, (int, np.integer)):
        return F._npi_tensordot_int_axes(a, b, axes)
    if len(axes) != 2:
        raise ValueError(f"tensordot: axes={shown(axes)}: a number, or two lists of axes")
    of_a, of_b = ((x,) if isinstance(x, (int, np.integer)) else tuple(x) for x in axes)
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot: axes={shown(axes)}: as many of `a` as of `b`")
    return F._npi_tensordot(a, b, of_a, of_b)


@function
def inner(F: World, a: Any, b: Any) -> Array:
    """Return the inner product over the last axes."""
    return tensordot(F, a, b, [-1, -1])


@function
def outer(F: World, a: Any, b: Any) -> Array:
    """Return the outer product: the products of all pairs of elements."""
    return tensordot(F, F._npi_reshape(a, -1), F._npi_reshape(b, -1), 0)


@function
def vdot(F: World, a: Any, b: Any) -> Array:
    """Return the dot product of the flattened arrays."""
    return tensordot(F, F._npi_reshape(a, -1), F._npi_reshape(b, -1), 1)


@function
def einsum(F: World, *operands: Any, **kwargs: Any) -> Array:
    """Evaluate an Einstein summation: ``einsum("ij,jk->ik", a, b)``; options `optimize`, `out`."""
    if not operands or not isinstance(operands[0], str):
        raise ValueError("einsum: the first argument is the text of subscripts")
    subscripts, *arrays = operands
    out, optimize = kwargs.pop("out", None), kwargs.pop("optimize", False)
    if kwargs:
        raise TypeError(f"einsum: unexpected arguments: {', '.join(kwargs)}")
    attrs = {"subscripts": subscripts, "optimize": int(bool(optimize))}
    return F._npi_einsum(*arrays, **attrs, out=out)


@function
def trace(
    F: World, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None
) -> Array:
    """Return the sum of a diagonal."""
    return F._np_trace(a, offset=offset, axis1=axis1, axis2=axis2, out=out)


@function
def polyval(F: World, p: Any, x: Any) -> Array:
    """Evaluate a polynomial whose coefficients start with the highest power."""
    for value in (p, x):
        F.check("polyval", value)
    return F._npi_polyval(p, x)


@function
def diff(
    F: World, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Array:
    """Return the `n`-th differences of neighboring elements along `axis`."""
    if prepend is not None or append is not None:
        raise NotImplementedError("diff: prepend and append are not supported")
    return F._npi_diff(a, n=n, axis=axis)


@function
def ediff1d(F: World, ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return differences of neighbors in the flattened array, with optional end values."""
    arrays: list[Any] = [ary]
    attrs: dict[str, Any] = {}
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        is_array = isinstance(value, F.array)
        attrs[f"{name}_arr_given"] = is_array
        if is_array:
            arrays.append(value)
        elif value is not None:
            attrs[f"{name}_scalar"] = float(value)
    return F._npi_ediff1d(*arrays, **attrs)
