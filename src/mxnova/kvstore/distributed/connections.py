# SPDX-License-Identifier: Apache-2.0
"""Connections: what ranks tell and ask each other, and themselves.

A request names a service of the rank that is asked, and is answered at once or later, from any
thread. What is only told is a request without an answer.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any, NamedTuple, Protocol

from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults
from .peer import FIRST, LAST, Meta, Peer

__all__ = ["Answer", "Buffers", "Connections", "Request", "Taker", "no_buffers"]

Answer = tuple[Meta, Sequence[Tensor]]
Buffers = Callable[[int, Meta], Sequence[Tensor]]  # (rank, message) -> what its bytes go into

_MOMENT = 2.0  # seconds


def no_buffers(_rank: int, _message: Meta) -> Sequence[Tensor]:
    """The tensors of a message that has none."""
    return ()


class Request:
    """What a rank has asked for.

    Attributes:
        rank: who asks.
        message, tensors: for what.
    """

    def __init__(
        self,
        rank: int,
        message: Meta,
        tensors: Sequence[Tensor],
        reply: Callable[[Meta, Sequence[Tensor], float], None] | None,
    ) -> None:
        self.rank, self.message, self.tensors, self._reply = rank, message, tensors, reply

    def answer(self, message: Meta, tensors: Sequence[Tensor] = (), priority: float = 0) -> None:
        """Answers, once; not at all where nobody waits for it."""
        if self._reply is not None:
            self._reply(message, tensors, priority)

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


class Taker(Protocol):
    """What an answer is given to: a Future, or something like one."""

    def set_result(self, answer: Answer, /) -> None:
        """Takes the answer."""

    def set_exception(self, error: BaseException, /) -> None:
        """Takes what has come instead."""


class _Waiting(NamedTuple):
    """A request of this rank that is not answered: see `Connections.ask`."""

    rank: int
    what: str
    since: float
    buffers: Buffers
    future: Taker


class Connections:
    """One TCP connection to each other rank.

    Args:
        sockets: connected, to each other rank.
        faults: what has failed.

    Attributes:
        peers: the other ranks.
        sent: bytes that were sent, by kind of message.
    """

    def __init__(self, sockets: Mapping[int, socket.socket], faults: Faults) -> None:
        self.faults, self.rank, self.size = faults, faults.rank, faults.size
        self.peers = sorted(sockets)
        self.sent: Counter[str] = Counter()
        self._peers = {r: Peer(r, sock, partial(self._lost, r)) for r, sock in sockets.items()}
        self._left = threading.Condition()
        self._services: dict[str, tuple[Callable[[Request], None], Buffers]] = {}
        self._numbers = count()
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self.serve("fault", lambda request: faults.hear(request.message))
        faults.then(self._give_up)

    def serve(
        self, op: str, handle: Callable[[Request], None], buffers: Buffers = no_buffers
    ) -> None:
        """Has requests handled whose ``op`` is this one; all kinds are served before `start`."""
        self._services[op] = handle, buffers

    def start(self) -> None:
        """Reads messages from now on."""
        for peer in self._peers.values():
            peer.start(self._receive)

    # Asking --------------------------------------------------------------------------------------

    def tell(
        self, rank: int, message: Meta, tensors: Sequence[Tensor] = (), priority: float = 0
    ) -> None:
        """Sends a message; never waits for the receiver.

        Args:
            rank: the receiver, another one.
            message: of plain data, with ``op``.
            tensors: contiguous, on the CPU; unchanged until they are received, or copied where they
                are small.
            priority: of what waits to be sent, the highest goes first.

        Raises:
            MXNetError: something has failed.
        """
        self.faults.check()
        self.sent[message["op"]] += self._peers[rank].send(message, tensors, priority)

    def ask(
        self,
        rank: int,
        message: Meta,
        tensors: Sequence[Tensor] = (),
        buffers: Buffers = no_buffers,
        what: str = "",
        priority: float = 0,
        future: Taker | None = None,
    ) -> Any:
        """Asks a rank, which may be this one: then nothing is copied and `buffers` not used.

        Args:
            rank: who is asked.
            message: as that of `tell`.
            tensors: as those of `tell`.
            buffers: gives the tensors that the bytes of the answer are received into.
            what: for what that takes all ranks, in words; empty: it is answered at once.
            priority: as that of `tell`.
            future: gets the answer, or the MXNetError that it is refused, or somebody gone.

        Returns:
            `future`, by default a Future.

        Raises:
            MXNetError: something has failed.
        """
        future = Future() if future is None else future
        number = next(self._numbers)
        with self._lock:
            self._waiting[number] = _Waiting(rank, what, time.monotonic(), buffers, future)
        self.faults.check()
        if rank == self.rank:
            handle, _ = self._services[message["op"]]
            handle(Request(rank, message, tensors, partial(self._take_answer, number)))
        else:
            self.tell(rank, {**message, "id": number}, tensors, priority)
        return future

    def waiting(self) -> list[tuple[int, str, float]]:
        """Who is asked for what takes all ranks, since when, in order."""
        with self._lock:
            return [each[:3] for each in self._waiting.values() if each.what]

    def _answer(
        self, rank: int, number: int, message: Meta, tensors: Sequence[Tensor], priority: float
    ) -> None:
        self.tell(rank, {**message, "op": "answer", "id": number}, tensors, priority)

    def _take_answer(
        self, number: int, message: Meta, tensors: Sequence[Tensor], _priority: float = 0
    ) -> None:
        with self._lock:
            waiting = self._waiting.pop(number, None)
        if waiting is None:  # given up
            return
        if "error" in message:
            waiting.future.set_exception(MXNetError(str(message["error"])))
        else:
            waiting.future.set_result((message, tensors))

    # Messages of others --------------------------------------------------------------------------

    def _receive(self, rank: int, message: Meta) -> tuple[Sequence[Tensor], Callable[[], None]]:
        """Where the tensors of a message go, and what handles it then."""
        try:
            op: str = message["op"]
            number: Any = message.get("id")
            if op == "answer":
                waiting = self._waiting[number]
                if waiting.rank != rank:
                    raise ValueError("an answer to another rank's question")
                tensors = () if "error" in message else waiting.buffers(rank, message)
                return tensors, partial(self._take_answer, number, message, tensors)
            handle, buffers = self._services[op]
            tensors = buffers(rank, message)
        except (MXNetError, LookupError, ValueError, TypeError, OverflowError) as error:
            raise ValueError(f"it sent {error}") from None
        if op == "leave":  # it still answers
            with self._left:
                self.faults.left.add(rank)
                self._left.notify_all()
        reply = None if number is None else partial(self._answer, rank, number)
        return tensors, partial(handle, Request(rank, message, tensors, reply))

    # The end -------------------------------------------------------------------------------------

    def _lost(self, rank: int, error: Exception) -> None:
        if not isinstance(error, OSError) or rank not in self.faults.left:
            self.faults.of(rank, error)

    def _give_up(self) -> None:
        """Tells all ranks what has failed, instead of what waits to be sent, and those who wait."""
        for peer in self._peers.values():
            peer.drop()
            peer.send(self.faults.message, (), FIRST)
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for each in waiting.values():
            each.future.set_exception(self.faults.error())
        with self._left:
            self._left.notify_all()

    def check_heard(self, forgive: bool) -> None:
        """Ends the store where a rank is silent for too long.

        Args:
            forgive: count the silence of all from now on.
        """
        now = time.monotonic()
        for rank, peer in self._peers.items():
            if forgive:
                peer.heard = max(now, peer.heard)
            elif now - peer.heard > self.faults.timeout and rank not in self.faults.left:
                raise self.faults.of(rank, TimeoutError())

    def close(self, patience: float | None) -> None:
        """Closes the connections when all ranks have left, or after `patience` seconds.

        Until then it answers.
        """
        for rank in self.peers:
            with suppress(MXNetError):
                self.tell(rank, {"op": "leave"}, priority=LAST)
        with self._left:
            self._left.wait_for(self._all_left, patience)
        limit = self.faults.timeout if self.faults.text is None else _MOMENT
        for peer in self._peers.values():
            peer.close(limit)

    def _all_left(self) -> Any:
        return self.faults.text is not None or self.faults.left.issuperset(self.peers)
