# SPDX-License-Identifier: Apache-2.0
"""RowRequests: rows of row_sparse values, asked of the owners of their shards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ...core.op.sparse.storage import RowSparse
from ..keys import Key
from .connections import Meta
from .requests import Request, Requests
from .rows import empty_rows, rows_of, within
from .server import Server
from .sharding import Sharding

__all__ = ["RowRequests"]


class RowRequests:
    """What workers ask of each other's rows.

    Args:
        requests: that carry the questions.
        server: of the shards that live here.
        sharding: of row_sparse values.
    """

    def __init__(self, requests: Requests, server: Server, sharding: Sharding) -> None:
        self._requests, self._server, self._sharding = requests, server, sharding
        requests.serve("rows", self._answer, self._room)

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

                futures[start] = self._requests.ask(shard.owner, message, tensors, buffers)
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
