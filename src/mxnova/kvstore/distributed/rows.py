# SPDX-License-Identifier: Apache-2.0
"""Sums of rows over ranks, of which only those that are stored travel."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.op.sparse.storage import RowSparse
from ..keys import Key
from .dense import Part
from .layout import Share
from .links import Links

__all__ = ["check_rows", "own_sums", "rows_of", "within"]


def rows_of(share: Share, shape: Sequence[int]) -> tuple[int, int]:
    """The first row of a share, and the one beyond its last."""
    width = max(math.prod(shape[1:]), 1)
    return share.start // width, share.stop // width


def within(indices: Tensor, share: Share, shape: Sequence[int]) -> slice:
    """Where the rows of a share stand among `indices`, which rise."""
    bounds = torch.tensor(rows_of(share, shape), dtype=indices.dtype)
    start, stop = torch.searchsorted(indices, bounds).tolist()
    return slice(start, stop)


def own_sums(
    links: Links, totals: dict[Key, RowSparse], shares: dict[Key, list[Share]]
) -> list[tuple[Part, RowSparse]]:
    """The sums over ranks of the rows that this rank owns, counted from the start of its share.

    Args:
        links: to the other ranks.
        totals: what this rank pushes, by key; rows rise.
        shares: of each key, made of whole rows.
    """
    parts = [Part(key, share) for key in totals for share in shares[key]]
    mine = [part for part in parts if part.share.owner == links.rank]
    sent: dict[int, list[RowSparse]] = {rank: [] for rank in range(links.size)}
    for part in parts:
        sent[part.share.owner].append(_cut(totals[part.key], part.share))
    received = {links.rank: sent.pop(links.rank)}
    if links.peers:
        received |= _exchanged(links, sent, [(totals[p.key], p.share) for p in mine])
    return [
        (part, _summed([received[rank][at] for rank in range(links.size)], part.share))
        for at, part in enumerate(mine)
    ]


def _cut(total: RowSparse, share: Share) -> RowSparse:
    where = within(total.indices, share, total.shape)
    start = rows_of(share, total.shape)[0]
    indices = total.indices[where].long() - start
    return RowSparse(total.data[where].contiguous(), indices, share.shape)


def _exchanged(
    links: Links, sent: dict[int, list[RowSparse]], mine: list[tuple[RowSparse, Share]]
) -> dict[int, list[RowSparse]]:
    """What the others have of `mine`, for what they get."""
    counts = {peer: [torch.tensor([len(r.indices) for r in rows])] for peer, rows in sent.items()}
    theirs = {peer: [torch.zeros(len(mine), dtype=torch.int64)] for peer in links.peers}
    links.exchange("push", links.next_tag(), counts, theirs)
    rooms = {peer: _rooms(links, peer, mine, n.tolist()) for peer, (n,) in theirs.items()}
    links.exchange(
        "push",
        links.next_tag(),
        {peer: [t for r in rows for t in (r.indices, r.data)] for peer, rows in sent.items()},
        {peer: [t for r in rows for t in (r.indices, r.data)] for peer, rows in rooms.items()},
    )
    for peer, rows in rooms.items():
        if not all(_are_in(row.indices, row.shape[0]) for row in rows):
            raise links.faults.of(peer, ValueError("it sent rows that do not exist"))
    return rooms


def _rooms(
    links: Links, peer: int, mine: list[tuple[RowSparse, Share]], counts: list[int]
) -> list[RowSparse]:
    rooms = []
    for (total, share), count in zip(mine, counts, strict=True):
        if not 0 <= count <= share.shape[0]:
            raise links.faults.of(peer, ValueError(f"it announced {count} rows"))
        data = total.data.new_empty((count, *share.shape[1:]))
        rooms.append(RowSparse(data, torch.empty(count, dtype=torch.int64), share.shape))
    return rooms


def _are_in(indices: Tensor, n_rows: int) -> bool:
    return not len(indices) or 0 <= int(indices.min()) <= int(indices.max()) < n_rows


def _summed(rows: Sequence[RowSparse], share: Share) -> RowSparse:
    indices = torch.cat([each.indices for each in rows])
    return RowSparse.of_rows(indices, torch.cat([each.data for each in rows]), share.shape)


def check_rows(key: Key, rows: Tensor, n_rows: int) -> None:
    """Raises MXNetError where there are not all of `rows`."""
    if not _are_in(rows, n_rows):
        raise MXNetError(f"KVStore: rows of key {key!r}: there are {n_rows}")
