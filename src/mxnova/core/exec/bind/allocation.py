# SPDX-License-Identifier: Apache-2.0
"""Making the arrays of executors, over the memory of others where that will do."""

from __future__ import annotations

import math
from typing import Any

import torch

from ...base.errors import MXNetError
from ...base.shapes import PartialShape, is_known, shape_text
from ...nd.array import NDArray
from ...nd.wrapping import view_of, zeros_stored
from ...runtime.context import Context

__all__ = ["allocated_output", "first_elements", "resized"]


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
    found = first_elements(array, shape)
    if found is not None:
        return found
    if not may_grow and math.prod(shape) > array.size:
        raise MXNetError(f"reshape: {change}, which is larger; allow_up_sizing=True permits it")
    made: NDArray = zeros_stored(array.stype, shape, array.context, array._raw.dtype)
    return made


def allocated_output(
    stype: str,
    shape: PartialShape,
    dtype: torch.dtype,
    context: Context,
    lender: NDArray | None,
) -> NDArray:
    """An array for an output, in the memory of `lender` where that will do."""
    known: Any = shape if is_known(shape) and shape is not None else ()
    if lender is not None and stype == lender.stype == "default" and lender.context == context:
        size = math.prod(known)
        if lender._raw.dtype is dtype and size <= lender.size:
            return view_of(lender, lender._tensor.reshape(-1)[:size].view(known))
    made: NDArray = zeros_stored(stype, known, context, dtype)
    return made


def first_elements(array: NDArray, shape: tuple[int, ...]) -> NDArray | None:
    """The first elements of a dense array in another shape; None where they are not enough."""
    if array.shape == shape:
        return array
    size = math.prod(shape)
    if array.stype != "default" or size > array.size:
        return None
    return view_of(array, array._tensor.reshape(-1)[:size].view(shape))
