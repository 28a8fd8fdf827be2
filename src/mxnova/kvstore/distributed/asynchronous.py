# SPDX-License-Identifier: Apache-2.0
"""AsyncStore: values that are updated by what each worker pushes, as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, wrap
from ...core.op.sparse.storage import RowSparse, dense_of
from ...core.runtime.context import cpu
from ...core.runtime.engine import FnProperty, engine
from ..compression import TwoBitCompression
from ..keys import Groups, Key
from .bucket import BUCKET_BYTES
from .connections import Meta
from .contribution import Contribution, received
from .requests import Service
from .rows import slice_rows
from .sharding import Shard, Sharding, is_elementwise
from .store import DistributedStore

__all__ = ["AsyncStore"]


class AsyncStore(DistributedStore):
    """Values by key, each shard with one owner, who updates it by every push at once.

    Nobody waits for other workers, but in `init`, `barrier` and when an optimizer is set. Requests
    to owners are operations of the engine, so that calls return before they are answered.
    """

    _sharding: Sharding | None = None

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
        if self._sharding is None:
            self._sharding = Sharding(range(self.num_workers), is_elementwise(updater))
            self._place([k for k, v in self._values.items() if v.stype == "default"])
        self._coordinator.agree("set_optimizer", [name])

    def _place(self, keys: Iterable[Key]) -> None:
        """Copies this worker's shards of dense values, which are updated from now on."""
        for key in keys:
            value = self._values[key]
            for shard in self._dense_shards(key, value):
                if shard.owner == self.rank:
                    mine = shard.of(value._tensor).clone().view(shard.shape)
                    self.server.shards[key] = wrap(mine, cpu(0))

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._sharding is not None:
            self._place(values)

    def _dense_shards(self, key: Key, value: NDArray) -> list[Shard]:
        return self._sharding.shards(key, value.shape) if self._sharding is not None else []

    # Push and pull -------------------------------------------------------------------------------

    def push(self, groups: Groups, priority: int) -> None:
        """Has owners update keys by the values of this worker.

        Raises:
            MXNetError: a key is not there, values do not fit it, or there is no updater.
        """
        self._push("push", groups, None, priority)

    def pushpull(self, pushed: Groups, pulled: Groups, priority: int) -> None:
        """`push` and `pull`; sparse arrays of `pulled` stay as they are."""
        self._push("pushpull", pushed, pulled, priority)

    def _push(self, call: str, groups: Groups, outs: Groups | None, priority: int) -> None:
        self._check_usable(call)
        self._check_outs(call, outs or {})
        self._check_push(groups)
        if self.updater is None:
            raise MXNetError(
                f"KVStore.{call}: a store of type {self.type!r} updates values by each push, for "
                "which it needs an optimizer; see set_optimizer"
            )
        gradients = {key: self._pushed(key, values) for key, values in groups.items() if values}
        rows = {key: g for key, g in gradients.items() if isinstance(g, RowSparse)}
        for key, record in rows.items():
            self._later(partial(self._exchange, {key: record}, ()), [key], (), priority)
        dense = {key: g for key, g in gradients.items() if key not in rows}
        self._exchange_later(dense, dense, outs, priority)
        rest = {key: arrays for key, arrays in (outs or {}).items() if key not in dense}
        self.pull(rest, priority, ignore_sparse=True)

    def _pushed(self, key: Key, values: list[NDArray]) -> Tensor | RowSparse:
        """What this worker pushes for a key, in memory of its own."""
        gradient = self._gradient(key, self._source(values, cpu(0))._value, self.compression)
        is_theirs = len(values) == 1 and isinstance(gradient, Tensor) and self.compression is None
        return gradient.clone() if is_theirs else gradient  # type: ignore[union-attr]

    def _spread(self, wanted: Groups, priority: int) -> None:
        dense = {k: v for k, v in wanted.items() if v and self._values[k].stype == "default"}
        if self._sharding is None:
            super()._spread(wanted, priority)
            return
        super()._spread({k: v for k, v in wanted.items() if k not in dense}, priority)
        self._exchange_later(dense, {}, dense, priority)

    def _exchange_later(
        self,
        keys: Iterable[Key],
        gradients: Mapping[Key, Tensor | RowSparse],
        outs: Groups | None,
        priority: int,
    ) -> None:
        """Has the engine push gradients to owners and pull values, or one of these."""
        for chunk in self._chunks(keys):
            wanted = [(k, out) for k in chunk for out in (outs or {}).get(k, ())]
            wanted = [(key, out) for key, out in wanted if out.stype == "default"]
            given = {key: gradients[key] for key in chunk if key in gradients}
            pulled = chunk if outs is not None else ()
            exchange = partial(self._exchange, given, pulled, wanted)
            self._later(exchange, chunk, [out for _, out in wanted], priority)

    def _chunks(self, keys: Iterable[Key]) -> Iterator[list[Key]]:
        chunk: list[Key] = []
        n_bytes = 0
        for key in keys:
            chunk.append(key)
            n_bytes += self._values[key]._raw.nbytes
            if n_bytes >= BUCKET_BYTES:
                yield chunk
                chunk, n_bytes = [], 0
        if chunk:
            yield chunk

    def _later(self, act: Any, keys: Sequence[Key], outs: Sequence[NDArray], priority: int) -> None:
        """Has the engine call `act`: for each key one after the other."""
        engine().push_sync(
            act,
            cpu(0),
            (),
            [*(var_of(self._values[key]) for key in keys), *map(var_of, outs)],
            FnProperty.CPU_PRIORITIZED,
            priority,
            "push and pull at owners",
            asynchronous=True,
        )

    # Worker: what owners are asked ---------------------------------------------------------------

    def _exchange(
        self,
        gradients: Mapping[Key, Tensor | RowSparse],
        pulled: Sequence[Key],
        wanted: Sequence[tuple[Key, NDArray]] = (),
    ) -> None:
        """Pushes gradients to the owners of their shards, and pulls values."""
        pushes: dict[int, list[Contribution]] = {}
        pulls: dict[int, list[tuple[Key, Shard]]] = {}
        for key, gradient in gradients.items():
            for shard in self._shards(key, self._values[key]):
                pushes.setdefault(shard.owner, []).append(self._part(key, gradient, shard))
        for key in pulled:
            for shard in self._shards(key, self._values[key]):
                pulls.setdefault(shard.owner, []).append((key, shard))
        here = pushes.pop(self.rank, []), pulls.pop(self.rank, [])
        self._requests.ask(
            {
                rank: self._question(pushes.get(rank, []), pulls.get(rank, []))
                for rank in pushes.keys() | pulls.keys()
            },
            lambda rank, answer: [s.of(self._values[k]._raw) for k, s in pulls.get(rank, [])],
        )
        self._exchange_here(*here)
        for key, out in wanted:
            receive(out, self._values[key]._raw, "KVStore.pull")

    def _part(self, key: Key, gradient: Tensor | RowSparse, shard: Shard) -> Contribution:
        """What is pushed for a shard."""
        if isinstance(gradient, RowSparse):
            return Contribution(key, shard.start, shard.stop, "", slice_rows(gradient, shard))
        return Contribution(key, shard.start, shard.stop, "", shard.of(gradient))

    def _question(
        self, pushed: Sequence[Contribution], pulled: Sequence[tuple[Key, Shard]]
    ) -> tuple[Meta, list[Tensor]]:
        threshold = None
        if self.compression is not None:
            threshold = self.compression.threshold
            pushed = [each.coded(self.compression.levels) for each in pushed]
        question = {
            "op": "exchange",
            "entries": [each.entry() for each in pushed],
            "threshold": threshold,
            "pull": [key for key, _ in pulled],
        }
        return question, [tensor for each in pushed for tensor in each.tensors()]

    def _exchange_here(
        self, pushed: Sequence[Contribution], pulled: Sequence[tuple[Key, Shard]]
    ) -> None:
        """What owners do, for the shards that live here."""
        with self.server.lock:
            if pushed:
                self.server.update_now([(each.key, each.data) for each in pushed])
            for key, shard in pulled:
                mine = dense_of(self.server.shard(key)._value)
                shard.of(self._values[key]._raw).copy_(mine.view(-1))

    # Owner: what workers ask ---------------------------------------------------------------------

    def _services(self) -> dict[str, Service]:
        return {
            **super()._services(),
            "exchange": Service(self._room_for_exchange, self._answer_exchange),
        }

    def _room_for_exchange(self, _rank: int, message: Meta) -> list[Tensor]:
        pushed = [received(entry, self._values) for entry in message["entries"]]
        for each in pushed:
            n_here = self.server.shard(each.key).size
            if each.is_refused or each.stop - each.start != n_here:
                raise ValueError(f"a push of key {each.key!r} that does not fit")
        for key in message["pull"]:
            self.server.shard(key)
        message["pushed"] = pushed
        return [tensor for each in pushed for tensor in each.tensors()]

    def _answer_exchange(self, message: Meta, _tensors: Sequence[Tensor]) -> Any:
        updates = [(each.key, self._data(each, message)) for each in message["pushed"]]
        with self.server.lock:
            if updates:
                self.server.update_now(updates)
            shards = [dense_of(self.server.shard(key)._value) for key in message["pull"]]
            return {}, [shard.clone(memory_format=torch.contiguous_format) for shard in shards]

    def _data(self, contribution: Contribution, message: Meta) -> Any:
        contribution.check_rows()
        if not contribution.is_coded:
            return contribution.data
        levels = TwoBitCompression(float(message["threshold"])).levels
        n = contribution.stop - contribution.start
        return levels.decoded(contribution.data, n)  # type: ignore[arg-type]
