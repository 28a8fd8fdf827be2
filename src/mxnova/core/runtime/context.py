# SPDX-License-Identifier: Apache-2.0
"""Contexts: the device an array lives on. `cpu(0)` and `cpu(1)` are two names of one memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import torch

from ..base import env
from ..base.doors import door
from ..base.errors import ArgumentTypeError, MXNetError, UnknownNameError, shown
from ..base.scopes import Scope, ScopeType
from .engine import wait_for_all
from .engine.gpu import wait_for_gpu
from .profiler import api_call
from .torch_api import is_fork_of_gpu_user

__all__ = [
    "Context",
    "context_at",
    "context_of",
    "cpu",
    "cpu_pinned",
    "cpu_shared",
    "current_context",
    "gpu",
    "gpu_memory_info",
    "is_there",
    "num_gpus",
    "wait_for",
    "waitall",
]


class _ContextType(ScopeType):
    """Older names of a Context's `current`."""

    default_ctx = ScopeType.current
    _default_ctx = ScopeType._current


class Context(Scope, metaclass=_ContextType):
    """A device: ``Context("gpu", 0)``; ``with`` makes it the default for arrays made inside.

    Args:
        device_type: cpu, gpu, cpu_pinned or cpu_shared; or another context, to copy it.
        device_id: number of the device.

    Example:
        >>> with mx.Context("cpu", 1): x = mx.nd.ones(2)
        >>> x.context
        cpu(1)
    """

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {name: code for code, name in devtype2str.items()}

    default_ctx: ClassVar[Context] = Scope.__dict__["current"]

    __slots__ = ("_device", "device_id", "device_type", "device_typeid")

    device_type: str
    device_typeid: int
    device_id: int

    @door
    def __init__(self, device_type: str | Context, device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            device_id = device_type.device_id
            device_type = device_type.device_type
        if device_type not in self.devstr2type:
            known = ", ".join(self.devstr2type)
            raise UnknownNameError(f"Context: device_type={device_type!r}: must be one of {known}")
        self.device_type = device_type
        self.device_typeid = self.devstr2type[device_type]
        try:
            self.device_id = int(device_id)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentTypeError(
                f"Context: device_id={shown(device_id)}: must be a number"
            ) from None
        self._device: torch.device | None = None

    @classmethod
    def default(cls) -> Context:
        """cpu(0)."""
        return cpu(0)

    @property
    def device(self) -> torch.device:
        """ATen's device.

        Raises:
            MXNetError: a GPU that this machine does not have.
        """
        if self._device is None:
            self._device = _device_of(self.device_type, self.device_id)
        return self._device

    on_empty_cache: ClassVar[list[Callable[[Context], None]]] = []

    def empty_cache(self) -> None:
        """Gives memory that is kept for reuse back to the system."""
        for release in self.on_empty_cache:
            release(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        same_type = self.device_typeid == other.device_typeid
        return same_type and self.device_id == other.device_id

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.device_type, self.device_id)


_IN_USE: set[int] = set()  # GPUs; to wait for another one would take memory there


def is_there(context: Context) -> bool:
    """Whether this machine has it, and this process may use it."""
    if context.device_type != "gpu":
        return True
    return 0 <= context.device_id < num_gpus() and not is_fork_of_gpu_user()


def _device_of(device_type: str, device_id: int) -> torch.device:
    if device_type != "gpu":
        return torch.device("cpu")
    count = num_gpus()
    if not 0 <= device_id < count:
        have = f"{count} GPU(s)" if count else "no GPU that PyTorch can drive"
        if torch.backends.mps.is_available():
            have = "a GPU of Apple's, which mxnova does not use: see docs/deviations.md"
        raise MXNetError(
            f"gpu({device_id}): this machine has {have}; mx.num_gpus() counts them, and mx.cpu() "
            "is the processor"
        )
    _IN_USE.add(device_id)
    reserve = env.get("MXNET_GPU_MEM_POOL_RESERVE")
    if reserve:
        torch.cuda.set_per_process_memory_fraction(1 - reserve / 100, device_id)
    return torch.device("cuda", device_id)


@cache
def _interned(device_type: str, device_id: int) -> Context:
    return Context(device_type, device_id)


def cpu(device_id: int = 0) -> Context:
    """The CPU context with this number.

    Args:
        device_id: the number of the device.

    Example:
        >>> mx.context.cpu(0)
        cpu(0)
    """
    return _interned("cpu", device_id)


def gpu(device_id: int = 0) -> Context:
    """The GPU context with this number; using it raises where there is no such GPU.

    Args:
        device_id: the number of the device.

    Example:
        >>> mx.context.gpu(0)
        gpu(0)
    """
    return _interned("gpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Page-locked CPU memory, quick to copy to a GPU.

    Args:
        device_id: the number of the device.

    Example:
        >>> mx.context.cpu_pinned(0)
        cpu_pinned(0)
    """
    return _interned("cpu_pinned", device_id)


def cpu_shared(device_id: int = 0) -> Context:
    """CPU memory that other processes may open."""
    return _interned("cpu_shared", device_id)


def current_context() -> Context:
    """The context in force in this thread.

    Example:
        >>> mx.current_context()
        cpu(0)
    """
    context: Context = Context.get_current()
    return context


def context_of(value: Context | str | None) -> Context:
    """A context given as such, as text (``gpu(1)``, empty: the current one) or None."""
    if isinstance(value, Context):
        return value
    if value is None or value == "":
        return current_context()
    if not isinstance(value, str):
        raise ArgumentTypeError(f"ctx={shown(value)}: must be a context, or text such as cpu(0)")
    name, _, number = value.rstrip(")").partition("(")
    if name not in Context.devstr2type or (number and not number.isdigit()):
        raise MXNetError(f"ctx={value!r}: must look like cpu(0) or gpu(1)")
    return _interned(name, int(number or 0))


def context_at(device: torch.device) -> Context:
    """The context of what lies on one of PyTorch's devices."""
    return _interned("gpu", device.index or 0) if device.type == "cuda" else _interned("cpu", 0)


def num_gpus() -> int:
    """The number of GPUs that PyTorch can drive.

    Example:
        >>> mx.num_gpus() >= 0
        True
    """
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """(free, total) bytes of a GPU's memory.

    Args:
        device_id: the number of the device.

    Example:
        >>> memory = [mx.context.gpu_memory_info(i) for i in range(mx.num_gpus())]
        >>> all(free <= total for free, total in memory)
        True
    """
    free, total = torch.cuda.mem_get_info(gpu(device_id).device)
    return free, total


@api_call("MXNDArrayWaitAll")
def waitall() -> None:
    """Returns when everything that was started on any device is done.

    Raises:
        MXNetError: what the engine's operations raised, once; or what failed on a GPU.

    Example:
        >>> mx.nd.waitall()
    """
    wait_for_all()
    # It is not in a fork of a process that uses a GPU.
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        for number in sorted(_IN_USE):
            wait_for_gpu(number)


def wait_for(context: Context) -> None:
    """Returns when what was queued on a GPU is done; the CPU is never waited for.

    Raises:
        MXNetError: some of it failed.
    """
    if context.device_type == "gpu":
        wait_for_gpu(context.device_id)
