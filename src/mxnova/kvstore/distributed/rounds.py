# SPDX-License-Identifier: Apache-2.0
"""Rounds: what becomes of pushed values in the lane: summed up, updated, handed on to all ranks.

All sums of a round are under way before the first is waited for; what owners hand on is awaited by
another thread, so that later updates need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from torch import Tensor

from ...core.nd.array import NDArray
from ...core.nd.wrapping import receive, wrap, wrap_value
from ..keys import Key
from .agreement import ROOM, Agreed
from .dense import BUCKET, Bucket, Gathering, Part, Summing, added_up, sums_of_all
from .lane import Action, Call
from .layout import Share
from .links import Links
from .owner import Owner
from .plan import whole
from .portion import Contribution, Portion
from .rows import own_sums
from .worker import Worker

__all__ = ["Rounds"]

_AT_ONCE = 1 << 16  # bytes that take longer to be left to another thread than to come
_ALIGNED = 8  # bytes: where tensors of any type may begin

Totals = Sequence["tuple[Part, Any]"]


class Rounds:
    """Does what calls are about, in the thread of the lane.

    Args:
        links: to the other ranks.
        owner: of the shares of row_sparse values that live here.
        row_shares: tells who owns the rows of a row_sparse value.
        contribution: makes of what is pushed for a key what this rank contributes.
    """

    def __init__(
        self,
        links: Links,
        owner: Owner,
        row_shares: Callable[[Key, tuple[int, ...]], list[Share]],
        contribution: Contribution,
    ) -> None:
        self._links, self._owner, self._row_shares = links, owner, row_shares
        self._contribution = contribution
        self._deliveries = Worker("mxnova delivery")

    def close(self, patience: float | None) -> None:
        """Returns when everything is handed out, or after `patience` seconds."""
        self._deliveries.join(patience)

    # What travels with the question --------------------------------------------------------------

    def along(self, calls: Sequence[Call]) -> Iterator[tuple[int, Tensor]]:
        """The gradients of small calls, the first that fit, and where each is put."""
        start = 0
        for call in calls if self._links.peers else ():
            for portion in call.parts if len(call.parts) == 1 else ():
                if not (isinstance(portion, Portion) and portion.may_go_along):
                    continue
                *places, end = _places(portion, start)
                portion.places = places if end <= ROOM else None
                if portion.places is None:
                    continue
                start = end
                yield from zip(places, self._gradients(portion).values(), strict=True)

    def _gradients(self, portion: Portion) -> dict[Key, Any]:
        return portion.gradients(self._contribution)

    # What is done --------------------------------------------------------------------------------

    def run(self, calls: Sequence[Call], agreed: Agreed) -> None:
        """Does what the calls are about, what has the highest priority first.

        Actions come last: their callers wait, and have called nothing since.
        """
        parts = [part for call in _by_priority(calls) for part in call.parts]
        units = [self._begun(unit, agreed) for unit in _units(parts)]
        for finish in units:
            finish()
        for part in parts:
            if isinstance(part, Action):
                part.act()
                part.settle()

    def _begun(self, unit: list[Portion], agreed: Agreed) -> Callable[[], None]:
        """Sends what a unit has to send; what waits for the rest, and does it."""
        first = unit[0]
        if first.rows:
            return lambda: self._do_rows(first)
        if first.places is not None:
            return lambda: self._do_small(unit, agreed)
        gradients = {key: g for portion in unit for key, g in self._gradients(portion).items()}
        bucket = Bucket(list(gradients), first.plan.layout, gradients)
        levels = None if first.plan.compression is None else first.plan.compression.levels
        if first.plan.everywhere:
            sums = sums_of_all(self._links, bucket, gradients, levels)
            return lambda: self._update_everywhere(unit, sums())
        summing = Summing(self._links, bucket, gradients, levels)
        return lambda: self._update_own(unit, bucket, summing.totals())

    def _do_small(self, unit: list[Portion], agreed: Agreed) -> None:
        """Adds up what came along with the question."""
        rank = self._links.rank
        sums = {}
        for portion in unit:
            for (key, gradient), start in zip(
                self._gradients(portion).items(), portion.places or (), strict=True
            ):
                terms = agreed.along(start, gradient.view(-1))  # overwritten by the next round
                sums[key] = added_up(terms).view(gradient.shape)
        plan = unit[0].plan
        if plan.everywhere or plan.updater is None:
            self._update_everywhere(unit, sums)
            return
        bucket = Bucket(list(sums), plan.layout, sums)
        own = bucket.parts.get(rank, ())
        totals = [(part, part.of(sums[part.key]).view(part.share.shape)) for part in own]
        self._update_own(unit, bucket, totals)

    def _do_rows(self, portion: Portion) -> None:
        shares = {key: self._shares_of_rows(portion, key) for key in portion.values}
        sums = own_sums(self._links, self._gradients(portion), shares)
        values = portion.values
        self._apply([portion], sums)
        tensors = {k: v._raw for k, v in values.items() if v.stype != "row_sparse"}
        if tensors and not portion.plan.everywhere:
            bucket = Bucket(list(tensors), portion.plan.layout, tensors)
            Gathering(self._links, bucket, tensors).finish()
        portion.hand_out()

    def _shares_of_rows(self, portion: Portion, key: Key) -> list[Share]:
        value = portion.values[key]
        if value.stype == "row_sparse":
            return self._row_shares(key, value.shape)
        if portion.plan.everywhere:
            return [whole(rank, value.shape) for rank in range(self._links.size)]
        return portion.plan.layout.shares(key, value.shape)

    # Updates -------------------------------------------------------------------------------------

    def _update_everywhere(self, unit: list[Portion], sums: dict[Key, Tensor]) -> None:
        rank = self._links.rank
        totals = [(Part(key, whole(rank, tuple(t.shape))), t) for key, t in sums.items()]
        self._apply(unit, totals)
        _hand_out(unit)

    def _update_own(self, unit: list[Portion], bucket: Bucket, totals: Totals) -> None:
        self._apply(unit, totals)
        if not self._links.peers:
            _hand_out(unit)
            return
        values = {key: value._raw for portion in unit for key, value in portion.values.items()}
        gathering = Gathering(self._links, bucket, values)

        def deliver() -> None:
            try:
                gathering.finish()
            except BaseException as error:  # noqa: BLE001 - for those who wait
                for portion in unit:
                    portion.settle(error)
            else:
                _hand_out(unit)

        if sum(portion.n_bytes for portion in unit) < _AT_ONCE:
            deliver()
        else:
            self._deliveries.do(deliver)

    def _apply(self, unit: Sequence[Portion], totals: Totals) -> None:
        """Updates what this rank has of values with sums, each as its call has said."""
        for portion in unit:
            own = [(part, total) for part, total in totals if part.key in portion.values]
            if own:
                with self._owner.changed:
                    self._update(portion, own)
        updated = {part.key for part, _ in totals}
        others = [key for portion in unit for key in portion.values if key not in updated]
        unit[0].plan.count(others)

    def _update(self, portion: Portion, totals: Totals) -> None:
        shares = [self._share(portion.values[part.key], part) for part, _ in totals]
        if portion.plan.updater is None:
            for (_, total), share in zip(totals, shares, strict=True):
                receive(share, total, "KVStore.push", owned=True)
            return
        updates = [
            (part.key, wrap_value(total, share.context), share)
            for (part, total), share in zip(totals, shares, strict=True)
        ]
        pieces = [share._raw for share in shares]
        portion.plan.update(updates, portion.settings)
        for (part, _), share, piece in zip(totals, shares, pieces, strict=True):
            if share._raw is not piece and share.stype == "default":
                _replace(portion.values[part.key], part, share._raw)

    def _share(self, value: NDArray, part: Part) -> NDArray:
        """A share of a value as an array that nobody waits for."""
        if value.stype == "row_sparse":
            return self._owner.share(part.key)
        return wrap(part.of(value._raw).view(part.share.shape), value.context, type(value))


def _replace(value: NDArray, part: Part, share: Tensor) -> None:
    """Puts a share into a value, where an optimizer has left it in other memory."""
    if part.share.shape == value.shape:
        value._raw = share
    else:
        part.of(value._raw).copy_(share.view(-1))


def _hand_out(unit: Sequence[Portion]) -> None:
    for portion in unit:
        portion.hand_out()


def _by_priority(calls: Sequence[Call]) -> Sequence[Call]:
    return sorted(calls, key=lambda call: -call.priority)


def _units(parts: Sequence[Any]) -> Iterator[list[Portion]]:
    """Portions that follow each other in buckets; those of rows alone."""
    portions = (part for part in parts if isinstance(part, Portion))
    for (_, rows), group in groupby(portions, lambda p: ((p.kind, p.places is None), p.rows)):
        unit: list[Portion] = []
        for portion in group:
            unit.append(portion)
            if rows or sum(p.n_bytes for p in unit) >= BUCKET:
                yield unit
                unit = []
        if unit:
            yield unit


def _places(portion: Portion, start: int) -> list[int]:
    """Where its values stand when the first is at `start`, and where the next one may."""
    places = [start]
    for value in portion.values.values():
        places.append(places[-1] + -(-value._raw.nbytes // _ALIGNED) * _ALIGNED)
    return places
