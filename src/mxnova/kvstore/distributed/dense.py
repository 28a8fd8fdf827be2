# SPDX-License-Identifier: Apache-2.0
"""Dense sums over ranks: each share goes to its owner, who hands on what becomes of it.

That is a reduce-scatter and an all-gather: with n ranks, each sends about 2 (n - 1) / n of the
bytes of all values. Small shares travel together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..keys import Key
from .layout import Layout, Share
from .links import Links, Transfer

__all__ = ["Bucket", "Gathering", "Part", "Summing", "buckets"]

_BUCKET = 4 << 20  # bytes of small values that are summed up and updated together
_SMALL = 1 << 16  # bytes of a share that is copied to travel with others


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


def _packed(pieces: Sequence[Tensor]) -> list[Tensor]:
    """Pieces as messages: small ones in one."""
    small = [piece for piece in pieces if piece.nbytes < _SMALL]
    large = [piece for piece in pieces if piece.nbytes >= _SMALL]
    return [*large, torch.cat(small)] if len(small) > 1 else [*large, *small]


def _unpacked(messages: Sequence[Tensor], pieces: Sequence[Tensor]) -> list[Tensor]:
    """What is in messages, for each of the pieces that `_packed` would have made such of."""
    large = iter(messages)
    n_large = sum(piece.nbytes >= _SMALL for piece in pieces)
    sizes = [piece.numel() for piece in pieces if piece.nbytes < _SMALL]
    small = iter(messages[n_large].split(sizes) if sizes else ())
    return [next(large if piece.nbytes >= _SMALL else small) for piece in pieces]


class Summing:
    """The way of gradients to the owners of their keys, begun.

    Args:
        links: to the other ranks.
        bucket: the keys.
        gradients: of the keys; contiguous, unchanged until `totals` has returned.
        codec: what makes messages shorter; None: they are sent as they are.
    """

    def __init__(
        self, links: Links, bucket: Bucket, gradients: dict[Key, Tensor], codec: Any = None
    ) -> None:
        self._links, self._codec = links, codec
        self._pieces = bucket.of(links.rank, gradients)
        self._parts = bucket.parts.get(links.rank, [])
        self._mine = _packed(self._pieces)
        outgoing = {p: self._coded(_packed(bucket.of(p, gradients))) for p in links.peers}
        self._received = {
            peer: [self._room(message) for message in self._mine] for peer in links.peers
        }
        self._transfer: Transfer | None = None
        if links.peers:
            tag = links.next_tag()
            self._transfer = links.post("push", tag, outgoing, self._received)

    def _coded(self, messages: list[Tensor]) -> list[Tensor]:
        return messages if self._codec is None else [self._codec.coded(m) for m in messages]

    def _room(self, message: Tensor) -> Tensor:
        if self._codec is None:
            return torch.empty_like(message)
        return torch.empty(self._codec.n_bytes(message), dtype=torch.uint8)

    def totals(self) -> Iterable[tuple[Part, Tensor]]:
        """The sums of what this rank owns, in the shape of the shares; added up by rank."""
        if self._transfer is not None:
            self._transfer.wait()
        sums = [self._sum(at, own) for at, own in enumerate(self._mine)]
        pieces = _unpacked(sums, self._pieces)
        return [(p, t.view(p.share.shape)) for p, t in zip(self._parts, pieces, strict=True)]

    def _sum(self, at: int, own: Tensor) -> Tensor:
        terms = []
        for rank in range(self._links.size):
            message = own if rank == self._links.rank else self._received[rank][at]
            is_coded = self._codec is not None and message is not own
            terms.append(self._codec.decoded(message, own) if is_coded else message)
        if len(terms) == 1:
            return own
        total = torch.add(terms[0], terms[1], out=terms[1] if terms[0] is own else terms[0])
        for term in terms[2:]:
            total += term
        return total


class Gathering:
    """The way of what owners have updated to all ranks, begun.

    Args:
        links: to the other ranks.
        bucket: the keys.
        values: of the keys; their shares of other ranks are written until `finish` has returned,
            and this rank's only read.
    """

    def __init__(self, links: Links, bucket: Bucket, values: dict[Key, Tensor]) -> None:
        mine = _packed(bucket.of(links.rank, values))
        self._copies: list[tuple[Tensor, Tensor]] = []
        incoming = {peer: self._rooms(bucket.of(peer, values)) for peer in links.peers}
        outgoing = links.to_all(mine)
        self._transfer = links.post("pull", links.next_tag(), outgoing, incoming)

    def _rooms(self, pieces: Sequence[Tensor]) -> list[Tensor]:
        """Large pieces themselves, and one room for the small ones."""
        small = [piece for piece in pieces if piece.nbytes < _SMALL]
        rooms = [piece for piece in pieces if piece.nbytes >= _SMALL]
        if len(small) == 1:
            rooms.append(small[0])
        elif small:
            room = small[0].new_empty(sum(piece.numel() for piece in small))
            self._copies += zip(small, room.split([p.numel() for p in small]), strict=True)
            rooms.append(room)
        return rooms

    def finish(self) -> None:
        """Returns when all values are there."""
        self._transfer.wait()
        for piece, received in self._copies:
            piece.copy_(received)
