# SPDX-License-Identifier: Apache-2.0
"""SyncStore: values that all workers have, each updated once by the sum of what all push."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from ...core.nd.access import var_of
from ...core.nd.array import NDArray
from ...core.runtime.context import Context, cpu
from ...optimizer import Updater
from ..compression import TwoBitCompression
from ..keys import Groups, Key
from .agreement import digest_of
from .dense import BUCKET
from .lane import Call
from .layout import Share
from .links import Links
from .plan import Plan
from .portion import Portion
from .shared import SharedStore
from .watch import Watch

__all__ = ["SyncStore"]


class SyncStore(SharedStore):
    """Values by key, the same in each worker.

    Every worker makes the same calls, in the same order, with arrays of the same shapes and types.
    They return at once: the `Lane` does what they say, while the engine keeps whoever touches an
    array that takes part in it waiting. Whoever owns a share of a key sums it up and updates it.
    """

    def __init__(self, type: str, links: Links, own_links: Links, watch: Watch) -> None:
        self._plan: Plan | None = None
        self._compression: TwoBitCompression | None = None
        self._digests: dict[Any, bytes] = {}
        self._last: dict[Key, Portion] = {}  # that a key was pushed with
        super().__init__(type, links, own_links, watch)

    # Values in -----------------------------------------------------------------------------------

    def push(self, groups: Groups, priority: int) -> None:
        """Has the values of each key summed up over all workers, and the key updated by the sum.

        Raises:
            MXNetError: a key is not there, or values do not fit it; or a call before has failed,
                which is then told here unless somebody was told. Or a worker is gone: then the
                store is of no use any more. That workers differ is raised where values are waited
                for; nothing has changed then.
        """
        self._push("push", groups, {}, priority)

    def pushpull(self, pushed: Groups, pulled: Groups, priority: int) -> None:
        """`push` and `pull`, both or none; sparse arrays of `pulled` stay as they are."""
        self._push("pushpull", pushed, pulled, priority)

    def _push(self, call: str, groups: Groups, outs: Groups, priority: int) -> None:
        with self._refusing():
            self._check_outs(call, outs)
            self._check_push(groups)
        given = {key: values for key, values in groups.items() if values}
        self._bring_home(given)
        portions = list(self._portions(given, outs))
        self._submit(self._call(call, groups, priority), portions)
        self._raise_failures(given)
        rest = {key: arrays for key, arrays in outs.items() if key not in given}
        if rest:
            self.pull(rest, priority, ignore_sparse=True)

    def _raise_failures(self, keys: Iterable[Key]) -> None:
        """Raises what has gone wrong with some keys, unless somebody was told."""
        for key in keys:
            failure = var_of(self._values[key]).failure
            if failure is not None:
                failure.raise_once()

    def barrier(self) -> None:
        """Returns when all workers have come here, and all that they have called is done.

        Raises:
            MXNetError: a call before has failed and nobody was told, or a worker is gone.
        """
        super().barrier()
        self._raise_failures(self._values)

    def _call(self, name: str, groups: Groups, priority: int) -> Call:
        stored = [(key, self._storage(key, values)) for key, values in groups.items()]
        what = (name, *stored, self._update_name())
        digest = self._digests.get(what)
        if digest is None:
            digest = self._digests[what] = digest_of(name, what)
        return Call(name, what[1:], priority, digest)

    def _storage(self, key: Key, values: list[NDArray]) -> str:
        if not values:
            return ""
        on_gpu = self._values[key].context.device_type == "gpu"
        return f"{values[0].stype} on gpu" if on_gpu else values[0].stype

    def _submit(self, call: Call, portions: list[Portion]) -> None:
        call.parts, call.missing = portions, len(portions)
        self.lane.submit(call)
        for portion in portions:
            if not portion.rows:
                self._last |= dict.fromkeys(portion.values, portion)
            portion.push(lambda mistake: self.lane.ready(call, mistake), call.priority)

    def _portions(self, groups: Groups, outs: Groups) -> Iterator[Portion]:
        """What is exchanged and waited for together: about `BUCKET` bytes of one type each."""
        plan = self._current_plan()
        settings = plan.settings(groups)
        sources = {k: self._source(v, self._values[k].context) for k, v in groups.items()}
        for keys, rows in self._chunks(sources):
            wanted = [(k, out) for k in keys for out in outs.get(k, ()) if out.stype == "default"]
            values = {key: self._values[key] for key in keys}
            if rows:  # of sparse values nothing is handed out
                wanted = [(key, out) for key, out in wanted if values[key].stype == "default"]
            yield Portion(plan, settings, values, {k: sources[k] for k in keys}, wanted, rows)

    def _chunks(self, sources: Mapping[Key, NDArray]) -> Iterator[tuple[list[Key], bool]]:
        open_ones: dict[tuple[bool, torch.dtype], list[Key]] = {}
        sizes: dict[tuple[bool, torch.dtype], int] = {}
        for key, source in sources.items():
            value = self._values[key]
            rows = self._pushes_rows(key, source)
            kind = (rows, value._raw.dtype)
            open_ones.setdefault(kind, []).append(key)
            sizes[kind] = sizes.get(kind, 0) + (0 if rows else value._raw.nbytes)
            if sizes[kind] >= BUCKET:
                yield open_ones.pop(kind), rows
                del sizes[kind]
        for (rows, _), keys in open_ones.items():
            yield keys, rows

    # Values out ----------------------------------------------------------------------------------

    def _spread(self, wanted: Groups, priority: int) -> None:
        left = {key: self._left(key, outs) for key, outs in wanted.items()}
        super()._spread({key: outs for key, outs in left.items() if outs}, priority)

    def _left(self, key: Key, outs: list[NDArray]) -> list[NDArray]:
        """Which arrays do not get the value of a key together with what is under way for it."""
        portion = self._last.get(key)
        if portion is None:
            return outs
        return [out for out in outs if out.stype != "default" or not portion.also(key, out)]

    # Devices -------------------------------------------------------------------------------------

    def _home(self, values: list[NDArray]) -> Context:
        """The GPU of a dense array on one, so that it is exchanged from device to device."""
        dense = (v.context for v in values if v.stype == "default")
        return next((context for context in dense if context.device_type == "gpu"), cpu(0))

    def _bring_home(self, groups: Groups) -> None:
        """Moves values to the GPU where their gradients come from, for the first of these."""
        for key, values in groups.items():
            stored = self._values[key]
            if stored.context.device_type == "gpu" or stored.stype != "default":
                continue
            home = self._home(values)
            if home.device_type == "gpu":
                self._values[key] = stored.as_in_context(home)
                if isinstance(self.updater, Updater):
                    self.updater.states_synced[key] = False

    # Who does what -------------------------------------------------------------------------------

    @property
    def compression(self) -> TwoBitCompression | None:
        """What every pushed dense array goes through; a call of all workers sets it."""
        return self._compression

    @compression.setter
    def compression(self, compression: TwoBitCompression | None) -> None:
        states = None
        if self._plan is not None and isinstance(self.updater, Updater):
            states = self.get_states(dump_optimizer=False)
        self._compression, self._plan = compression, None
        if states is not None:  # which now may be others' business
            self.set_states(states)

    def _current_plan(self) -> Plan:
        """Who owns what; decided anew for a new updater, which has no states yet."""
        if self._plan is None or self._plan.updater is not self.updater:
            self._plan = Plan(self.updater, self.compression, self.links.size)
            self._plan.place(self._values)
        return self._plan

    def _dense_shares(self, key: Key, shape: tuple[int, ...]) -> list[Share]:
        return self._current_plan().shares(key, shape, self.rank)

    def _update_name(self) -> str:
        if self.compression is None:
            return super()._update_name()
        return f"{super()._update_name()}, threshold: {self.compression.threshold:g}"

    def _init_dense(self, values: dict[Key, NDArray]) -> None:
        super()._init_dense(values)
        if self._plan is not None:
            self._plan.place(values)

    # States of the optimizer ---------------------------------------------------------------------

    def get_states(self, dump_optimizer: bool) -> bytes:
        """The states of the optimizer, which are with the owners, and on demand the optimizer."""
        self._own_updater("save")
        plan = self._current_plan()
        with self.owner.changed:
            self.owner.wait_for(self.lane.n_calls)
        plan.report()
        return super().get_states(dump_optimizer)

    def _take_states(self, states: bytes) -> None:
        super()._take_states(states)
        self._current_plan().begin_anew()
