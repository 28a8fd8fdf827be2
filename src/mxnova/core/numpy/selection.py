# SPDX-License-Identifier: Apache-2.0
"""Indexing, sorting, deleting and inserting elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.array_hints import Array
from ..base.errors import ArgumentTypeError, shown
from .namespaces import NUMBER, World, function

__all__ = ["nonzero"]


@function
def nonzero(F: World, a: Any) -> tuple[Array, ...]:
    """Return the indices of nonzero elements: one array for each axis."""
    rows = F._npx_nonzero(a)
    return tuple(F._np_transpose(rows)) if not F.is_symbolic else F._np_transpose(rows)


@function
def take(
    F: World, a: Any, indices: Any, axis: Any = None, mode: str = "raise", out: Any = None
) -> Array:
    """Return the elements at `indices` along `axis`, by default of the flattened array.

    Args:
        F: the world.
        a: the array.
        indices: whole numbers in an array, or one number.
        axis: None: the flattened array.
        mode: what an index beyond the end means: raise, clip (the last one) or wrap (again from
            the start).
        out: array for the result.
    """
    if mode not in ("raise", "clip", "wrap"):
        raise NotImplementedError(f"take: mode={shown(mode)}: must be raise, clip or wrap")
    if axis is None:
        return F._npi_take(F._npi_reshape(a, -1), indices, axis=0, mode=mode, out=out)
    return F._npi_take(a, indices, axis=axis, mode=mode, out=out)


@function
def sort(F: World, a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Array:
    """Return the elements in ascending order along `axis`; None: of the flattened array."""
    _refuse_fields("sort", order)
    return F._npi_sort(a, axis=axis, is_ascend=True)


@function
def argsort(F: World, a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Array:
    """Return the indices that sort the array."""
    _refuse_fields("argsort", order)
    return F._npi_argsort(a, axis=axis, is_ascend=True, dtype="int64")


def _refuse_fields(name: str, order: Any) -> None:
    if order is not None:
        raise NotImplementedError(f"{name}: order={shown(order)}: arrays have no fields")


@function
def unique(
    F: World,
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
) -> Any:
    """Return the sorted unique elements, and on request their indices, inverse and counts."""
    made = F._npi_unique(ar, return_index, return_inverse, return_counts, axis)
    found = F.outputs(made)
    return tuple(found) if len(found) > 1 else found[0]


@function
def delete(F: World, arr: Any, obj: Any, axis: Any = None) -> Array:
    """Return the array without the entries at `obj`: an integer, a slice or several integers."""
    F.check("delete", arr)
    if isinstance(obj, (int, np.integer)):
        return F._npi_delete(arr, int_ind=int(obj), axis=axis)
    if isinstance(obj, slice):
        step = 1 if obj.step is None else obj.step
        return F._npi_delete(arr, start=obj.start, stop=obj.stop, step=step, axis=axis)
    if isinstance(obj, F.array):
        return F._npi_delete(arr, obj, axis=axis)
    raise ArgumentTypeError(f"delete: obj={shown(obj)}: must be a number, a slice or an array")


@function
def insert(F: World, arr: Any, obj: Any, values: Any, axis: Any = None) -> Array:
    """Return the array with `values` inserted before `obj`: an index, a slice or many indices."""
    F.check("insert", arr)
    given: tuple[Any, ...] = (arr, values)
    attrs: dict[str, Any] = {"axis": axis}
    if isinstance(values, NUMBER):
        given, attrs["val"] = (arr,), float(values)
    if isinstance(obj, (int, np.integer)):
        return F._npi_insert_scalar(*given, int_ind=int(obj), **attrs)
    if isinstance(obj, slice):
        step = 1 if obj.step is None else obj.step
        return F._npi_insert_slice(*given, start=obj.start, stop=obj.stop, step=step, **attrs)
    if isinstance(obj, F.array):
        return F._npi_insert_tensor(*given, obj, **attrs)
    raise ArgumentTypeError(f"insert: obj={shown(obj)}: must be a number, a slice or an array")


@function
def append(F: World, arr: Any, values: Any, axis: Any = None) -> Array:
    """Return `arr` with `values` appended along `axis`, by default both flattened."""
    return F._npi_concatenate(arr, values, axis=axis)


@function
def diag_indices_from(F: World, arr: Any) -> tuple[Array, ...]:
    """Return the indices of the diagonal of an array with axes of equal length."""
    made = F._npi_diag_indices_from(arr)
    return made if F.is_symbolic else tuple(made)


@function
def unravel_index(F: World, indices: Any, shape: Any, order: str = "C") -> Array:
    """Convert flat indices to indices of an array of the given shape."""
    if order != "C":
        raise NotImplementedError(f"unravel_index: order={shown(order)}: must be C")
    if isinstance(indices, NUMBER):
        return np.unravel_index(int(indices), shape)
    rows = F.unravel_index(indices, shape=shape)
    return tuple(rows) if not F.is_symbolic else rows


def _sharing(name: str) -> None:
    def implementation(F: World, a: Any, b: Any, max_work: Any = None) -> Array:
        shared = F._npi_share_memory(a, b)
        return shared if F.is_symbolic else bool(shared)

    implementation.__name__ = name
    implementation.__doc__ = "Whether two arrays have an element in common."
    function(implementation)


for _name in ("may_share_memory", "shares_memory"):
    _sharing(_name)
