# SPDX-License-Identifier: Apache-2.0
"""Arrays of other shapes over the memory of arrays that are there."""

from __future__ import annotations

import torch

from ..base.errors import MXNetError
from ..base.shapes import shape_text
from ..nd.array import NDArray
from ..nd.sparse import zeros_stored

__all__ = ["resized", "view_of"]


def resized(
    name: str, array: NDArray, shape: tuple[int, ...], may_change: bool, may_grow: bool
) -> NDArray:
    """`array`, a view of its first elements, or a new array where it must grow.

    Args:
        name: of the argument that it belongs to.
        array: the array.
        shape: wanted.
        may_change: whether another shape is accepted.
        may_grow: whether more elements are.

    Raises:
        MXNetError: what is not accepted.
    """
    if array.shape == shape:
        return array
    change = f"{name} changes from {shape_text(array.shape)} to {shape_text(shape)}"
    if not may_change:
        raise MXNetError(f"reshape: {change}; give its shape, or partial_shaping=True")
    found = view_of(array, shape)
    if found is not None:
        return found
    if not may_grow and torch.Size(shape).numel() > array.size:
        raise MXNetError(f"reshape: {change}, which is larger; allow_up_sizing=True permits it")
    return zeros_stored(array.stype, shape, array.context, array._raw.dtype)


def view_of(array: NDArray, shape: tuple[int, ...]) -> NDArray | None:
    """The first elements of a dense array in another shape; None where they are not enough."""
    if array.shape == shape:
        return array
    size = torch.Size(shape).numel()
    if array.stype != "default" or size > array.size:
        return None
    return array._view(array._tensor.reshape(-1)[:size].view(shape))
