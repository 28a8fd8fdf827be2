# SPDX-License-Identifier: Apache-2.0
"""Stores that sum up by Horovod or BytePS, where these packages are installed.

They keep no values and update none: each worker has all of them. The packages' interfaces for
PyTorch are used, since an array's memory is a tensor's.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from torch import Tensor

from ..core.base.errors import ArgumentError, MXNetError, shown
from .devices import spread, total_of
from .interface import KVStoreBase
from .keys import Groups, grouped

__all__ = ["BytePS", "CollectiveStore", "Horovod"]


class CollectiveStore(KVStoreBase):
    """Sums over the workers of a package, which has its own launcher.

    Raises:
        MXNetError: the package is not there, or was built without its interface for PyTorch.
    """

    PACKAGE: ClassVar[str]
    HINT: ClassVar[str]

    def __init__(self) -> None:
        try:
            self._package: Any = importlib.import_module(f"{self.PACKAGE}.torch")
        except ImportError as error:
            raise MXNetError(
                f"create: name={self.type!r}: {self.PACKAGE}.torch cannot be imported ({error}); "
                f"it is made by: {self.HINT}"
            ) from error
        self._package.init()

    def _begin_sum(self, tensor: Tensor, name: str, priority: int) -> Any:
        """Begins to replace `tensor` by the sum over workers; what `synchronize` waits for."""
        raise NotImplementedError

    def _take_first(self, tensor: Tensor, name: str) -> None:
        """Replaces `tensor` by that of worker 0."""
        raise NotImplementedError

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Copies worker 0's `value` of each key to `out` of every worker.

        Raises:
            MXNetError: an array is sparse.
        """
        outs = grouped("broadcast", key, out, "out")
        for name, arrays in self._dense("broadcast", grouped("broadcast", key, value)).items():
            for first in [array.copy() for array in arrays[:1]]:
                self._take_first(first._tensor, str(name))
                spread(first, outs.get(name, ()))

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Puts the sum of each key's `value` over devices and workers into `out`.

        Args:
            key: key, or list of keys, which are under way together.
            value: an array or a list of arrays for each key.
            out: where the sums go; default: into `value`.
            priority: what has the highest goes first; Horovod has none.

        Raises:
            MXNetError: an array is sparse.
        """
        pushed = self._dense("pushpull", grouped("pushpull", key, value))
        pulled = pushed if out is None else grouped("pushpull", key, out, "out")
        totals = {name: total_of(a, a[0].context) for name, a in pushed.items() if a}
        begun = [
            self._begin_sum(total._tensor, str(name), priority) for name, total in totals.items()
        ]
        for handle in begun:
            self._package.synchronize(handle)
        for name, total in totals.items():
            spread(total, pulled.get(name, ()), priority)

    def _dense(self, call: str, groups: Groups) -> Groups:
        for key, arrays in groups.items():
            for array in arrays:
                if array.stype != "default":
                    raise MXNetError(
                        f"KVStore.{call}: value of key {key!r}: is stored as {array.stype!r}; "
                        f"{self.type} sums up dense arrays only"
                    )
        return groups

    def is_capable(self, capability: str) -> bool:
        """Whether it can do that: it updates no weights."""
        if capability.lower() == self.OPTIMIZER:
            return False
        raise ArgumentError(f"is_capable: capability={shown(capability)}: must be 'optimizer'")

    @property
    def type(self) -> str:
        """The name it was created by, in lower case."""
        return type(self).__name__.lower()

    @property
    def rank(self) -> int:
        """The number of this worker, from 0."""
        return int(self._package.rank())

    @property
    def local_rank(self) -> int:
        """The number of this worker among those of its machine, from 0."""
        return int(self._package.local_rank())

    @property
    def num_workers(self) -> int:
        """How many workers there are."""
        return int(self._package.size())


@KVStoreBase.register
class Horovod(CollectiveStore):
    """Sums up by Horovod; ``horovodrun -np 4 python train.py`` starts workers."""

    PACKAGE = "horovod"
    HINT = "HOROVOD_WITH_PYTORCH=1 pip install horovod"

    def _begin_sum(self, tensor: Tensor, name: str, priority: int) -> Any:
        return self._package.allreduce_async_(tensor, name=name, op=self._package.Sum)

    def _take_first(self, tensor: Tensor, name: str) -> None:
        self._package.broadcast_(tensor, 0, name=f"{name} of 0")


@KVStoreBase.register
class BytePS(CollectiveStore):
    """Sums up by BytePS; ``bpslaunch python train.py`` starts workers."""

    PACKAGE = "byteps"
    HINT = "BYTEPS_WITH_PYTORCH=1 pip install byteps"

    def _begin_sum(self, tensor: Tensor, name: str, priority: int) -> Any:
        return self._package.push_pull_async_inplace(
            tensor, average=False, name=name, priority=priority
        )

    def _take_first(self, tensor: Tensor, name: str) -> None:
        if self.rank != 0:
            tensor.zero_()
        self._package.synchronize(self._begin_sum(tensor, f"{name} of 0", 0))
