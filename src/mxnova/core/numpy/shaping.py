# SPDX-License-Identifier: Apache-2.0
"""Shape manipulation: reshape, transpose, flip, pad, join and split."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..base.array_hints import Array
from ..base.errors import shown
from .namespaces import NUMBER, World, function

__all__: list[str] = []


@function
def shape(F: World, a: Any) -> tuple[int, ...]:
    """Return the shape."""
    sizes: tuple[int, ...] = a.shape
    return sizes


@function
def reshape(F: World, a: Any, newshape: Any, order: str = "C", out: Any = None) -> Array:
    """Return the elements in another shape; -1 is inferred."""
    return F._np_reshape(a, newshape, order=order, out=out)


@function
def ravel(F: World, x: Any, order: str = "C") -> Array:
    """Return the flattened array."""
    if order == "F":
        raise NotImplementedError("ravel: order='F': must be C")
    if isinstance(x, NUMBER):
        return np.reshape(x, -1)
    return F._npi_reshape(x, -1)


@function
def transpose(F: World, a: Any, axes: Any = None) -> Array:
    """Permute the axes, by default into reverse order."""
    return F._np_transpose(a, axes=axes)


@function
def swapaxes(F: World, a: Any, axis1: int, axis2: int) -> Array:
    """Exchange two axes."""
    return F._npi_swapaxes(a, dim1=axis1, dim2=axis2)


@function
def moveaxis(F: World, a: Any, source: Any, destination: Any) -> Array:
    """Move axes to other positions; the others keep their order."""
    return F._np_moveaxis(a, source=source, destination=destination)


@function
def squeeze(F: World, a: Any, axis: Any = None, out: Any = None) -> Array:
    """Remove axes of length 1."""
    return F._np_squeeze(a, axis=axis, out=out)


@function
def expand_dims(F: World, a: Any, axis: int) -> Array:
    """Insert an axis of length 1."""
    return F._npi_expand_dims(a, axis=axis)


@function
def broadcast_to(F: World, array: Any, shape: Any) -> Array:
    """Broadcast an array to the given shape."""
    if isinstance(array, NUMBER):
        return F._npi_full(shape=shape, value=float(array))
    return F._npi_broadcast_to(array, shape=shape)


@function
def broadcast_arrays(F: World, *args: Any) -> list[Array]:
    """Broadcast arrays to their common shape; arrays that all have it are returned themselves."""
    common = np.broadcast_shapes(*(a.shape for a in args))
    if all(a.shape == common for a in args):
        return list(args)
    return [broadcast_to(F, a, common) for a in args]


@function
def flip(F: World, m: Any, axis: Any = None, out: Any = None) -> Array:
    """Reverse the elements along the given axes, by default along all."""
    if isinstance(m, NUMBER):
        return np.flip(m, axis)
    return F._npi_flip(m, axis, out=out)


@function
def flipud(F: World, m: Any) -> Array:
    """Reverse the elements along the first axis."""
    return flip(F, m, 0)


@function
def fliplr(F: World, m: Any) -> Array:
    """Reverse the elements along the second axis."""
    return flip(F, m, 1)


@function
def roll(F: World, a: Any, shift: Any, axis: Any = None) -> Array:
    """Shift the elements cyclically."""
    return F._np_roll(a, shift, axis=axis)


@function
def rot90(F: World, m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """Rotate by 90 degrees `k` times, from the first of the axes toward the second."""
    return F._npi_rot90(m, k=k, axes=axes)


@function
def tile(F: World, A: Any, reps: Any) -> Array:
    """Repeat the whole array along each axis."""
    if isinstance(A, NUMBER):
        return np.tile(A, reps)
    return F._npi_tile(A, reps)


@function
def repeat(F: World, a: Any, repeats: int, axis: Any = None) -> Array:
    """Repeat each element."""
    return F._np_repeat(a, repeats=repeats, axis=axis)


@function
def resize(F: World, a: Any, new_shape: Any) -> Array:
    """Return an array of shape `new_shape`, with the elements repeated cyclically as needed."""
    sizes = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if F.is_symbolic:
        return F.Custom(a, op_type="resize_fallback", new_shape=str(sizes))
    flat = ravel(F, a)
    count, have = prod(sizes), prod(a.shape)
    if count and not have:
        return F._npi_zeros(shape=sizes)
    repeated = F._npi_tile(flat, (-(-count // have) if have else 0,))
    return F._npi_reshape(F._npi_slice(repeated, begin=(0,), end=(count,)), sizes)


@function
def pad(F: World, x: Any, pad_width: Any = None, mode: str = "constant", **kwargs: Any) -> Array:
    """Pad each axis before and after its elements."""
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError(f"pad: pad_width={shown(pad_width)}: must be whole numbers")
    if not isinstance(pad_width, tuple):
        raise TypeError(f"pad: pad_width={shown(pad_width)}: must be a tuple")
    attrs: dict[str, Any] = {"pad_width": pad_width, "mode": mode}
    known = {"constant": "constant_values", "reflect": "reflect_type", "symmetric": "reflect_type"}
    for name, value in kwargs.items():
        if name != known.get(mode):
            raise ValueError(f"pad: {name}={shown(value)}: not with mode={mode!r}")
        attrs["constant_value" if name == "constant_values" else name] = value
    return F._npi_pad(x, **attrs)


@function
def diag(F: World, array: Any, k: int = 0) -> Array:
    """Return diagonal `k` of a matrix, or a matrix with the given diagonal `k`."""
    return F._np_diag(array, k=k)


@function
def diagflat(F: World, array: Any, k: int = 0) -> Array:
    """Return a matrix with the flattened elements on diagonal `k`."""
    return F._np_diagflat(array, k=k)


@function
def diagonal(F: World, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonals of the matrices along two axes."""
    return F._np_diagonal(a, offset=offset, axis1=axis1, axis2=axis2)


@function
def tril(F: World, m: Any, k: int = 0) -> Array:
    """Return the lower triangle: zeros above diagonal `k`."""
    return F._npi_tril(m, k)


# Joined -------------------------------------------------------------------------------------------


@function
def concatenate(F: World, seq: Any, axis: Any = 0, out: Any = None) -> Array:
    """Join arrays along an existing axis; None: flattened."""
    return F._npi_concatenate(*seq, axis=axis, out=out)


@function
def stack(F: World, arrays: Any, axis: int = 0, out: Any = None) -> Array:
    """Join arrays of equal shape along a new axis."""
    return F._npi_stack(*_sequence("stack", arrays), axis=axis, out=out)


@function
def vstack(F: World, arrays: Any, out: Any = None) -> Array:
    """Stack arrays vertically: along the first axis."""
    return F._npi_vstack(*_sequence("vstack", arrays), out=out)


@function
def row_stack(F: World, arrays: Any) -> Array:
    """Stack arrays vertically: along the first axis."""
    return F._npi_vstack(*_sequence("row_stack", arrays))


@function
def hstack(F: World, arrays: Any) -> Array:
    """Stack arrays horizontally: along the second axis, vectors along their only one."""
    return F._npi_hstack(*_sequence("hstack", arrays))


@function
def dstack(F: World, arrays: Any) -> Array:
    """Stack arrays along the third axis."""
    return F._npi_dstack(*_sequence("dstack", arrays))


@function
def column_stack(F: World, tup: Any) -> Array:
    """Stack arrays horizontally, vectors as columns."""
    return F._npi_column_stack(*_sequence("column_stack", tup))


def _sequence(name: str, arrays: Any) -> Any:
    if isinstance(arrays, (list, tuple)):
        return arrays
    if hasattr(arrays, "__iter__"):
        return list(arrays)
    raise ValueError(f"{name}: {shown(arrays)}: must be a sequence of arrays")


def _atleast(rank: int) -> None:
    name = f"atleast_{rank}d"

    def implementation(F: World, *arys: Any) -> Array:
        found = F.outputs(getattr(F, f"_np_{name}")(*arys))
        return found if len(arys) > 1 else found[0]

    implementation.__name__ = name
    implementation.__doc__ = f"With {rank} axes or more: a list where there are several arrays."
    function(implementation)


for _rank in (1, 2, 3):
    _atleast(_rank)


# Cut ----------------------------------------------------------------------------------------------


def _cut(name: str, given: Any, length: int | None) -> dict[str, Any]:
    """Return the split argument of the operator: a number of equal sections, or split indices."""
    if isinstance(given, (int, np.integer)):
        if given < 1 or (length is not None and length % given):
            raise ValueError(f"{name}: indices_or_sections={given}: parts of {length} are unequal")
        return {"indices": [], "sections": int(given)}
    if not isinstance(given, Sequence) and not hasattr(given, "__iter__"):
        raise ValueError(f"{name}: indices_or_sections={shown(given)}: a number, or indices")
    return {"indices": [0, *map(int, given)], "sections": 0}


def _length(F: World, a: Any, axis: int) -> int | None:
    return None if F.is_symbolic else a.shape[axis]


@function
def split(F: World, ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Split along `axis` into equal sections, or before each of the given indices."""
    cut = _cut("split", indices_or_sections, _length(F, ary, axis))
    return F.outputs(F._npi_split(ary, axis=axis, **cut))


@function
def array_split(F: World, ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Like `split`; the sections may differ in length by one."""
    cut = _cut("array_split", indices_or_sections, None)
    return F.outputs(F._npi_split(ary, axis=axis, **cut))


@function
def hsplit(F: World, ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the second axis; a vector along its only axis."""
    _refuse_rank("hsplit", F, ary, 1)
    cut = _cut("hsplit", indices_or_sections, None)
    return F.outputs(F._npi_hsplit(ary, **cut))


@function
def vsplit(F: World, ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the first axis."""
    _refuse_rank("vsplit", F, ary, 2)
    parts: list[Array] = split(F, ary, indices_or_sections, 0)
    return parts


@function
def dsplit(F: World, ary: Any, indices_or_sections: Any) -> list[Array]:
    """Split along the third axis."""
    _refuse_rank("dsplit", F, ary, 3)
    parts: list[Array] = split(F, ary, indices_or_sections, 2)
    return parts


def _refuse_rank(name: str, F: World, ary: Any, least: int) -> None:
    if not F.is_symbolic and len(ary.shape) < least:
        raise ValueError(f"{name}: an array of shape {ary.shape}: needs {least} axes or more")
