# SPDX-License-Identifier: Apache-2.0
"""``x[key]`` and ``x[key] = value`` by MXNet's rules on tensors.

Integers, slices, Ellipsis and None give a view where what they select lies together in memory, and
a copy elsewhere; lists, arrays and masks give a copy. In legacy shape semantics there are no 0-d
arrays: indexing every axis with integers gives shape (1,).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..base.errors import ArgumentTypeError, MXNetError, OutOfRangeError
from ..base.scopes import is_np_shape
from ..base.shapes import shape_text

__all__ = ["assign", "select"]


def select(tensor: Tensor, key: Any) -> tuple[Tensor, bool]:
    """The selected elements, and whether they are a view of `tensor`'s memory."""
    keys = _expanded(tensor, key)
    if any(isinstance(k, Tensor) for k in keys):
        return _nonscalar(_gather(tensor, keys)), False
    view, flipped = _basic(tensor, keys)
    if flipped:
        return _nonscalar(view.flip(flipped)), False
    is_view = view.is_contiguous()
    return _nonscalar(view if is_view else view.contiguous()), is_view


def assign(tensor: Tensor, key: Any, value: Any) -> None:
    """Writes `value`, a number or a tensor that broadcasts, into the selected elements."""
    keys = _expanded(tensor, key)
    if any(isinstance(k, Tensor) for k in keys):
        _scatter(tensor, keys, value)
        return
    target, flipped = _basic(tensor, keys)
    if not isinstance(value, Tensor):
        target.fill_(value)
        return
    value = value.to(tensor.device)
    _copy(target, value.flip([d - target.dim() for d in flipped]) if flipped else value)


def _copy(target: Tensor, value: Tensor) -> None:
    while value.dim() > target.dim() and value.shape[0] == 1:
        value = value[0]
    try:
        target.copy_(value)
    except RuntimeError:
        raise MXNetError(
            f"NDArray: cannot write shape {shape_text(tuple(value.shape))} "
            f"into a selection of shape {shape_text(tuple(target.shape))}"
        ) from None


def _nonscalar(tensor: Tensor) -> Tensor:
    return tensor if tensor.dim() or is_np_shape() else tensor.reshape(1)


def _expanded(tensor: Tensor, key: Any) -> list[Any]:
    """One key an axis (and None for new ones), arrays as index tensors, Ellipsis resolved."""
    keys = [_single(k, tensor) for k in (key if isinstance(key, tuple) else (key,))]
    used = sum(_axes_of(k) for k in keys)
    if used > tensor.dim():
        raise OutOfRangeError(
            f"NDArray: {used} indices for shape {shape_text(tuple(tensor.shape))}"
        )
    rest = [slice(None)] * (tensor.dim() - used)
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), None)
    if at is None:
        return keys + rest
    return keys[:at] + rest + [k for k in keys[at + 1 :] if k is not Ellipsis]


def _axes_of(key: Any) -> int:
    if isinstance(key, Tensor) and key.dtype is torch.bool:
        return key.dim()
    return int(key is not None and key is not Ellipsis)


def _single(key: Any, tensor: Tensor) -> Any:
    if key is None or key is Ellipsis or isinstance(key, slice):
        return key
    if isinstance(key, (bool, np.bool_)):
        return torch.tensor([bool(key)], device=tensor.device)
    if isinstance(key, (int, np.integer)):
        return int(key)
    index = getattr(key, "_tensor", None)
    if index is None:
        try:
            index = torch.as_tensor(np.asarray(key))
        except TypeError:
            kind = type(key).__name__
            raise ArgumentTypeError(f"NDArray: cannot index with a {kind}") from None
    index = index.to(tensor.device)
    return index if index.dtype is torch.bool else index.long()


def _basic(tensor: Tensor, keys: list[Any]) -> tuple[Tensor, list[int]]:
    """A view for keys that are integers, slices and None; axes that a negative step reverses."""
    axis, flipped, view = 0, [], tensor
    for key in keys:
        if key is None:
            view = view.unsqueeze(axis)
            axis += 1
        elif isinstance(key, slice):
            view, reverse = _sliced(view, axis, key)
            if reverse:
                flipped.append(axis)
            axis += 1
        else:
            view = view.select(axis, _in_range(key, view.shape[axis], axis))
    return view, flipped


def _sliced(view: Tensor, axis: int, key: slice) -> tuple[Tensor, bool]:
    if key == slice(None):
        return view, False
    start, stop, step = key.indices(view.shape[axis])
    if step > 0:
        return view.narrow(axis, start, max(stop - start, 0))[_every(axis, step)], False
    positions = range(start, stop, step)
    if not len(positions):
        return view.narrow(axis, 0, 0), False
    low, high = positions[-1], positions[0]
    return view.narrow(axis, low, high - low + 1)[_every(axis, -step)], True


def _every(axis: int, step: int) -> tuple[slice, ...]:
    return (slice(None),) * axis + (slice(None, None, step),)


def _in_range(index: int, size: int, axis: int) -> int:
    if not -size <= index < size:
        raise OutOfRangeError(
            f"NDArray: index {index} is out of bounds for axis {axis} with size {size}"
        )
    return index


def _gather(tensor: Tensor, keys: list[Any]) -> Tensor:
    try:
        if _has_reversal(keys):
            return tensor.reshape(-1)[_positions(tensor, keys)]
        return tensor[tuple(keys)]
    except (IndexError, RuntimeError) as error:
        raise OutOfRangeError(f"NDArray: {str(error).splitlines()[0]}") from None


def _scatter(tensor: Tensor, keys: list[Any], value: Any) -> None:
    if isinstance(value, Tensor):
        value = value.to(tensor.device, tensor.dtype)
    try:
        if _has_reversal(keys):
            places = torch.unravel_index(_positions(tensor, keys), tensor.shape)
            tensor[places] = value
        else:
            tensor[tuple(keys)] = value
    except (IndexError, RuntimeError) as error:
        raise OutOfRangeError(f"NDArray: {str(error).splitlines()[0]}") from None


def _has_reversal(keys: list[Any]) -> bool:
    return any(isinstance(k, slice) and (k.step or 1) < 0 for k in keys)


def _positions(tensor: Tensor, keys: list[Any]) -> Tensor:
    """Flat positions that `keys` select; ATen knows no negative steps beside arrays, NumPy does."""
    grid = np.arange(tensor.numel()).reshape(tuple(tensor.shape))
    numpy_keys = tuple(k.cpu().numpy() if isinstance(k, Tensor) else k for k in keys)
    return torch.from_numpy(np.ascontiguousarray(grid[numpy_keys])).to(tensor.device)
