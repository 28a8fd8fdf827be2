# SPDX-License-Identifier: Apache-2.0
"""Products of arrays, and differences and traces."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import shown
from .world import NUMBER, World, function

__all__: list[str] = []


@function
def dot(F: World, a: Any, b: Any, out: Any = None) -> Any:
    """The product over the last axis of `a` and the one before the last of `b`."""
    if isinstance(b, NUMBER):
        return F._npi_multiply_scalar(a, float(b), isinstance(b, int), out=out)
    return F._np_dot(a, b, out=out)


@function
def matmul(F: World, a: Any, b: Any, out: Any = None, **kwargs: Any) -> Any:
    """The product of matrices, for each of the other axes."""
    return F._npi_matmul(a, b, out=out)


@function
def tensordot(F: World, a: Any, b: Any, axes: Any = 2) -> Any:
    """The product over some axes: so many at the end of `a`, or two lists of axes."""
    if isinstance(axes, (int, np.integer)):
        return F._npi_tensordot_int_axes(a, b, axes)
    if len(axes) != 2:
        raise ValueError(f"tensordot: axes={shown(axes)}: a number, or two lists of axes")
    of_a, of_b = ((x,) if isinstance(x, (int, np.integer)) else tuple(x) for x in axes)
    if len(of_a) != len(of_b):
        raise ValueError(f"tensordot: axes={shown(axes)}: as many of `a` as of `b`")
    return F._npi_tensordot(a, b, of_a, of_b)


@function
def inner(F: World, a: Any, b: Any) -> Any:
    """The product over the last axes."""
    return tensordot(F, a, b, [-1, -1])


@function
def outer(F: World, a: Any, b: Any) -> Any:
    """The products of all pairs of elements."""
    return tensordot(F, F._npi_reshape(a, -1), F._npi_reshape(b, -1), 0)


@function
def vdot(F: World, a: Any, b: Any) -> Any:
    """The sum of the products of elements."""
    return tensordot(F, F._npi_reshape(a, -1), F._npi_reshape(b, -1), 1)


@function
def einsum(F: World, *operands: Any, **kwargs: Any) -> Any:
    """Einstein's sum: ``einsum("ij,jk->ik", a, b)``; ``optimize`` and ``out`` by name."""
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
) -> Any:
    """The sum of a diagonal."""
    return F._np_trace(a, offset=offset, axis1=axis1, axis2=axis2, out=out)


@function
def polyval(F: World, p: Any, x: Any) -> Any:
    """The value of a polynomial, its coefficients from the highest power down."""
    for value in (p, x):
        F.check("polyval", value)
    return F._npi_polyval(p, x)


@function
def diff(
    F: World, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """The differences of neighbours along `axis`, `n` times."""
    if prepend is not None or append is not None:
        raise NotImplementedError("diff: prepend and append are not supported")
    return F._npi_diff(a, n=n, axis=axis)


@function
def ediff1d(F: World, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of neighbours in the flattened array, with numbers around them."""
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
