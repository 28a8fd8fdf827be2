# SPDX-License-Identifier: Apache-2.0
"""Requests: what one rank asks of others, and waits for."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from torch import Tensor

from ...core.base.errors import MXNetError
from .connections import Connections, Handler, Meta

__all__ = ["Requests", "Service"]

Answer = tuple[Meta, Sequence[Tensor]]
Buffers = Callable[[int, Meta], "list[Tensor]"]


class Service(NamedTuple):
    """What answers requests of one kind.

    Attributes:
        buffers: takes (rank, request), gives the tensors that its bytes are received into.
        answer: takes (request, these tensors), gives a message and tensors.
    """

    buffers: Buffers
    answer: Callable[[Meta, Sequence[Tensor]], Answer]


def _no_buffers(_rank: int, _message: Meta) -> list[Tensor]:
    return []


class Requests:
    """Requests to other ranks, and answers to theirs.

    Args:
        connections: to the other ranks.
        services: by ``op``.
    """

    def __init__(self, connections: Connections, services: Mapping[str, Service]) -> None:
        self._connections = connections
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._waiting: dict[int, tuple[int, Buffers, Future[Meta]]] = {}
        self.handlers = {
            **{op: self._handler(service) for op, service in services.items()},
            "answer": Handler(self._answer_buffers, self._take_answer),
        }
        connections.faults.then(self._give_up)

    def ask(
        self,
        questions: Mapping[int, tuple[Meta, Sequence[Tensor]]],
        buffers: Buffers = _no_buffers,
    ) -> dict[int, Meta]:
        """Asks some ranks at once, and waits for their answers.

        Args:
            questions: for each rank a message, with ``op``, and tensors.
            buffers: gives for a rank and its answer the tensors that its bytes are received into.

        Raises:
            MXNetError: a rank has failed or is gone.
        """
        futures = {
            rank: self._asked(rank, question, buffers) for rank, question in questions.items()
        }
        answers = {rank: future.result() for rank, future in futures.items()}
        for rank, answer in answers.items():
            if "error" in answer:
                raise MXNetError(f"KVStore: on worker {rank}: {str(answer['error'])[:2000]}")
        return answers

    def _asked(
        self, rank: int, question: tuple[Meta, Sequence[Tensor]], buffers: Buffers
    ) -> Future[Meta]:
        message, tensors = question
        future: Future[Meta] = Future()
        number = next(self._numbers)
        with self._lock:
            self._waiting[number] = rank, buffers, future
        self._connections.send(rank, {**message, "id": number}, tensors)
        return future

    def _handler(self, service: Service) -> Handler:
        def handle(rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
            try:
                answer, found = service.answer(message, tensors)
            except Exception as error:  # noqa: BLE001 - an updater may raise anything
                answer, found = {"error": f"{type(error).__name__}: {error}"}, ()
            answered = {**answer, "op": "answer", "id": message["id"]}
            self._connections.send(rank, answered, found)

        return Handler(service.buffers, handle)

    def _answer_buffers(self, rank: int, message: Meta) -> list[Tensor]:
        asked, buffers, _ = self._waiting[message["id"]]
        if asked != rank:
            raise ValueError("an answer to another rank's question")
        return [] if "error" in message else buffers(rank, message)

    def _take_answer(self, rank: int, message: Meta, tensors: Sequence[Tensor]) -> None:
        with self._lock:
            _, _, future = self._waiting.pop(message["id"])
        future.set_result(message)

    def _give_up(self) -> None:
        """Tells those who wait that something has failed."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for _, _, future in waiting.values():
            try:
                self._connections.faults.check()
            except MXNetError as error:
                future.set_exception(error)
