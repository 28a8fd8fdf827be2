# SPDX-License-Identifier: Apache-2.0
"""The kinds of engine, by the names that MXNET_ENGINE_TYPE gives them."""

from __future__ import annotations

from collections.abc import Iterable

from ...base import env
from ...base.errors import MXNetError
from .engine import Engine
from .operation import RUNNING, FnProperty, Task, Var, held_lock
from .pool import CallerPool, Pool

__all__ = ["ENGINES", "NaiveEngine", "ThreadedEngine", "ThreadedEnginePerDevice"]


class NaiveEngine(Engine):
    """Runs every operation in its pusher's thread, and returns when it is finished.

    What an operation pushes on its own vars runs after it.
    """

    def _submit(self, task: Task) -> None:
        task.inline = True
        if RUNNING.task is not None:
            super()._submit(task)
            return
        latch = task.latch = held_lock()
        super()._submit(task)
        latch.acquire()
        if task.failure is not None:
            task.failure.raise_once()

    def _gather(self, task: Task) -> None:
        self._submit(task)

    def fail(self, error: MXNetError, writes: Iterable[Var], name: str) -> None:
        """Raises `error`."""
        raise error

    def _pool_for(self, task: Task) -> CallerPool:
        return self._caller


class ThreadedEngine(Engine):
    """One pool of threads for everything.

    Args:
        workers: how many threads.
    """

    def __init__(self, workers: int = 16) -> None:
        self._workers = workers
        super().__init__()

    def _pool_for(self, task: Task) -> Pool:
        return self._pool("worker", "worker", self._workers)


class ThreadedEnginePerDevice(Engine):
    """Pools for each CPU context, for urgent work on the CPU, and for each GPU's work and copies.

    Args:
        workers: threads of a CPU context; default: MXNET_CPU_WORKER_NTHREADS.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers
        super().__init__()

    def _pool_for(self, task: Task) -> Pool:
        kind, context = task.operation.kind, task.context
        device = 0 if context is None else context.device_id
        if context is not None and context.device_type == "gpu":
            name = _GPU_POOLS.get(kind, "GPU_WORKER")
        elif kind is FnProperty.CPU_PRIORITIZED:
            name, device = "CPU_PRIORITY", 0
        else:
            name = "MP_WORKER" if self._forked else "CPU_WORKER"
        pool = self._pools.get((name, device))
        if pool is None:
            size = env.get(f"MXNET_{name}_NTHREADS")
            if name == "CPU_WORKER" and self._workers is not None:
                size = self._workers
            pool = self._pool((name, device), f"{name.lower()} {device}", size)
        return pool


_GPU_POOLS = {
    FnProperty.COPY_FROM_GPU: "GPU_COPY",
    FnProperty.COPY_TO_GPU: "GPU_COPY",
    FnProperty.GPU_PRIORITIZED: "GPU_PRIORITY",
}

ENGINES: dict[str, type[Engine]] = {
    kind.__name__: kind for kind in (NaiveEngine, ThreadedEngine, ThreadedEnginePerDevice)
}
