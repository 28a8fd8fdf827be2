# SPDX-License-Identifier: Apache-2.0
"""AsyncStore: values that are updated by what each worker pushes, as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from ... import optimizer as opt
from ...core.base.errors import MXNetError
from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, wrap, wrap_value
from ...core.op.sparse.storage import RowSparse, dense_of
from ...core.runtime.context import cpu
from ...core.runtime.engine import FnProperty, engine
from ..compression import TwoBitCompression
from ..keys import Groups, Key
from .dense import Bucket, Part, buckets
from .layout import Layout, Share, works_by_elements
from .parcels import Rooms, packed, unpacked
from .rows import check_rows, rows_of, within
from .shared import SharedStore

__all__ = ["AsyncStore"]


class AsyncStore(SharedStore):
    """Values by key, each share with one owner, who updates it by every push at once.

    Nobody waits for other workers, but in `init`, `barrier` and when an optimizer is set. What is
    asked of owners is pushed through the engine, so that calls return before it is done.
    """

    _layout: Layout | None = None

    @property
    def updater(self) -> Any:
        """What updates the shares that live here."""
        return self.owner.updater

    @updater.setter
    def updater(self, updater: Any) -> None:
        self.owner.updater = updater
        if updater is None:
            return
        name = type(updater.optimizer).__name__ if isinstance(updater, opt.Updater) else "updater"
        if self._layout is None:
            slices = works_by_elements(updater)
            self._layout = Layout(range(self.links.size), slices)
            self._place([k for k, v in self._values.items() if v.stype == "default"])
        self.lane.together("set_optimizer", [name])

    def _place(self, keys: Iterable[Key]) -> None:
        """Takes this worker's shares of dense values."""
        for key in keys:
            value = self._values[key]
            for share in self._dense_shares(key, value.shape):
                if share.owner == self.rank:
                    mine = Part(key, share).of(value._tensor).clone().view(share.shape)
                    self.owner.take(key, wrap(mine, cpu(0)))

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._layout is not None:
            self._place(values)

    def _dense_shares(self, key: Key, shape: tuple[int, ...]) -> list[Share]:
        return self._layout.shares(key, shape) if self._layout is not None else []

    # Values in and out ---------------------------------------------------------------------------

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
        self._check_outs(call, outs or {})
        self._check_push(groups)
        if self.updater is None:
            raise MXNetError(
                f"KVStore.{call}: a store of type {self.type!r} updates values by each push, for "
                "which it needs an optimizer; see set_optimizer"
            )
        gradients = {key: self._gradient(key, values) for key, values in groups.items() if values}
        rows = {key: g for key, g in gradients.items() if isinstance(g, RowSparse)}
        for key, record in rows.items():
            self._later(partial(self._tell_rows, key, record), [key], (), priority)
        dense = {key: g for key, g in gradients.items() if key not in rows}
        for bucket in buckets(self._layout, dense):  # type: ignore[arg-type]
            self._exchange(bucket, dense, outs, priority)
        rest = {key: arrays for key, arrays in (outs or {}).items() if key not in dense}
        self.pull(rest, priority, ignore_sparse=True)

    def _gradient(self, key: Key, values: list[NDArray]) -> Any:
        total = self._contribution(key, self._source(values, cpu(0))._value, self.compression)
        is_theirs = len(values) == 1 and isinstance(total, Tensor)
        return total.clone() if is_theirs and self.compression is None else total

    def _spread(self, wanted: Groups, priority: int) -> None:
        dense = {k: v for k, v in wanted.items() if self._values[k].stype == "default"}
        if self._layout is None:
            super()._spread(wanted, priority)
            return
        super()._spread({k: v for k, v in wanted.items() if k not in dense}, priority)
        tensors = {key: self._values[key]._raw for key, outs in dense.items() if outs}
        for bucket in buckets(self._layout, tensors):
            self._exchange(bucket, None, dense, priority)

    def _exchange(
        self,
        bucket: Bucket,
        gradients: dict[Key, Tensor] | None,
        outs: Groups | None,
        priority: int,
    ) -> None:
        """Has the engine tell owners gradients and fetch values, or one of these."""
        arrays = {key: self._values[key] for key in bucket.keys}
        wanted = [(k, out) for k in bucket.keys for out in (outs or {}).get(k, ())]
        wanted = [(key, out) for key, out in wanted if out.stype == "default"]

        def talk() -> None:
            values = {key: array._raw for key, array in arrays.items()}
            self._ask_all(bucket, gradients, values if outs is not None else None)
            for key, out in wanted:
                receive(out, values[key], "KVStore.pull")

        self._later(talk, bucket.keys, [out for _, out in wanted], priority)

    def _later(
        self,
        function: Callable[[], None],
        keys: Sequence[Key],
        outs: Sequence[NDArray],
        priority: int,
    ) -> None:
        """Pushes what is asked about some keys: for each of them one after the other."""
        self.links.faults.check()
        engine().push_sync(
            function,
            cpu(0),
            (),
            [*(var_of(self._values[key]) for key in keys), *map(var_of, outs)],
            FnProperty.CPU_PRIORITIZED,
            priority,
            "requests to owners",
            asynchronous=True,
        )

    # Requests ------------------------------------------------------------------------------------

    def _ask_all(
        self,
        bucket: Bucket,
        gradients: dict[Key, Tensor] | None,
        values: dict[Key, Tensor] | None,
    ) -> None:
        """Tells all owners gradients, and receives values."""
        rooms = {} if values is None else {r: Rooms(bucket.of(r, values)) for r in bucket.parts}
        questions = {}
        for rank, parts in bucket.parts.items():
            what = self._question(
                "exchange",
                keys=[part.key for part in parts],
                push=gradients is not None,
                pull=values is not None,
                code=None,
            )
            messages = [] if gradients is None else packed(bucket.of(rank, gradients))
            if self.compression is not None and messages:
                what["code"] = self.compression.threshold
                messages = [self.compression.levels.encoded(message) for message in messages]
            questions[rank] = (what, messages)
        mine = questions.pop(self.rank, None)
        self.requests.ask(questions, lambda rank, _: rooms[rank].messages if rooms else [])
        for room in rooms.values():
            room.settle()
        if mine is not None:
            self._exchange_here(bucket, gradients, values)

    def _exchange_here(
        self,
        bucket: Bucket,
        gradients: dict[Key, Tensor] | None,
        values: dict[Key, Tensor] | None,
    ) -> None:
        """What owners do, for the shares that live here."""
        parts = bucket.parts[self.rank]
        with self.owner.changed:
            if gradients is not None:
                totals = [part.of(gradients[part.key]).view(part.share.shape) for part in parts]
                self._update([part.key for part in parts], totals)
            for part in parts if values is not None else ():
                part.of(values[part.key]).copy_(self.owner.share(part.key)._tensor.view(-1))  # type: ignore[index]

    def _update(self, keys: Sequence[Key], totals: Sequence[Any]) -> None:
        arrays = [wrap_value(total, cpu(0)) for total in totals]
        self.owner.update(list(zip(keys, arrays, strict=True)))

    def _tell_rows(self, key: Key, record: RowSparse) -> None:
        """Tells owners rows of a gradient."""
        questions: dict[int, Any] = {}
        for share in self._shares(key, self._values[key]):
            where = within(record.indices, share, record.shape)
            indices = record.indices[where].long() - rows_of(share, record.shape)[0]
            data = record.data[where].contiguous()
            if share.owner == self.rank:
                self._update([key], [RowSparse(data, indices, share.shape)])
            else:
                what = self._question("push_rows", key=key, n=len(indices))
                questions[share.owner] = (what, [indices, data])
        self.requests.ask(questions)

    def _services(self) -> dict[str, Any]:
        return {
            **super()._services(),
            "exchange": self._service(self._rooms_for_exchange, self._answer_exchange),
            "push_rows": self._service(self._rooms_for_push, self._answer_push_rows),
        }

    def _pieces(self, what: Any) -> list[Tensor]:
        return [dense_of(self.owner.share(key)._value).view(-1) for key in what["keys"]]

    def _rooms_for_exchange(self, what: Any) -> list[Tensor]:
        if not what["push"]:
            return []
        messages = packed([torch.empty_like(piece) for piece in self._pieces(what)])
        if what["code"] is None:
            return messages
        levels = TwoBitCompression(float(what["code"])).levels
        return [torch.empty(levels.n_bytes(m.numel()), dtype=torch.uint8) for m in messages]

    def _answer_exchange(self, what: Any, messages: list[Tensor]) -> Any:
        pieces = self._pieces(what)
        if what["push"]:
            self._update(what["keys"], self._totals(what, pieces, messages))
        values = [piece.clone() for piece in pieces] if what["pull"] else []
        return {}, packed(values) if values else []

    def _totals(self, what: Any, pieces: list[Tensor], messages: list[Tensor]) -> list[Tensor]:
        if what["code"] is not None:
            levels = TwoBitCompression(float(what["code"])).levels
            lengths = [message.numel() for message in packed(pieces)]
            messages = [levels.decoded(m, n) for m, n in zip(messages, lengths, strict=True)]
        shapes = [self.owner.share(key).shape for key in what["keys"]]
        flat = unpacked(messages, pieces)
        return [total.view(shape) for total, shape in zip(flat, shapes, strict=True)]

    def _rooms_for_push(self, what: Any) -> list[Tensor]:
        share = self.owner.share(what["key"])
        n = int(what["n"])
        if not 0 <= n <= share.shape[0]:
            raise ValueError(f"to add {n} of {share.shape[0]} rows")
        data = torch.empty((n, *share.shape[1:]), dtype=share._raw.dtype)
        return [torch.empty(n, dtype=torch.int64), data]

    def _answer_push_rows(self, what: Any, tensors: list[Tensor]) -> Any:
        indices, data = tensors
        share = self.owner.share(what["key"])
        check_rows(what["key"], indices, share.shape[0])
        self._update([what["key"]], [RowSparse(data, indices, share.shape)])
        return {}, []
