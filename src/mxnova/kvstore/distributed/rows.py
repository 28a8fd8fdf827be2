# SPDX-License-Identifier: Apache-2.0
"""Rows of row_sparse values: by shard, and as ranks ask their owners for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...core.op.sparse.storage import RowSparse
from ..keys import Key
from .connections import Connections, Request
from .peer import Meta
from .server import Server
from .sharding import Shard, Sharding

__all__ = ["RowRequests", "empty_rows", "slice_rows"]


class RowRequests:
    """What workers ask of each other's rows.

    Args:
        connections: that carry the questions.
        server: of the shards that live here.
        sharding: of row_sparse values.
    """

    def __init__(self, connections: Connections, server: Server, sharding: Sharding) -> None:
        self._connections, self._server, self._sharding = connections, server, sharding
        connections.serve("rows", self._answer, self._room)

    def ask(self, key: Key, value: RowSparse, rows: Tensor | None = None) -> tuple[bool, RowSparse]:
        """Rows of a value, from their owners.

        Args:
            key: of the value.
            value: of its shape and element type.
            rows: numbers of the rows that are wanted, which rise; default: all that are stored.

        Returns:
            Whether any owner that was asked stores any rows, and the rows.
        """
        futures = {}
        for shard in self._sharding.shards(key, tuple(value.shape)):
            start = rows_of(shard, value.shape)[0]
            message, tensors = {"op": "rows", "key": key, "n": None}, []
            if rows is not None:
                tensors = [rows[within(rows, shard, value.shape)] - start]
                message["n"] = len(tensors[0])
            if message["n"] != 0:

                def buffers(_rank: int, answer: Meta) -> Sequence[Tensor]:
                    room = empty_rows(value, answer["n"])
                    return room.indices, room.data

                futures[start] = self._connections.ask(shard.owner, message, tensors, buffers)
        answers = {start: future.result() for start, future in futures.items()}
        pieces = [value.data.new_empty((0, *value.shape[1:]), device="cpu")]
        indices = [torch.empty(0, dtype=torch.int64)]
        for start, (_, (numbers, data)) in answers.items():
            indices.append(numbers + start)
            pieces.append(data)
        record = RowSparse(torch.cat(pieces), torch.cat(indices), tuple(value.shape))
        return any(answer["stored"] for answer, _ in answers.values()), record

    def _room(self, _rank: int, message: Meta) -> Sequence[Tensor]:
        n, n_rows = message["n"], self._server.stored(message["key"]).shape[0]
        if n is None:
            return ()
        if not 0 < n <= n_rows:
            raise ValueError(f"a request for {n} of {n_rows} rows")
        return [torch.empty(n, dtype=torch.int64)]

    def _answer(self, request: Request) -> None:
        with self._server.lock:
            record: Any = self._server.stored(request.message["key"])
            stored = bool(len(record.indices))
            indices, data = record.indices.long(), record.data
            for rows in request.tensors:
                if not 0 <= int(rows.min()) <= int(rows.max()) < record.shape[0]:
                    raise ValueError("it asked for rows that do not exist")
                indices, data = rows, record.take(rows)
            data = data.clone(memory_format=torch.contiguous_format)
        request.answer({"n": len(indices), "stored": stored}, [indices, data])


def rows_of(shard: Shard, shape: Sequence[int]) -> tuple[int, int]:
    """The first row of a shard, and the one beyond its last."""
    width = max(math.prod(shape[1:]), 1)
    return shard.start // width, shard.stop // width


def within(indices: Tensor, shard: Shard, shape: Sequence[int]) -> slice:
    """Where the rows of a shard stand among `indices`, which rise."""
    bounds = torch.tensor(rows_of(shard, shape), dtype=indices.dtype)
    start, stop = torch.searchsorted(indices, bounds).tolist()
    return slice(start, stop)


def slice_rows(record: RowSparse, shard: Shard) -> RowSparse:
    """The rows of a shard, counted from its start.

    Args:
        record: of the whole value; its rows rise.
        shard: made of whole rows.
    """
    where = within(record.indices, shard, record.shape)
    first, last = rows_of(shard, record.shape)
    indices = record.indices[where].long() - first
    shape = (last - first, *record.shape[1:])
    return RowSparse(record.data[where].contiguous(), indices, shape)


def empty_rows(record: RowSparse, n: int) -> RowSparse:
    """Room for `n` rows of a value like `record`.

    Raises:
        ValueError: it has not so many.
    """
    if not 0 <= n <= record.shape[0]:
        raise ValueError(f"{n} of {record.shape[0]} rows")
    data = record.data.new_empty((n, *record.shape[1:]), device="cpu")
    return RowSparse(data, torch.empty(n, dtype=torch.int64), tuple(record.shape))
