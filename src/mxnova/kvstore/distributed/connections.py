# SPDX-License-Identifier: Apache-2.0
"""Connections: what ranks tell and ask each other, and themselves; and who is still there.

A request names a service of the rank that is asked, and is answered at once or later, from any
thread. What is only told is a request without an answer.

Ranks may compute for as long as they like: who waits for them waits without limit, as long as they
live. A connection that closes tells a death at once. By heartbeats each rank shows all others that
it lives, and in what it waits: they tell the death of a machine or of a network, and that workers
wait for each other.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults
from .peer import FIRST, LAST, Meta, Peer

__all__ = ["Answer", "Buffers", "Connections", "Request", "no_buffers"]

Answer = tuple[Meta, Sequence[Tensor]]
Buffers = Callable[[int, Meta], Sequence[Tensor]]  # (rank, message) -> what its bytes go into

Incomplete = Callable[[float], Sequence[tuple[str, list[int]]]]

_MOMENT = 2.0  # seconds
_BEATS = 6  # within the timeout


def no_buffers(_rank: int, _message: Meta) -> Sequence[Tensor]:
    """The tensors of a message that has none."""
    return ()


@dataclass(frozen=True)
class Request:
    """What a rank has asked for.

    Attributes:
        rank: who asks.
        message, tensors: for what.
        answer_by: takes message, tensors and priority of the answer, for who may wait for it.
    """

    rank: int
    message: Meta
    tensors: Sequence[Tensor]
    answer_by: Callable[[Meta, Sequence[Tensor], float], None]

    def answer(self, message: Meta, tensors: Sequence[Tensor] = (), priority: float = 0) -> None:
        """Answers, once."""
        self.answer_by(message, tensors, priority)

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
    """A request of this rank that is not answered: see `Connections.ask`."""

    rank: int
    what: str
    since: float
    buffers: Buffers
    future: Future[Answer]


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
        self._end = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="mxnova heartbeat", daemon=True)
        self._waits: dict[int, tuple[str, float]] = {}  # of each rank in what, for how many seconds
        self._rounds: tuple[Incomplete, ...] = ()
        self._services: dict[str, tuple[Callable[[Request], None], Buffers]] = {}
        self._numbers = count()
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self.serve("fault", lambda request: faults.hear(request.message))
        self.serve("beat", self._hear_beat)
        self.serve("leave", self._hear_leave)
        faults.then(self._give_up)

    def serve(
        self, op: str, handle: Callable[[Request], None], buffers: Buffers = no_buffers
    ) -> None:
        """Has requests handled whose ``op`` is this one; all kinds are served before `start`."""
        self._services[op] = handle, buffers

    def start(self, *incomplete: Incomplete) -> None:
        """Reads messages from now on, and beats.

        Args:
            incomplete: give (what, ranks that have come to it) of each push or call that has
                waited for so many seconds for some ranks.
        """
        self._rounds = incomplete
        for peer in self._peers.values():
            peer.start(self._receive)
        if self.peers:
            self._beating.start()

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
    ) -> Future[Answer]:
        """Asks a rank, which may be this one: then nothing is copied and `buffers` not used.

        Args:
            rank: who is asked.
            message: as that of `tell`.
            tensors: as those of `tell`.
            buffers: gives the tensors that the bytes of the answer are received into.
            what: for what that takes all ranks, in words; empty: it is answered at once.
            priority: as that of `tell`.

        Returns:
            Of the answer, or of the MXNetError that it is refused, or somebody gone.

        Raises:
            MXNetError: something has failed.
        """
        future: Future[Answer] = Future()
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

        def reply(answer: Meta, with_it: Sequence[Tensor], priority: float) -> None:
            if number is not None:
                self.tell(rank, {**answer, "op": "answer", "id": number}, with_it, priority)

        return tensors, partial(handle, Request(rank, message, tensors, reply))

    # Who is there --------------------------------------------------------------------------------

    def _beat(self) -> None:
        timeout = self.faults.timeout
        before = time.monotonic()
        while self.faults.text is None and not self._end.wait(timeout / _BEATS):
            now = time.monotonic()
            with suppress(MXNetError):  # which others are told
                what, seconds = "", 0.0
                if waiting := self.waiting():
                    what, seconds = waiting[0][1], now - waiting[0][2]
                self._waits[self.rank] = what, seconds
                for rank in self.peers:
                    self.tell(rank, {"op": "beat", "what": what, "seconds": seconds}, (), FIRST)
                self._check_heard(now, forgive=now - before > timeout / 2)
                self._check_stalls()
            before = now

    def _hear_beat(self, beat: Request) -> None:
        self._waits[beat.rank] = str(beat.message["what"]), float(beat.message["seconds"])

    def _check_heard(self, now: float, forgive: bool) -> None:
        """Ends the store where a rank is silent for too long; who was stopped has heard nobody."""
        for rank, peer in self._peers.items():
            if forgive:
                peer.heard = max(now, peer.heard)
            elif now - peer.heard > self.faults.timeout and rank not in self.faults.left:
                raise self.faults.of(rank, TimeoutError())

    def _check_stalls(self) -> None:
        """Ends the store where others wait for a worker that itself waits for others."""
        timeout = self.faults.timeout
        for what, ranks in self._incomplete(timeout):
            for rank in set(range(self.size)) - set(ranks) - self.faults.left:
                own, seconds = self._waits.get(rank, ("", 0.0))
                if seconds > timeout:  # or else it computes
                    workers = f"worker{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
                    self.faults.report(
                        f"worker {rank} has not come to the {what}, which {workers} made "
                        f"{timeout:g} s ago (MXNOVA_DIST_TIMEOUT); it waits in its own {own}"
                    )

    def _incomplete(self, seconds: float) -> list[tuple[str, list[int]]]:
        return [*chain(*(each(seconds) for each in self._rounds))]

    def _hear_leave(self, request: Request) -> None:
        with self._left:
            self.faults.left.add(request.rank)  # which still answers
            self._left.notify_all()
        self.check_left()

    def check_left(self) -> None:
        """Ends the store where a push or a call waits for a worker that has ended."""
        for rank in list(self.faults.left):
            waits = any(asked == rank for asked, _, _ in self.waiting())
            if waits or any(rank not in ranks for _, ranks in self._incomplete(0)):
                raise self.faults.of(rank, ConnectionError("closed"))

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

    def close(self, patience: float | None) -> None:
        """Closes the connections when all ranks have left, or after `patience` seconds.

        Until then it answers.
        """
        for rank in self.peers:
            with suppress(MXNetError):
                self.tell(rank, {"op": "leave"}, priority=LAST)
        with self._left:
            self._left.wait_for(
                lambda: self.faults.text is not None or self.faults.left.issuperset(self.peers),
                patience,
            )
        for peer in self._peers.values():
            peer.close(self.faults.timeout if self.faults.text is None else _MOMENT)
        self._end.set()
        if self._beating.is_alive():
            self._beating.join()
