# SPDX-License-Identifier: Apache-2.0
"""Arrays on `cpu_shared` between processes: multiprocessing's pickles carry where they are."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any, cast

import torch

from ..runtime.context import Context
from ..runtime.shared_memory import Address, Block, block_of
from ..runtime.storage import Storage, placed
from .array import NDArray
from .wrapping import wrap

__all__ = ["rebuild_array", "reduce_array"]


def _reduce(array: NDArray) -> Any:
    if array.context.device_type != "cpu_shared" or not array.size:
        return array.__reduce__()
    return rebuild_array, reduce_array(array)


def reduce_array(array: NDArray) -> tuple[Any, ...]:
    """What `rebuild_array` makes `array` of in one other process, once.

    `array` is on `cpu_shared` and has elements.
    """
    tensor = array._tensor
    block = block_of(tensor)
    if block is None:  # a result of an operator, which ATen allocated
        tensor = placed(tensor, array.context)
        block = cast("Block", block_of(tensor))
    array._chunk.foreign = True
    facts = tensor.dtype, array.shape, tensor.storage_offset()
    return tuple(block.send()), array.context, *facts


def rebuild_array(
    address: tuple[int, int, bytes, int],
    context: Context,
    dtype: torch.dtype,
    shape: tuple[int, ...],
    offset: int,
) -> NDArray:
    """The array that another process sent: the same memory."""
    storage = Storage.get()
    memory = storage.lend(storage.receive(Address(*address), context)).view(dtype)
    array = wrap(memory[offset : offset + torch.Size(shape).numel()].view(shape), context, NDArray)
    array._chunk.foreign = True
    return array


ForkingPickler.register(NDArray, _reduce)
