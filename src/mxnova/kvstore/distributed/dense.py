# SPDX-License-Identifier: Apache-2.0
"""Dense sums over ranks: each share goes to its owner, who hands on what becomes of it.

That is a reduce-scatter and an all-gather: with n ranks, each sends about 2 (n - 1) / n of the
bytes of all values. Small shares travel together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..compression import Levels
from ..keys import Key
from .layout import Layout, Share
from .links import Links
from .parcels import Rooms, packed, unpacked

__all__ = ["BUCKET", "Bucket", "Gathering", "Part", "Summing", "added_up", "buckets", "sums_of_all"]

_FEW = 2  # ranks for whom all codes to all are fewer bits than each to its owner, and sums back
BUCKET = 4 << 20  # bytes of small values that are summed up and updated together


class Part(NamedTuple):
    """A share of a key, with the share's elements of some tensor."""

    key: Key
    share: Share

    def of(self, tensor: Tensor) -> Tensor:
        """The elements, in one row."""
        return tensor.view(-1)[self.share.start : self.share.stop]


class Bucket:
    """Keys of one element type that are exchanged together.

    Attributes:
        keys: in the order of the call.
        parts: for each rank, what it owns.
    """

    def __init__(self, keys: Sequence[Key], layout: Layout, tensors: dict[Key, Tensor]) -> None:
        self.keys = keys
        self.parts: dict[int, list[Part]] = {}
        for key in keys:
            for share in layout.shares(key, tuple(tensors[key].shape)):
                self.parts.setdefault(share.owner, []).append(Part(key, share))

    def of(self, rank: int, tensors: dict[Key, Tensor]) -> list[Tensor]:
        """What rank `rank` owns of some tensors."""
        return [part.of(tensors[part.key]) for part in self.parts.get(rank, ())]


def buckets(layout: Layout, tensors: dict[Key, Tensor]) -> Iterator[Bucket]:
    """Tensors of keys in portions of about `BUCKET` bytes."""
    by_type: dict[torch.dtype, list[Key]] = {}
    for key, tensor in tensors.items():
        by_type.setdefault(tensor.dtype, []).append(key)
    for keys in by_type.values():
        taken: list[Key] = []
        n_bytes = 0
        for key in keys:
            taken.append(key)
            n_bytes += tensors[key].nbytes
            if n_bytes >= BUCKET:
                yield Bucket(taken, layout, tensors)
                taken, n_bytes = [], 0
        if taken:
            yield Bucket(taken, layout, tensors)


class Summing:
    """The way of gradients to the owners of their keys, begun.

    Args:
        links: to the other ranks.
        bucket: the keys.
        gradients: of the keys; contiguous, unchanged until `totals` has returned.
        levels: that `gradients` consist of, in whose code they are sent; None: as they are.
    """

    def __init__(
        self,
        links: Links,
        bucket: Bucket,
        gradients: dict[Key, Tensor],
        levels: Levels | None = None,
    ) -> None:
        self._links, self._levels = links, levels
        self._pieces = bucket.of(links.rank, gradients)
        self._parts = bucket.parts.get(links.rank, [])
        self._mine = packed(self._pieces)
        outgoing = {p: coded(levels, packed(bucket.of(p, gradients))) for p in links.peers}
        self._received = {peer: rooms_for(levels, self._mine) for peer in links.peers}
        self._transfer = links.begin("push", outgoing, self._received)

    def totals(self) -> list[tuple[Part, Tensor]]:
        """The sums of what this rank owns, in the shape of the shares; added up by rank."""
        self._transfer.wait()
        sums = [self._sum(at, own) for at, own in enumerate(self._mine)]
        pieces = unpacked(sums, self._pieces)
        return [(p, t.view(p.share.shape)) for p, t in zip(self._parts, pieces, strict=True)]

    def _sum(self, at: int, own: Tensor) -> Tensor:
        rank = self._links.rank
        terms = [
            own if other == rank else self._read(other, at, own)
            for other in range(self._links.size)
        ]
        return added_up(terms, out=_first_received(terms, own))

    def _read(self, peer: int, at: int, like: Tensor) -> Tensor:
        return decoded(self._links, self._levels, peer, self._received[peer][at], like)


def added_up(terms: Sequence[Tensor], out: Tensor | None = None) -> Tensor:
    """The sum of what ranks have, in their order.

    Args:
        terms: of each rank; of one alone it is the sum itself.
        out: where the sum goes, one of the first two terms; None: into memory of its own.
    """
    if len(terms) == 1:
        return terms[0]
    total = torch.add(terms[0], terms[1], out=out)
    for term in terms[2:]:
        total += term
    return total


def _first_received(terms: Sequence[Tensor], own: Tensor) -> Tensor | None:
    """The first term that is not this rank's own, which must stay as it is."""
    return next((term for term in terms if term is not own), None)


def coded(levels: Levels | None, messages: list[Tensor]) -> list[Tensor]:
    """Messages as they are sent."""
    return messages if levels is None else [levels.encoded(message) for message in messages]


def rooms_for(levels: Levels | None, messages: Sequence[Tensor]) -> list[Tensor]:
    """Tensors for messages of these sizes, as they are sent: codes may be shorter."""
    if levels is None:
        return [torch.empty_like(message) for message in messages]
    n_bytes = [levels.n_bytes(message.numel()) for message in messages]
    return [m.new_empty(n, dtype=torch.uint8) for m, n in zip(messages, n_bytes, strict=True)]


def decoded(
    links: Links, levels: Levels | None, peer: int, received: Tensor, like: Tensor
) -> Tensor:
    """What a message of a rank, as it was sent, is.

    Raises:
        MXNetError: it is no code.
    """
    if levels is None:
        return received
    try:
        return levels.decoded(received, like.numel())
    except ValueError as error:
        raise links.faults.of(peer, error) from None


class Gathering:
    """The way of what owners have updated to all ranks, begun.

    Args:
        links: to the other ranks.
        bucket: the keys.
        values: of the keys; their shares of other ranks are written until `finish` has returned,
            and this rank's only read.
    """

    def __init__(self, links: Links, bucket: Bucket, values: dict[Key, Tensor]) -> None:
        mine = packed(bucket.of(links.rank, values))
        self._rooms = {peer: Rooms(bucket.of(peer, values)) for peer in links.peers}
        incoming = {peer: rooms.messages for peer, rooms in self._rooms.items()}
        self._transfer = links.begin("pull", links.to_all(mine), incoming)

    def finish(self) -> None:
        """Returns when all values are there."""
        self._transfer.wait()
        for rooms in self._rooms.values():
            rooms.settle()


# Sums that every rank gets ------------------------------------------------------------------------


def sums_of_all(
    links: Links, bucket: Bucket, gradients: dict[Key, Tensor], levels: Levels | None
) -> Callable[[], dict[Key, Tensor]]:
    """Begins to sum up; the result waits for the sums of whole keys.

    Args:
        links: to the other ranks.
        bucket: the keys, and who sums up what.
        gradients: of the keys; contiguous, unchanged until the sums are there.
        levels: that `gradients` consist of; None: they are as they are.
    """
    if levels is not None and links.size <= _FEW:
        return _exchanged(links, bucket, gradients, levels)
    summing = Summing(links, bucket, gradients, levels)

    def finish() -> dict[Key, Tensor]:
        sums = {key: torch.empty_like(gradient) for key, gradient in gradients.items()}
        for part, total in summing.totals():
            part.of(sums[part.key]).copy_(total.view(-1))
        if levels is None:
            Gathering(links, bucket, sums).finish()
        else:
            _gather(links, bucket, sums, levels.of_sums(links.size))
        return sums

    return finish


def _exchanged(
    links: Links, bucket: Bucket, gradients: dict[Key, Tensor], levels: Levels
) -> Callable[[], dict[Key, Tensor]]:
    flat = [gradients[key].view(-1) for key in bucket.keys]
    mine = packed(flat)
    received = {peer: rooms_for(levels, mine) for peer in links.peers}
    transfer = links.begin("push", links.to_all(coded(levels, mine)), received)

    def finish() -> dict[Key, Tensor]:
        transfer.wait()
        sums = []
        for at, own in enumerate(mine):
            terms = {p: decoded(links, levels, p, m[at], own) for p, m in received.items()}
            terms[links.rank] = own
            in_order = [terms[rank] for rank in range(links.size)]
            sums.append(added_up(in_order, out=_first_received(in_order, own)))
        pieces = zip(bucket.keys, unpacked(sums, flat), strict=True)
        return {key: piece.view(gradients[key].shape) for key, piece in pieces}

    return finish


def _gather(links: Links, bucket: Bucket, sums: dict[Key, Tensor], levels: Levels) -> None:
    """Has all ranks get the sums of owners, and owners what the others get."""
    pieces = {rank: bucket.of(rank, sums) for rank in range(links.size)}
    messages = {rank: packed(of_rank) for rank, of_rank in pieces.items()}
    codes = {peer: rooms_for(levels, messages[peer]) for peer in links.peers}
    mine = coded(levels, messages[links.rank])
    links.begin("pull", links.to_all(mine), codes).wait()
    for rank, received in (codes | {links.rank: mine}).items():
        sent = zip(received, messages[rank], strict=True)
        whole = [decoded(links, levels, rank, code, like) for code, like in sent]
        for piece, value in zip(pieces[rank], unpacked(whole, pieces[rank]), strict=True):
            piece.copy_(value)
