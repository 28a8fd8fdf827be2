# SPDX-License-Identifier: Apache-2.0
"""Stores by name."""

from __future__ import annotations

from typing import Any

from ..core.base.doors import door
from ..core.base.errors import (
    ArgumentError,
    ArgumentTypeError,
    MXNetError,
    UnknownNameError,
    candidates,
    shown,
)
from ..core.nd.array import NDArray
from .devices import spread, total_of
from .distributed.stores import TYPES as DISTRIBUTED
from .interface import KVStoreBase
from .kvstore import KVStore
from .local import TYPES, LocalStore

__all__ = ["KVStoreBase", "TestStore", "create"]

_RETIRED = ("horovod", "byteps")  # MXNet's stores of packages that are no longer maintained


@door
def create(name: str = "local") -> KVStore | Any:
    """Create a store by its name.

    The stores local, local_update_cpu and local_allreduce_cpu add on the CPU. The stores device,
    local_allreduce_device and nccl add on the device of the values. The stores dist_sync (or dist,
    dist_sync_device, dist_device_sync) and dist_async are shared by all processes of a job.
    Registered classes are created by their names, see `KVStoreBase.register`.

    Args:
        name: the name, in any case.

    Raises:
        UnknownNameError: there is no store of that name.
        MXNetError: a shared store was requested and this process is not part of a job, other
            workers of the job did not connect, or the store is Horovod's or BytePS's.

    Example:
        >>> store = mx.kv.create("local")
        >>> store.init(3, mx.nd.ones(2))
        >>> store.push(3, [mx.nd.ones(2), mx.nd.ones(2)])
        >>> out = mx.nd.zeros(2)
        >>> store.pull(3, out=out)
        >>> out.asnumpy()
        array([2., 2.], dtype=float32)
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"create: name={shown(name)}: must be the name of a store")
    wanted = name.lower()
    if wanted in KVStoreBase.kv_registry:
        return KVStoreBase.kv_registry[wanted]()
    if wanted in TYPES:
        return KVStore(LocalStore(wanted))
    if wanted in DISTRIBUTED:
        return KVStore(DISTRIBUTED[wanted](wanted))
    if wanted in _RETIRED:
        raise MXNetError(
            f"create: name={shown(name)}: stores of that package are not supported; use "
            "'dist_sync', which computes the same sums, and start workers with `mxnova launch`"
        )
    known = [*TYPES, *DISTRIBUTED, *KVStoreBase.kv_registry]
    raise UnknownNameError(
        f"create: name={shown(name)}: there are {', '.join(known)}; others must be "
        f"registered, see KVStoreBase.register{candidates(wanted, known)}"
    )


@KVStoreBase.register
class TestStore(KVStoreBase):
    """The smallest store: it sums up, and keeps nothing."""

    __test__ = False  # it is no test of pytest's

    def broadcast(self, key: Any, value: NDArray, out: Any, priority: int = 0) -> None:
        """Copies `value` to each array of `out`."""
        spread(value, _listed(out))

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Puts the sum of `value` into each array of `out`, by default into those of `value`."""
        values = _listed(value)
        spread(total_of(values, values[0].context), values if out is None else _listed(out))

    @staticmethod
    def is_capable(capability: str) -> bool:  # static in MXNet, too
        """Whether it can do that: it updates no weights."""
        if capability.lower() == KVStoreBase.OPTIMIZER:
            return False
        raise ArgumentError(f"is_capable: capability={shown(capability)}: must be 'optimizer'")

    @property
    def type(self) -> str:
        """``teststore``."""
        return "teststore"

    @property
    def rank(self) -> int:
        """0."""
        return 0

    @property
    def num_workers(self) -> int:
        """1."""
        return 1


def _listed(arrays: Any) -> list[NDArray]:
    return list(arrays) if isinstance(arrays, (list, tuple)) else [arrays]
