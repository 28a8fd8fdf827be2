# SPDX-License-Identifier: Apache-2.0
"""AsyncStore: values that are updated by what each worker pushes, as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import wrap
from ...core.runtime.context import cpu
from ..keys import Groups, Key
from .bucket import Bucket
from .connections import Connections, Request
from .peer import Meta
from .plan import UpdatePlan
from .store import DistributedStore

__all__ = ["AsyncStore"]


class AsyncStore(DistributedStore):
    """Values by key, each shard with one owner, who updates it by every push at once.

    Nobody waits for other workers, but in `init`, `barrier` and when an optimizer is set. A pull
    asks owners for values. Until there is an optimizer values are those of `init`.
    """

    def __init__(self, type: str, connections: Connections) -> None:
        self._plan: UpdatePlan | None = None
        super().__init__(type, connections)

    @property
    def updater(self) -> Any:
        """What updates the shards that live here."""
        return self.server.updater

    @updater.setter
    def updater(self, updater: Any) -> None:
        self.server.updater = updater
        if updater is None:
            return
        name = type(updater.optimizer).__name__ if isinstance(updater, opt.Updater) else "updater"
        if self._plan is None:  # later ones find shards as they are
            self._plan = UpdatePlan(
                updater, self.compression, self.num_workers, self._row_sharding, is_sync=False
            )
            self._place(self._values)
        self._coordinator.agree("set_optimizer", [name])

    def _current_plan(self) -> UpdatePlan:
        if self._plan is None:
            raise MXNetError(
                f"KVStore: a store of type {self.type!r} updates values by each push, for which it "
                "needs an optimizer; see set_optimizer"
            )
        self._plan.compression = self.compression
        return self._plan

    def _place(self, values: Mapping[Key, NDArray]) -> None:
        """Copies this worker's shards of dense values, which are updated from now on."""
        for key, value in values.items():
            if value.stype == "default":
                for shard in self._shards(key, value):
                    if shard.owner == self.rank:
                        mine = shard.of(value._tensor).clone().view(shard.shape)
                        self.server.shards[key] = wrap(mine, cpu(0))

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._plan is not None:
            self._place(values)

    def _spread(self, wanted: Groups, priority: int) -> None:
        if self._plan is not None:
            self._refresh([k for k, v in wanted.items() if v], priority)
        super()._spread(wanted, priority)

    def _refresh(self, keys: Iterable[Key], priority: int) -> None:
        """Has dense values of this worker become those of the owners."""
        for chunk in self._chunks(k for k in keys if self._values[k].stype == "default"):
            values = {key: self._values[key] for key in chunk}
            self._submit([Bucket(self._current_plan(), values, {}, priority=priority)])

    def _push_buffers(self, rank: int, message: Meta) -> Sequence[Tensor]:
        buffers = super()._push_buffers(rank, message)
        for each in message["contributions"]:
            if each.data is None or each.stop - each.start != self.server.shard(each.key).size:
                raise ValueError(f"a push of key {each.key!r} that does not fit")
        for key in message["pull"]:
            self.server.shard(key)
        return buffers

    def _take_push(self, request: Request) -> None:
        self.server.update_now(request)
