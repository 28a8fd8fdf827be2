# SPDX-License-Identifier: Apache-2.0
"""Requests: what one rank asks of another one, or of itself, and is answered at once or later."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import NamedTuple

from torch import Tensor

from ...core.base.errors import MXNetError
from .connections import Buffers, Connections, Handler, Meta, no_buffers

__all__ = ["Answer", "Request", "Requests"]

Answer = tuple[Meta, Sequence[Tensor]]
Reply = Callable[[Meta, Sequence[Tensor], float], None]


class Request:
    """What a rank has asked for.

    Attributes:
        rank: who asks.
        message, tensors: for what.
    """

    def __init__(
        self, rank: int, message: Meta, tensors: Sequence[Tensor], reply: Reply | None
    ) -> None:
        self.rank, self.message, self.tensors, self._reply = rank, message, tensors, reply

    def answer(
        self, message: Meta | None = None, tensors: Sequence[Tensor] = (), priority: float = 0
    ) -> None:
        """Answers, once, from any thread; not at all where nobody waits for it."""
        if self._reply is not None:
            self._reply(message or {}, tensors, priority)

    def refuse(self, reason: str) -> None:
        """Answers by an error."""
        self.answer({"error": reason[:2000]})

    @contextmanager
    def refusing(self, rank: int) -> Iterator[None]:
        """A block whose errors are told to who asks, as those of `rank`."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - an updater may raise anything
            self.refuse(f"KVStore: on worker {rank}: {type(error).__name__}: {error}")


class _Waiting(NamedTuple):
    """A request of this rank that is not answered.

    Attributes:
        rank: who is asked.
        what: for what that takes all ranks, in words; empty: it is answered at once.
        since: when, in seconds of `time.monotonic`.
    """

    rank: int
    what: str
    since: float
    buffers: Buffers
    future: Future[Answer]


class Requests:
    """Requests to all ranks, and answers to theirs.

    Args:
        connections: to the other ranks.

    Attributes:
        services: what handles requests, by ``op``.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections, self._faults = connections, connections.faults
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self.services: dict[str, Callable[[Request], None]] = {}
        self.handlers = {"answer": Handler(self._take_answer, self._answer_buffers)}
        self._faults.then(self._give_up)

    def serve(
        self, op: str, handle: Callable[[Request], None], buffers: Buffers = no_buffers
    ) -> None:
        """Has requests of a kind handled.

        Args:
            op: the kind.
            handle: takes each, and answers or refuses it at some time.
            buffers: takes (rank, message), gives the tensors that its bytes are received into.
        """

        def take(rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
            handle(Request(rank, message, tensors, self._reply_to(rank, message.get("id"))))

        self.services[op] = handle
        self.handlers[op] = Handler(take, buffers)

    def ask(
        self,
        rank: int,
        message: Meta,
        tensors: Sequence[Tensor] = (),
        buffers: Buffers = no_buffers,
        what: str = "",
        priority: float = 0,
    ) -> Future[Answer]:
        """Asks a rank, which may be this one: then nothing is copied and `buffers` not used.

        Args:
            rank: who is asked.
            message: with ``op``.
            tensors: that go with it.
            buffers: takes (rank, answer), gives the tensors that its bytes are received into.
            what: for what that takes all ranks, in words; empty: it is answered at once.
            priority: of what waits to be sent, the highest goes first.

        Returns:
            The answer to be, or the MXNetError that it is refused, or somebody gone.

        Raises:
            MXNetError: something has failed.
        """
        future: Future[Answer] = Future()
        number = next(self._numbers)
        self._faults.check()
        with self._lock:
            self._waiting[number] = _Waiting(rank, what, time.monotonic(), buffers, future)
        if rank == self._connections.rank:
            reply = self._reply_to(rank, number)
            self.services[message["op"]](Request(rank, message, tensors, reply))
        else:
            self._connections.send(rank, {**message, "id": number}, tensors, priority)
        if self._faults.text is not None:  # since the check
            self._give_up()
        return future

    def waiting(self) -> list[tuple[int, str, float]]:
        """Who is asked since when for what takes all ranks, in order."""
        with self._lock:
            return [each[:3] for each in self._waiting.values() if each.what]

    def _reply_to(self, rank: int, number: int | None) -> Reply | None:
        if number is None:
            return None

        def reply(message: Meta, tensors: Sequence[Tensor], priority: float) -> None:
            if rank == self._connections.rank:
                self._take_answer(rank, {**message, "id": number}, tensors)
            else:
                answer = {**message, "op": "answer", "id": number}
                self._connections.send(rank, answer, tensors, priority)

        return reply

    def _answer_buffers(self, rank: int, message: Meta) -> Sequence[Tensor]:
        waiting = self._waiting[message["id"]]
        if waiting.rank != rank:
            raise ValueError("an answer to another rank's question")
        return () if "error" in message else waiting.buffers(rank, message)

    def _take_answer(self, _rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
        with self._lock:
            waiting = self._waiting.pop(message["id"], None)
        if waiting is None:  # given up
            return
        if "error" in message:
            waiting.future.set_exception(MXNetError(str(message["error"])))
        else:
            waiting.future.set_result((message, tensors))

    def _give_up(self) -> None:
        """Tells those who wait that something has failed."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            each.future.set_exception(self._faults.error())
