# SPDX-License-Identifier: Apache-2.0
"""SharedStore: what all stores of several processes have in common."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import ArgumentError, MXNetError
from ...core.nd.array import NDArray
from ...core.nd.wrapping import empty_sparse, wrap_sparse
from ...core.op.sparse.storage import RowSparse, cast_storage
from ...core.runtime.context import Context, cpu
from ...core.runtime.engine import engine
from ...optimizer.states import dumps_updater, loads_updater
from ..compression import TwoBitCompression
from ..devices import spread, total_of
from ..keys import Groups, Key
from ..local import LocalStore, Updater
from .lane import Lane
from .layout import Layout, Share
from .links import Links
from .owner import Owner
from .requests import Requests
from .rounds import Rounds
from .rows import own_sums, rows_of, within
from .states import joined, parts_of
from .watch import Watch

__all__ = ["SharedStore"]

_MOMENT = 2.0  # seconds


class SharedStore(LocalStore):
    """Values by key that several workers share.

    row_sparse values are with their owners only; of dense ones each worker has a copy.

    Args:
        type: its name.
        links: to the other workers, for calls that all make in the same order.
        own_links: to them, for requests.
        watch: of the workers.

    Attributes:
        owner: of the shares that live here.
        lane: does what all workers do together.
    """

    def __init__(self, type: str, links: Links, own_links: Links, watch: Watch) -> None:
        self.owner = Owner()
        super().__init__(type)
        self.compresses = True
        self.links, self._watch = links, watch
        self.rank, self.num_workers = links.rank, links.size
        self._row_layout = Layout(range(links.size), slices=True, in_rows=True)
        self.requests = Requests(own_links, self._services())
        rounds = Rounds(links, self.owner, self._row_layout.shares, self._contribution)
        self.lane = Lane(links, rounds, self.owner.finish_rounds)
        links.faults.then(self.lane.wake)
        links.faults.then(self.owner.give_up)

    @property
    def updater(self) -> Updater | None:
        """What updates the shares that live here."""
        return self.owner.updater

    @updater.setter
    def updater(self, updater: Updater | None) -> None:
        self.owner.updater = updater

    # Values --------------------------------------------------------------------------------------

    def init(self, groups: Groups) -> None:
        """Makes keys with the first worker's values; all of them or none.

        Raises:
            MXNetError: a key is there already, or given twice, or keys of the other kind are; or
                workers give other keys, shapes or types.
        """
        with self._refusing():
            self._check_init(groups)
        dense = {
            k: v[0].copyto(self._home(v)) for k, v in groups.items() if v[0].stype != "row_sparse"
        }
        sparse = {k: v[0] for k, v in groups.items() if v[0].stype == "row_sparse"}

        def make() -> None:
            self._init_dense(dense)
            self._init_rows(sparse)

        self.lane.together("init", self._described(groups), make)

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        tensors = [array._raw for array in values.values()]
        if self.rank == 0:
            self.links.begin("init", self.links.to_all(tensors), {}).wait()
        else:
            self.links.begin("init", {}, {0: tensors}).wait()
        self._values |= values

    def _init_rows(self, values: dict[Key, NDArray]) -> None:
        if not values:
            return
        records = {}
        for key, value in values.items():
            record = value.as_in_context(cpu(0))._value
            records[key] = record.ordered() if self.rank == 0 else _none_of(record)
        shares = {key: self._row_shares(key, record) for key, record in records.items()}
        for part, record in own_sums(self.links, records, shares):
            self.owner.take(part.key, wrap_sparse(record, cpu(0)))
        for key, record in records.items():
            self._values[key] = empty_sparse("row_sparse", record.shape, cpu(0), record.dtype)

    def _row_shares(self, key: Key, record: RowSparse) -> list[Share]:
        return self._row_layout.shares(key, tuple(record.shape))

    def _spread(self, wanted: Groups, priority: int) -> None:
        for key, outs in wanted.items():
            if outs and self._values[key].stype == "row_sparse":
                spread(wrap_sparse(self._all_rows(key), cpu(0)), outs, priority)
            else:
                spread(self._values[key], outs, priority)

    def _home(self, values: list[NDArray]) -> Context:
        """Where the value of a key lives for which there are such arrays."""
        return cpu(0)

    def _source(self, values: list[NDArray], home: Context) -> NDArray:
        """The sum over this worker's devices, where the value is."""
        if len(values) == 1 and values[0].context.device == home.device:
            return values[0]
        return total_of(values, home)

    def _pushes_rows(self, key: Key, source: NDArray) -> bool:
        """Whether rows are exchanged for a key, as its value or what is pushed is stored so."""
        stored = self._values[key]
        if stored.stype == "row_sparse":
            return True
        if source.stype != "row_sparse" or stored.context.device_type == "gpu":
            return False
        return self._has_rows(key, stored)

    def _contribution(
        self, key: Key, total: Tensor | RowSparse, compress: TwoBitCompression | None
    ) -> Tensor | RowSparse:
        """What this worker adds to the sum of a key: a tensor, or rows."""
        stored = self._values[key]
        if stored.stype == "row_sparse":
            rows: RowSparse = cast_storage(total, "row_sparse")
            return rows
        if isinstance(total, RowSparse):
            if stored.context.device_type != "gpu" and self._has_rows(key, stored):
                return total
            total = total.dense()
        total = total.contiguous()
        return total if compress is None else compress(key, 0, total)

    def _has_rows(self, key: Key, value: NDArray) -> bool:
        """Whether its shares are made of whole rows."""
        shares = self._shares(key, value)
        return all(share.shape[1:] == value.shape[1:] for share in shares)

    # Rows ----------------------------------------------------------------------------------------

    def _rows(self, key: Key, rows: Tensor) -> RowSparse:
        stored, pieces = self._asked_rows(key, rows)
        value: Any = self._values[key]._value
        if not stored:  # of nothing MXNet stores nothing
            return _none_of(value)
        return RowSparse(torch.cat(pieces), rows, value.shape)

    def _asked_rows(self, key: Key, rows: Tensor) -> tuple[bool, list[Tensor]]:
        """Whether owners store any rows, and of each, in their order, those that are asked for."""
        value: Any = self._values[key]._value
        asked: dict[int, Tensor] = {}
        for share in self._row_shares(key, value):
            ids = rows[within(rows, share, value.shape)] - rows_of(share, value.shape)[0]
            if len(ids):
                asked[share.owner] = ids
        room = {r: value.data.new_empty((len(i), *value.shape[1:])) for r, i in asked.items()}
        answers = self.requests.ask(
            {
                rank: (self._question("rows", key=key, n=len(ids)), [ids])
                for rank, ids in asked.items()
                if rank != self.rank
            },
            lambda rank, answer: [room[rank]],
        )
        stored = any(answer["stored"] for answer in answers.values())
        if self.rank in asked:
            with self.owner.changed:
                mine, room[self.rank] = self.owner.rows(key, asked[self.rank])
            stored |= mine
        return stored, [room[rank] for rank in asked]

    def _all_rows(self, key: Key) -> RowSparse:
        """All rows that are stored of a row_sparse value."""
        value: Any = self._values[key]._value
        pieces: dict[int, RowSparse] = {}
        shares = self._row_shares(key, value)

        def rooms(rank: int, answer: Any) -> list[Tensor]:
            data = value.data.new_empty((int(answer["n"]), *value.shape[1:]))
            pieces[rank] = RowSparse(data, torch.empty(len(data), dtype=torch.int64), value.shape)
            return [pieces[rank].indices, data]

        others = [share.owner for share in shares if share.owner != self.rank]
        self.requests.ask({r: (self._question("stored", key=key), ()) for r in others}, rooms)
        starts = {share.owner: rows_of(share, value.shape)[0] for share in shares}
        if self.rank in starts:
            with self.owner.changed:
                pieces[self.rank] = self.owner.stored(key)
        indices = torch.cat([pieces[rank].indices.long() + start for rank, start in starts.items()])
        return RowSparse(torch.cat([pieces[rank].data for rank in starts]), indices, value.shape)

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        updater = self._own_updater("save")
        received: dict[int, Tensor] = {}

        def rooms(rank: int, answer: Any) -> list[Tensor]:
            received[rank] = torch.empty(int(answer["n"]), dtype=torch.uint8)
            return [received[rank]]

        peers = self.links.peers
        self.requests.ask({peer: (self._question("states"), ()) for peer in peers}, rooms)
        with self.owner.changed:
            of_rank = {r: loads_updater(b.numpy().tobytes())[0] for r, b in received.items()}
            of_rank[self.rank] = updater.states
            states = {
                key: joined([of_rank[s.owner][key] for s in shares], shares, shape)
                for key, (shares, shape) in self._placed().items()
                if all(key in of_rank[share.owner] for share in shares)
            }
            return dumps_updater(states, updater.optimizer if dump_optimizer else None)

    def set_states(self, states: bytes) -> None:
        """Takes what `get_states` gave; all workers take the same."""
        self._own_updater("load")
        digest = hashlib.sha256(states).hexdigest()
        self.lane.together("load_optimizer_states", [digest], lambda: self._take_states(states))

    def _take_states(self, states: bytes) -> None:
        updater = self._own_updater("load")
        with self.owner.changed:
            updater.set_states(states)
            updater.states = parts_of(updater.states, self._placed(), self.rank)
            updater.states_synced = dict.fromkeys(updater.states, False)

    def _own_updater(self, verb: str) -> opt.Updater:
        updater = self.updater
        if not isinstance(updater, opt.Updater):
            raise MXNetError(f"KVStore.{verb}_optimizer_states: there is no optimizer here")
        return updater

    def _placed(self) -> dict[Key, tuple[list[Share], tuple[int, ...]]]:
        """For each key its shares and its shape."""
        return {key: (self._shares(key, value), value.shape) for key, value in self._values.items()}

    def _shares(self, key: Key, value: NDArray) -> list[Share]:
        if value.stype == "row_sparse":
            return self._row_layout.shares(key, value.shape)
        return self._dense_shares(key, value.shape)

    def _dense_shares(self, key: Key, shape: tuple[int, ...]) -> list[Share]:
        raise NotImplementedError

    # Requests ------------------------------------------------------------------------------------

    def _question(self, op: str, **what: Any) -> dict[str, Any]:
        """What is asked of an owner, when it has done all rounds that this worker has."""
        return {"op": op, "after": self.lane.n_calls, **what}

    def _services(self) -> dict[str, Any]:
        return {
            "rows": self._service(self._rooms_for_rows, self._answer_rows),
            "stored": self._service(lambda what: [], self._answer_stored),
            "states": self._service(lambda what: [], self._answer_states),
        }

    def _service(self, rooms: Callable[..., Any], answer: Callable[..., Any]) -> Any:
        """Functions that have the owner to themselves, when it has done what the question says."""

        def make_rooms(what: Any) -> Any:
            with self.owner.changed:
                self.owner.wait_for(int(what["after"]))
                return rooms(what)

        def service(_rank: int, what: Any, tensors: list[Tensor]) -> Any:
            with self.owner.changed:
                return answer(what, tensors)

        return make_rooms, service

    def _rooms_for_rows(self, what: Any) -> list[Tensor]:
        n, n_rows = int(what["n"]), self.owner.share(what["key"]).shape[0]
        if not 0 < n <= n_rows:
            raise ValueError(f"for {n} of {n_rows} rows")
        return [torch.empty(n, dtype=torch.int64)]

    def _answer_rows(self, what: Any, tensors: list[Tensor]) -> Any:
        stored, data = self.owner.rows(what["key"], tensors[0])
        return {"stored": stored}, [data]

    def _answer_stored(self, what: Any, _tensors: list[Tensor]) -> Any:
        record = self.owner.stored(what["key"])
        return {"n": len(record.indices)}, [record.indices.long(), record.data.contiguous()]

    def _answer_states(self, _what: Any, _tensors: list[Tensor]) -> Any:
        states = self.owner.states()
        return {"n": len(states)}, [states]

    # Workers -------------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Returns when all workers have come here."""
        self.lane.together("barrier", [])

    def n_dead(self) -> int:
        """How many workers have died, as far as is known: one, as the first ends the store."""
        return int(self.links.faults.text is not None)

    def close(self) -> None:
        """Ends the part of this worker, when all others have come to their end."""
        has_failed = hasattr(sys, "last_type")  # by an exception that nobody caught
        self.lane.finish(_MOMENT if has_failed else None)
        engine().drain(_MOMENT if has_failed else self.links.faults.timeout)
        self.requests.leave()
        self.links.hang_up()
        self.lane.join(_MOMENT)
        self.links.close()
        self.requests.close(waits=not has_failed)
        self._watch.close()

    # Checks --------------------------------------------------------------------------------------

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """A block that checks a call, and has to succeed on all workers."""
        try:
            yield
        except MXNetError as error:
            self.lane.refuse(error)
            raise

    def _update_name(self) -> str:
        """What workers compare of their updaters."""
        updater: Any = self.updater
        if isinstance(updater, opt.Updater):
            return f"updater: {type(updater.optimizer).__name__}"
        return f"updater: {updater is not None}"

    def _described(self, groups: Groups) -> list[Any]:
        of_keys: list[Any] = [
            [key, list(v[0].shape), v[0].dtype.__name__, v[0].stype] if v else [key]
            for key, v in groups.items()
        ]
        return [*of_keys, self._update_name()]

    def _check_push(self, groups: Groups) -> None:
        super()._check_push(groups)
        for key, values in groups.items():
            stored = self._values[key]
            for value in values[:1]:
                if value._raw.dtype is not stored._raw.dtype:
                    raise ArgumentError(
                        f"KVStore.push: value of key {key!r}: is {value.dtype.__name__}, the key "
                        f"{stored.dtype.__name__}"
                    )


def _none_of(record: RowSparse) -> RowSparse:
    """As much of nothing."""
    return RowSparse.empty(tuple(record.shape), record.dtype, record.data.device)
