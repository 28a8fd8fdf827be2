# SPDX-License-Identifier: Apache-2.0
"""Dense sums over ranks: each share goes to its owner, who hands on what becomes of it.

That is a reduce-scatter and an all-gather: with n ranks, each sends about 2 (n - 1) / n of the
bytes of all values. Small shares travel together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ..compression import TwoBitCompression
from ..keys import Key
from .layout import Layout, Share
from .links import Links, Transfer
from .parcels import Rooms, packed, unpacked

__all__ = ["Bucket", "Gathering", "Part", "Summing", "buckets"]

_BUCKET = 4 << 20  # bytes of small values that are summed up and updated together


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
    """Tensors of keys in portions of about `_BUCKET` bytes."""
    by_type: dict[torch.dtype, list[Key]] = {}
    for key, tensor in tensors.items():
        by_type.setdefault(tensor.dtype, []).append(key)
    for keys in by_type.values():
        taken: list[Key] = []
        n_bytes = 0
        for key in keys:
            taken.append(key)
            n_bytes += tensors[key].nbytes
            if n_bytes >= _BUCKET:
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
        codec: what `gradients` have gone through, in whose code they are sent; None: no one.
    """

    def __init__(
        self,
        links: Links,
        bucket: Bucket,
        gradients: dict[Key, Tensor],
        codec: TwoBitCompression | None = None,
    ) -> None:
        self._links, self._codec = links, codec
        self._pieces = bucket.of(links.rank, gradients)
        self._parts = bucket.parts.get(links.rank, [])
        self._mine = packed(self._pieces)
        outgoing = {p: self._coded(packed(bucket.of(p, gradients))) for p in links.peers}
        self._received = {
            peer: [self._room(message) for message in self._mine] for peer in links.peers
        }
        self._transfer: Transfer | None = None
        if links.peers:
            tag = links.next_tag()
            self._transfer = links.post("push", tag, outgoing, self._received)

    def _coded(self, messages: list[Tensor]) -> list[Tensor]:
        codec = self._codec
        return messages if codec is None else [codec.encoded(message) for message in messages]

    def _room(self, message: Tensor) -> Tensor:
        if self._codec is None:
            return torch.empty_like(message)
        return torch.empty(self._codec.n_bytes(message.numel()), dtype=torch.uint8)

    def totals(self) -> Iterable[tuple[Part, Tensor]]:
        """The sums of what this rank owns, in the shape of the shares; added up by rank."""
        if self._transfer is not None:
            self._transfer.wait()
        sums = [self._sum(at, own) for at, own in enumerate(self._mine)]
        pieces = unpacked(sums, self._pieces)
        return [(p, t.view(p.share.shape)) for p, t in zip(self._parts, pieces, strict=True)]

    def _sum(self, at: int, own: Tensor) -> Tensor:
        terms = [self._term(rank, at) for rank in range(self._links.size)]
        if len(terms) == 1:
            return own
        total = torch.add(terms[0], terms[1], out=terms[1] if terms[0] is own else terms[0])
        for term in terms[2:]:
            total += term
        return total

    def _term(self, rank: int, at: int) -> Tensor:
        own = self._mine[at]
        if rank == self._links.rank:
            return own
        message = self._received[rank][at]
        return message if self._codec is None else self._codec.decoded(message, own.numel())


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
        self._transfer = links.post("pull", links.next_tag(), links.to_all(mine), incoming)

    def finish(self) -> None:
        """Returns when all values are there."""
        self._transfer.wait()
        for rooms in self._rooms.values():
            rooms.settle()
