# SPDX-License-Identifier: Apache-2.0
"""Arrays on `cpu_shared` between processes: multiprocessing's pickles carry where they are."""

from __future__ import annotations

from multiprocessing.reduction import ForkingPickler
from typing import Any

import torch

from ..runtime.context import Context
from ..runtime.shared_memory import Address, block_of, is_supported
from ..runtime.storage import Storage, placed
from .array import NDArray
from .wrapping import wrap

__all__: list[str] = []


def _reduce(array: NDArray) -> Any:
    if array.context.device_type != "cpu_shared" or not is_supported():
        return array.__reduce__()
    tensor = array._tensor
    block = block_of(tensor)
    if block is None:  # a result of an operator, which ATen allocated
        tensor = placed(tensor, array.context)
        block = block_of(tensor)
    if block is None:
        return array.__reduce__()
    array._chunk.foreign = True
    address, facts = block.send(), (tensor.dtype, array.shape, tensor.storage_offset())
    return _received, (tuple(address), array.context, *facts)


def _received(
    address: tuple[int, int, bytes, int],
    context: Context,
    dtype: torch.dtype,
    shape: tuple[int, ...],
    offset: int,
) -> NDArray:
    storage = Storage.get()
    memory = storage.lend(storage.receive(Address(*address), context)).view(dtype)
    array = wrap(memory[offset : offset + torch.Size(shape).numel()].view(shape), context)
    array._chunk.foreign = True
    return array


ForkingPickler.register(NDArray, _reduce)
