# SPDX-License-Identifier: Apache-2.0
"""``x[key]`` and ``x[key] = value`` by MXNet's rules on tensors.

Integers, slices, Ellipsis and None give a view where what they select is contiguous, and
a copy elsewhere; lists, arrays and masks give a copy. In legacy shape semantics there are no 0-d
arrays: indexing every axis with integers gives shape (1,).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..base.errors import (
    ArgumentError,
    ArgumentTypeError,
    MXNetError,
    OutOfRangeError,
    shown,
)
from ..base.scopes import is_np_array, is_np_shape
from ..base.shapes import shape_text
from .copying import copy
from .transpose import contiguous
from .wide_sums import index

__all__ = [
    "assign",
    "is_whole",
    "kept_key",
    "refusal",
    "select",
    "select_strided",
    "slices_are_contiguous",
    "slices_of",
]

_ALL = slice(None)


def select(tensor: Tensor, key: Any) -> tuple[Tensor, bool]:
    """Return the selected elements, and whether they are a view of `tensor`'s memory."""
    result, is_view = select_strided(tensor, key)
    if result.dim() == 0 and not is_np_shape():
        result = result.reshape(1)
    if not result.is_contiguous():
        return contiguous(result), False
    return result, is_view


def select_strided(tensor: Tensor, key: Any) -> tuple[Tensor, bool]:
    """`select` with NumPy's axes; the result may be a view that is not contiguous."""
    if _is_plain(key, tensor):
        return _index_tensor(tensor, key), True
    tensor, keys, has_truth = _keys(tensor, key)
    source, reversed_axes = _forward(tensor, keys)
    if reversed_axes:
        source = source.flip(reversed_axes)
    result = _index_tensor(*_adjacent(source, keys))
    for axis in _new_axes(keys, has_truth):
        result = result.unsqueeze(axis)
    return result, not reversed_axes and not _is_advanced(keys)


def assign(tensor: Tensor, key: Any, value: Tensor | float) -> None:
    """Writes `value` into the selected elements; it broadcasts and takes their type.

    The key's new axes are no axes of the selection; the value may have them, of size 1.
    """
    if not tensor.numel():  # MXNet does not even look at the key
        return
    if isinstance(value, Tensor):
        writes_all = type(key) is slice and key == _ALL and value.shape == tensor.shape
        if writes_all and _is_same(tensor, value):
            return
        if _overlap(tensor, value):
            value = value.clone()
        if writes_all:
            _write(tensor, value)
            return
    if _is_plain(key, tensor) and not _has_new_axes(key):
        target = _index_tensor(tensor, key)
        _write(target, _without_axes(value, (), target.dim()))
        return
    tensor, keys, has_truth = _keys(tensor, key)
    target, reversed_axes = _forward(tensor, keys)
    block = target.flip(reversed_axes) if reversed_axes else target
    rank = _block_rank(keys) + sum(isinstance(k, slice) for k in keys)
    value = _without_axes(value, _new_axes(keys, has_truth), rank)
    if _is_advanced(keys):
        _scatter(*_adjacent(block, keys), value)
    else:
        _write(_index_tensor(*_adjacent(block, keys)), value)
    if reversed_axes:
        target.copy_(block.flip(reversed_axes))


def is_whole(tensor: Tensor, key: Any) -> bool:
    """Whether a key selects all elements in their order."""
    tensor, keys, _ = _keys(tensor, key)
    axes = [k for k in keys if k is not None]
    return all(
        isinstance(k, slice) and range(n)[k] == range(n)
        for k, n in zip(axes, tensor.shape, strict=True)
    )


def slices_are_contiguous(slc_key: Sequence[slice], shape: Sequence[int]) -> bool:
    """Whether what a slice for each axis selects is contiguous, in its order."""
    spans = [range(size)[key] for key, size in zip(slc_key, shape, strict=True)]
    if not all(spans):
        return True
    cut = False
    for span, size in zip(reversed(spans), reversed(shape), strict=True):
        if len(span) > 1 and (cut or span.step != 1):
            return False
        cut = cut or len(span) < size
    return True


def _index_tensor(tensor: Tensor, key: Any) -> Tensor:
    """Return ``tensor[key]``, with MXNet's errors."""
    try:
        if type(key) is not list:
            return tensor[key]
        return index(tensor, tuple(key)) if _is_advanced(key) else tensor[tuple(key)]
    except (IndexError, TypeError) as error:
        raise refusal(error, tensor, _mask_hint(key)) from None
    except RuntimeError:  # A large step makes a stride overflow.
        parts = key if isinstance(key, (tuple, list)) else (key,)
    try:
        return tensor[tuple([_within(part, tensor.numel()) for part in parts])]
    except RuntimeError as error:  # torch 2.6 raises it for an index beyond 64 bits.
        raise refusal(IndexError(str(error)), tensor) from None


def _within(part: Any, size: int) -> Any:
    """A slice that selects the same of an axis of `size`, with a step that is no longer."""
    if isinstance(part, slice) and part.step is not None and part.step > size:
        return slice(part.start, part.stop, size or 1)
    return part


def _mask_hint(key: Any) -> str:
    """Return what to do about index arrays of 0 and 1, as legacy comparisons make them."""
    arrays = [part for part in key if isinstance(part, Tensor)] if type(key) is list else []
    if not arrays or any(a.is_meta or bool(((a != 0) & (a != 1)).any()) for a in arrays):
        return ""
    return "; mx.nd.contrib.boolean_mask(x, mask) selects rows by a mask, x[mask] of mx.np elements"


def refusal(error: IndexError | TypeError, tensor: Tensor, hint: str = "") -> MXNetError:
    """Return MXNet's kind of error for what ATen refuses."""
    kind: type[MXNetError] = ArgumentTypeError
    if isinstance(error, IndexError):  # Index tensors that do not broadcast raise it, too.
        kind = ArgumentError if "shape mismatch" in str(error) else OutOfRangeError
    return kind(f"NDArray of shape {_format_shape(tensor)}: {error}{hint}")


def _format_shape(tensor: Tensor) -> str:
    return shape_text(tuple(tensor.shape))


# Keys ---------------------------------------------------------------------------------------------


def _is_plain(key: Any, tensor: Tensor) -> bool:
    """Whether ATen reads a key as MXNet does."""
    if not tensor.dim():
        return False
    if type(key) is not tuple:
        return _is_plain_part(key)
    for part in key:  # A generator in all() costs 0.3 µs more.
        if not _is_plain_part(part):
            return False
    return sum(part is Ellipsis for part in key) < 2


def _is_plain_part(part: Any) -> bool:
    if type(part) is slice:
        return part.step is None or (type(part.step) is int and part.step > 0)
    return type(part) is int or part is None or part is Ellipsis


def _has_new_axes(key: Any) -> bool:
    return key is None or (type(key) is tuple and any(part is None for part in key))


def _keys(tensor: Tensor, key: Any) -> tuple[Tensor, list[Any], bool]:
    """(tensor, keys, whether truth values select): a key for each axis, None for each new one.

    A key is an integer, a slice or an index tensor. The tensor gets an axis of size 1 for each
    single truth value, which selects it or nothing.
    """
    if not tensor.dim() and isinstance(key, slice) and key == slice(None):
        return tensor, [], False
    parts = [_part(p, tensor) for p in (key if isinstance(key, tuple) else (key,))]
    used = sum(map(_axes_of, parts))
    if used > tensor.dim():
        raise OutOfRangeError(f"NDArray: {used} indices for shape {_format_shape(tensor)}")
    ellipses = [i for i, p in enumerate(parts) if p is Ellipsis]
    if len(ellipses) > 1:
        raise OutOfRangeError("NDArray: an index with more than one Ellipsis")
    at = ellipses[0] if ellipses else len(parts)
    parts[at : at + 1] = [slice(None)] * (tensor.dim() - used)
    if not _is_advanced(parts):
        return tensor, parts, False
    keys: list[Any] = []
    has_truth = False
    for part in parts:
        axis = sum(k is not None for k in keys)
        if isinstance(part, Tensor) and part.dtype is torch.bool:
            has_truth = True
            tensor = tensor if part.dim() else tensor.unsqueeze(axis)
        keys += _index_tensors(part, tensor, axis) if isinstance(part, (int, Tensor)) else [part]
    return tensor, keys, has_truth


def _part(part: Any, tensor: Tensor) -> Any:
    """None, Ellipsis, a slice, an integer, or a tensor of integers or truth values."""
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        if part.step == 0:
            raise ArgumentError("NDArray: the step of a slice must not be zero")
        return part
    if _is_truth_value(part):
        return torch.tensor(bool(part), device=tensor.device)
    if isinstance(part, (int, np.integer, np.bool_)):
        return int(part)
    index = part if isinstance(part, Tensor) else getattr(part, "_tensor", None)
    if index is None:
        index = torch.as_tensor(_index_array(part))
    return index.to(tensor.device) if index.dim() else int(index)


def _is_truth_value(part: Any) -> bool:
    """Whether a part is one truth value that selects as NumPy has it.

    Outside of NumPy's mode True is 1, but for truth values in arrays.
    """
    raw = getattr(part, "_raw", None)
    if isinstance(raw, Tensor):
        return raw.dtype is torch.bool and not raw.dim()
    is_truth = isinstance(part, (bool, np.bool_)) or (
        isinstance(part, np.ndarray) and not part.ndim and part.dtype == np.bool_
    )
    return is_truth and is_np_array()


def _index_array(part: Any) -> np.ndarray[Any, Any]:
    """The NumPy array of a sequence, of integers or truth values."""
    given = part
    if isinstance(part, (list, tuple, range)):
        try:
            given = np.array(part)
        except (ValueError, RecursionError) as error:  # Rows have unequal lengths.
            reason = f"cannot index with {shown(part)}: {error}"
            raise ArgumentTypeError(f"NDArray: {reason}") from None
    if not isinstance(given, np.ndarray) or given.dtype.kind not in "biuf":
        kind = ArgumentError if given is part else ArgumentTypeError
        raise kind(f"NDArray: cannot index with {part!r}, a {type(part).__name__}")
    return given if given.dtype == bool else given.astype(np.int64)


def _axes_of(part: Any) -> int:
    """Return the number of axes that a part of a key selects from."""
    if isinstance(part, Tensor) and part.dtype is torch.bool:
        return part.dim()
    return int(part is not None and part is not Ellipsis)


def _is_advanced(keys: list[Any]) -> bool:
    return any(isinstance(k, Tensor) for k in keys)


def _index_tensors(part: int | Tensor, tensor: Tensor, axis: int) -> list[Tensor]:
    """Index tensors for the axes from `axis` on: of a mask as many as it has axes, else one."""
    if isinstance(part, int):
        # ATen takes integers out before it places the axes of index tensors; NumPy does not.
        part = torch.full((1,), part, device=tensor.device)
    if part.dtype is torch.bool:
        if part.shape != tensor.shape[axis : axis + part.dim()]:
            raise OutOfRangeError(
                f"NDArray: a mask of shape {_format_shape(part)} on axis {axis} "
                f"of shape {_format_shape(tensor)}"
            )
        return list(part.nonzero(as_tuple=True))
    index = part.long()
    if index.is_cuda:
        _check_range(index, tensor.shape[axis], axis)
    return [index]


def _check_range(index: Tensor, size: int, axis: int) -> None:
    """Refuses what the CPU's kernels refuse themselves and a GPU's kernels die of."""
    if not index.numel():
        return
    low, high = torch.stack(index.aminmax()).tolist()  # One wait for a GPU gives both.
    if not -size <= low <= high < size:
        raise OutOfRangeError(
            f"NDArray: indices from {low} to {high} are out of bounds for axis {axis} with size "
            f"{size}"
        )


def _block_rank(keys: list[Any]) -> int:
    """Return how many axes the index tensors have together in the selection."""
    return max([0, *(k.dim() for k in keys if isinstance(k, Tensor))])


def _is_separated(keys: list[Any]) -> bool:
    """Whether something stands between index tensors: their axes come first then."""
    places = [i for i, k in enumerate(keys) if isinstance(k, Tensor)]
    return bool(places) and places[-1] - places[0] >= len(places)


def _adjacent(tensor: Tensor, keys: list[Any]) -> tuple[Tensor, list[Any]]:
    """The tensor and the keys of its axes, so turned that no index tensors are separated."""
    axes = [k for k in keys if k is not None]
    if not _is_separated(keys):
        return tensor, axes
    order = sorted(range(len(axes)), key=lambda i: not isinstance(axes[i], Tensor))
    return tensor.permute(order), [axes[i] for i in order]


def _new_axes(keys: list[Any], has_truth: bool) -> list[int]:
    """Return the positions of new axes in the selection.

    Axes of index tensors that are separated come first. Others stand in their place where truth
    values select, as in NumPy; where none do, as in MXNet, they do not count, whatever their rank.
    """
    rest = [k is None for k in keys if k is None or isinstance(k, slice)]
    if _is_separated(keys):
        before = 0
    elif has_truth:
        before = next(i for i, k in enumerate(keys) if isinstance(k, Tensor))
    else:
        before = len(rest)
    block = _block_rank(keys)
    return [i + (block if i >= before else 0) for i, is_new in enumerate(rest) if is_new]


# Negative steps, which ATen does not know ---------------------------------------------------------


def _forward(tensor: Tensor, keys: list[Any]) -> tuple[Tensor, list[int]]:
    """Return the selection of slices with negative steps in forward order, and the axes to reverse.

    Those slices become `:` in `keys`.
    """
    axes: list[int] = []
    slices = [slice(None)] * tensor.dim()
    for axis, place in enumerate(i for i, key in enumerate(keys) if key is not None):
        key = keys[place]
        if isinstance(key, slice) and key.step is not None and key.step < 0:
            positions = range(tensor.shape[axis])[key]
            slices[axis] = _ascending(positions)
            keys[place] = slice(None)
            if len(positions) > 1:
                axes.append(axis)
    return tensor[tuple(slices)] if slices else tensor, axes


def _ascending(positions: range) -> slice:
    if not positions:
        return slice(0, 0)
    step = -positions.step if len(positions) > 1 else 1
    return slice(positions[-1], positions[0] + 1, step)


# Values -------------------------------------------------------------------------------------------


def _overlap(tensor: Tensor, value: Tensor) -> bool:
    """Whether two contiguous tensors may share some of it."""
    start, other = tensor.data_ptr(), value.data_ptr()
    return start <= other < start + tensor.nbytes or other <= start < other + value.nbytes


def _is_same(tensor: Tensor, value: Tensor) -> bool:
    """Whether two tensors of one shape are the same elements."""
    return (
        tensor.data_ptr() == value.data_ptr()
        and tensor.dtype is value.dtype
        and tensor.stride() == value.stride()
    )


def _without_axes(value: Tensor | float, new_axes: Sequence[int], rank: int) -> Tensor | float:
    """The value without axes of size 1 that a selection has not, at new axes and in front."""
    if not isinstance(value, Tensor) or value.dim() <= rank:
        return value
    value = value.squeeze([axis for axis in new_axes if axis < value.dim()])
    while value.dim() > rank and value.shape[0] == 1:
        value = value[0]
    return value


def _write(target: Tensor, value: Tensor | float) -> None:
    if not isinstance(value, Tensor):
        target.fill_(value)
        return
    try:
        copy(target, value)
    except RuntimeError:
        _refuse_unless_empty(value, target)


def _scatter(tensor: Tensor, keys: list[Any], value: Tensor | float) -> None:
    """Writes where index tensors point."""
    if isinstance(value, Tensor):
        value = value.to(tensor.device, tensor.dtype)
    else:
        value = torch.full((), value, dtype=tensor.dtype, device=tensor.device)
    try:
        tensor[tuple(keys)] = value
    except IndexError as error:
        raise refusal(error, tensor) from None
    except RuntimeError:
        _refuse_unless_empty(value, tensor[tuple(keys)])


def _refuse_unless_empty(value: Tensor, target: Tensor) -> None:
    if value.numel() or target.numel():
        raise ArgumentError(
            f"NDArray: cannot write shape {_format_shape(value)} "
            f"into a selection of shape {_format_shape(target)}: it must broadcast to that"
        )


def kept_key(key: Any) -> Any:
    """A key that holds no arrays, which the tape can keep; else None."""
    kinds = (int, slice, type(None), type(Ellipsis))
    return key if all(type(k) in kinds for k in (key if type(key) is tuple else (key,))) else None


def slices_of(begin: Any, end: Any, step: Any) -> tuple[slice, ...]:
    """The key of an operator's `begin`, `end` and `step`."""
    steps = step or (None,) * len(begin)
    return tuple(slice(b, e, s) for b, e, s in zip(begin, end, steps, strict=True))
