# SPDX-License-Identifier: Apache-2.0
"""Memory by context: blocks taken and given back, kept for the next taker, and counted.

What lies here: arrays on `cpu_pinned` and `cpu_shared`, workspaces, and whatever asks by `alloc`.
Other arrays are ATen's: on the CPU from the C heap (see `heap`), on a GPU from ATen's caching
allocator, which MXNet's pool variables set up as far as it has such settings.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, fields
from typing import Any

import torch
from torch import Tensor

from ..base import env
from ..base.errors import MXNetError, from_foreign
from ..base.shapes import shape_text
from .context import Context
from .forks import after_fork_in_child
from .profiler import MEMORY, PROFILER, lane_of
from .shared_memory import Address, Block, release_resting

__all__ = ["Handle", "Statistics", "Storage", "empty", "moved", "placed"]


class Handle:
    """A block of memory that its owner frees.

    Attributes:
        size: bytes asked for.
        context: where it is.
        memory: its bytes, as a tensor; there may be more than asked for.
    """

    __slots__ = ("_block", "context", "is_free", "memory", "size")

    def __init__(
        self, size: int, context: Context, memory: Tensor, block: Block | None = None
    ) -> None:
        self.size, self.context, self.memory = size, context, memory
        self._block = block
        self.is_free = False

    @property
    def dptr(self) -> int:
        """Its address."""
        return self.memory.data_ptr()

    @property
    def shared_pid(self) -> int:
        """The process that other processes find it in; -1 where it is not shared."""
        return os.getpid() if self._block else -1

    @property
    def shared_id(self) -> int:
        """Its number in that process; -1 where it is not shared."""
        return self._block.id if self._block else -1

    def __repr__(self) -> str:
        return f"<Handle {self.size} bytes @{self.context} at {self.dptr:#x}>"


@dataclass
class Statistics:
    """Bytes and counts of one context."""

    used: int = 0
    pooled: int = 0
    peak: int = 0
    n_alloc: int = 0
    n_free: int = 0
    n_reused: int = 0


# Pools --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rounding:
    """How large a block a request gets, see the variables MXNET_*_MEM_POOL_*."""

    kind: str = "Unpooled"
    page: int = 1
    large: int = 1
    cutoff: int = 1

    @classmethod
    def of(cls, device: str) -> Rounding:
        """What the environment says for CPU or CPU_PINNED."""
        return cls(
            kind=env.get(f"MXNET_{device}_MEM_POOL_TYPE"),
            page=env.get(f"MXNET_{device}_MEM_POOL_PAGE_SIZE"),
            large=env.get(f"MXNET_{device}_MEM_LARGE_ALLOC_ROUND_SIZE"),
            cutoff=1 << env.get(f"MXNET_{device}_MEM_POOL_ROUND_LINEAR_CUTOFF"),
        )

    def capacity(self, size: int) -> int:
        """Bytes of the block for a request of `size` bytes."""
        size = max(size, 1)
        if self.kind == "Unpooled":
            return size
        if self.kind == "Round":
            power = max(self.page, 1 << (size - 1).bit_length())
            return power if power <= self.cutoff else _up(size, self.cutoff)
        pages = _up(size, self.page)
        return _up(pages, self.large) if pages > self.large else pages


def _up(size: int, step: int) -> int:
    return -(-size // step) * step


class Pool:
    """Free blocks of one context, by capacity.

    Args:
        make: gives fresh memory.
        rounding: how large blocks are.
        is_scarce: whether so many bytes should not be taken from the system while blocks are free.
    """

    def __init__(
        self, make: Callable[[int], Tensor], rounding: Rounding, is_scarce: Callable[[int], bool]
    ) -> None:
        self._make, self._rounding, self._is_scarce = make, rounding, is_scarce
        self._free: defaultdict[int, list[Tensor]] = defaultdict(list)

    def take(self, size: int) -> tuple[Tensor, bool]:
        """A block, and whether it was used before."""
        capacity = self._rounding.capacity(size)
        if self._free[capacity]:
            return self._free[capacity].pop(), True
        if self.size and self._is_scarce(capacity):
            self.release()
        try:
            return self._make(capacity), False
        except RuntimeError:  # ATen's out of memory
            self.release()
            return self._make(capacity), False

    def give(self, memory: Tensor) -> None:
        """Takes a block back."""
        if self._rounding.kind != "Unpooled":
            self._free[memory.numel()].append(memory)

    @property
    def size(self) -> int:
        """Bytes in free blocks."""
        return sum(capacity * len(blocks) for capacity, blocks in self._free.items())

    def release(self) -> None:
        """Gives every free block back to the system."""
        self._free.clear()


def _pool_of(context: Context) -> Pool:
    if context.device_type == "gpu":  # ATen's allocator is the pool
        return Pool(_maker(device=context.device), Rounding(), lambda size: False)
    device = "CPU_PINNED" if context.device_type == "cpu_pinned" else "CPU"
    pin = device == "CPU_PINNED" and torch.cuda.is_available()
    reserve = env.get(f"MXNET_{device}_MEM_POOL_RESERVE") * _memory("SC_PHYS_PAGES", 0) // 100
    return Pool(
        _maker(pin_memory=pin),
        Rounding.of(device),
        lambda size: _memory("SC_AVPHYS_PAGES", sys.maxsize) < size + reserve,
    )


def _maker(**options: Any) -> Callable[[int], Tensor]:
    return lambda size: torch.empty(size, dtype=torch.uint8, **options)


def _memory(kind: str, unknown: int) -> int:
    """Bytes of the machine's memory, or `unknown` where the system does not tell."""
    try:
        return os.sysconf(kind) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError):  # Windows; macOS knows no SC_AVPHYS_PAGES
        return unknown


# Storage ------------------------------------------------------------------------------------------


class Storage:
    """Takes and frees memory; one a process, `Storage.get()`."""

    _instance: Storage | None = None

    def __init__(self) -> None:
        self._forget_lock()
        self._pools: dict[Context, Pool] = {}
        self._statistics: defaultdict[Context, Statistics] = defaultdict(Statistics)
        after_fork_in_child(self._forget_lock)

    def _forget_lock(self) -> None:
        # Reentrant: an array that the garbage collector finds may be freed inside `alloc`.
        self._lock = threading.RLock()

    @classmethod
    def get(cls) -> Storage:
        """The storage of this process."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def alloc(self, size: int, context: Context) -> Handle:
        """A block of at least `size` bytes.

        Raises:
            MXNetError: there is not so much memory.
        """
        if context.device_type == "cpu_shared":  # has locks of its own
            block = Block.new(size)
            return self._counted(Handle(size, context, block.memory, block), False)
        with self._lock:
            memory, reused = self._taken(size, context)
            return self._counted(Handle(size, context, memory), reused)

    def _taken(self, size: int, context: Context) -> tuple[Tensor, bool]:
        try:
            return self._pool(context).take(size)
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            raise MXNetError(f"{context}: no memory for {size} bytes: {reason}") from None

    def _pool(self, context: Context) -> Pool:
        if context not in self._pools:
            self._pools[context] = _pool_of(context)
        return self._pools[context]

    def _counted(self, handle: Handle, reused: bool) -> Handle:
        with self._lock:
            known = self._statistics[handle.context]
            known.used += handle.memory.numel()
            known.peak = max(known.peak, known.used)
            known.n_alloc += 1
            known.n_reused += reused
            self._show(handle.context, known)
        return handle

    def _show(self, context: Context, known: Statistics) -> None:
        if PROFILER.memory:
            PROFILER.count(MEMORY, f"Pool: {lane_of(context)}", known.used)

    def free(self, handle: Handle) -> None:
        """Gives a block back, for the next taker."""
        with self._lock:
            self._discount(handle)
            if handle._block is None:
                self._pool(handle.context).give(handle.memory)

    def direct_free(self, handle: Handle) -> None:
        """Gives a block back to the system."""
        with self._lock:
            self._discount(handle)

    def _discount(self, handle: Handle) -> None:
        if handle.is_free:
            raise MXNetError(f"{handle} was freed before")
        handle.is_free = True
        known = self._statistics[handle.context]
        known.used -= handle.memory.numel()
        known.n_free += 1
        self._show(handle.context, known)

    def release_all(self, context: Context) -> None:
        """Gives every free block of a context back to the system."""
        with self._lock:
            if context in self._pools:
                self._pools[context].release()
        if context.device_type == "cpu_shared":
            release_resting()
        elif context.device_type == "gpu":
            torch.cuda.empty_cache()

    # Shared memory -------------------------------------------------------------------------------

    def receive(self, address: Address, context: Context) -> Handle:
        """The block that another process sent (see `Block.send`)."""
        block = Block.receive(address)
        return self._counted(Handle(block.memory.numel(), context, block.memory, block), False)

    def lend(self, handle: Handle) -> Tensor:
        """The bytes asked for, as a tensor with whose last view the block is freed."""
        bytes_ = handle.memory.numpy()[: handle.size]
        weakref.finalize(bytes_, self.free, handle).atexit = False
        return torch.from_numpy(bytes_)

    # Statistics ----------------------------------------------------------------------------------

    def statistics(self, context: Context) -> Statistics:
        """What one context uses; of a GPU, all that ATen's allocator has given out."""
        if context.device_type == "gpu":
            return _gpu_statistics(torch.cuda.memory_stats(context.device))
        with self._lock:
            known = self._statistics[context]
            known.pooled = self._pools[context].size if context in self._pools else 0
            return Statistics(*astuple(known))

    def __str__(self) -> str:
        rows = [(str(c), *astuple(self.statistics(c))) for c in list(self._statistics)]
        return _table(("context", *(f.name for f in fields(Statistics))), rows)


def _gpu_statistics(known: dict[str, int]) -> Statistics:
    used = known.get("allocated_bytes.all.current", 0)
    n_alloc = known.get("allocation.all.allocated", 0)
    return Statistics(
        used=used,
        pooled=known.get("reserved_bytes.all.current", 0) - used,
        peak=known.get("allocated_bytes.all.peak", 0),
        n_alloc=n_alloc,
        n_free=known.get("allocation.all.freed", 0),
        n_reused=n_alloc - known.get("segment.all.allocated", 0),
    )


def _table(titles: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [titles, *(tuple(map(str, row)) for row in rows)]
    return "\n".join(f"{line[0]:<14}" + "".join(f"{c:>14}" for c in line[1:]) for line in lines)


def _empty_cache(context: Context) -> None:
    Storage.get().release_all(context)


Context.on_empty_cache.append(_empty_cache)

# Tensors ------------------------------------------------------------------------------------------


def _is_atens(context: Context) -> bool:
    """Whether ATen's own allocator serves this context."""
    return context.device_type in ("cpu", "gpu")


def empty(shape: tuple[int, ...], dtype: torch.dtype, context: Context) -> Tensor:
    """A tensor in the memory of `context`, which lives as long as any view of it."""
    if _is_atens(context):
        try:
            return torch.empty(shape, dtype=dtype, device=context.device)
        except (RuntimeError, TypeError) as error:  # too large, for memory or for ATen's integers
            raise from_foreign(error, f"an array of shape {shape_text(shape)}") from error
    storage = Storage.get()
    n_bytes = torch.Size(shape).numel() * dtype.itemsize
    return storage.lend(storage.alloc(n_bytes, context)).view(dtype).view(shape)


def filled(shape: tuple[int, ...], dtype: torch.dtype, context: Context, value: float) -> Tensor:
    """`empty` with `value` in it."""
    try:
        if value == 0 and _is_atens(context):
            return torch.zeros(shape, dtype=dtype, device=context.device)
        return empty(shape, dtype, context).fill_(value)
    except MXNetError:
        raise
    except (RuntimeError, TypeError) as error:
        raise from_foreign(error, f"an array of shape {shape_text(shape)}") from error


def placed(tensor: Tensor, context: Context, dtype: torch.dtype | None = None) -> Tensor:
    """A copy of `tensor` in the memory of `context`, with elements of `dtype` when given.

    Raises:
        MXNetError: there is no memory for it, or a GPU failed.
    """
    dtype = dtype or tensor.dtype
    if _is_atens(context):
        try:
            return tensor.to(context.device, dtype, copy=True)
        except RuntimeError as error:
            where = f"a copy on {context} of an array of shape {shape_text(tuple(tensor.shape))}"
            raise from_foreign(error, where) from error
    return empty(tuple(tensor.shape), dtype, context).copy_(tensor)


def moved(tensor: Tensor, context: Context) -> Tensor:
    """`tensor` itself where `context` can have it, else a copy in the memory of `context`."""
    if _is_atens(context) and tensor.device == context.device:
        return tensor
    return placed(tensor, context)
