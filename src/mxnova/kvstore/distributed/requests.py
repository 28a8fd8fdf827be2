# SPDX-License-Identifier: Apache-2.0
"""Requests: what one rank asks of another, which a thread of that one answers at any time."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from .links import Links

__all__ = ["Requests", "Service"]

# Takes (rank that asks, what, tensors), gives (answer, tensors).
Service = Callable[[int, Any, list[Tensor]], "tuple[Any, list[Tensor]]"]
# Takes what is asked or answered, gives tensors to receive into what comes with it.
Rooms = Callable[[Any], "list[Tensor]"]

_REQUEST = 1  # the tag of all requests, which go from one rank to another in turn
_FIRST_ANSWER = 16
_LAST_ANSWER = 1 << 30
_MAX_TEXT = 1 << 24  # bytes
_MOMENT = 2.0  # seconds


class Requests:
    """Questions to other ranks and answers for them.

    Texts are JSON; what comes with them is received into tensors whose sizes the receiver decides.

    Args:
        links: of their own.
        services: name of what is asked -> who makes room for what comes with it, who answers.
    """

    def __init__(self, links: Links, services: Mapping[str, tuple[Rooms, Service]]) -> None:
        self._links, self._services = links, services
        self._tags = itertools.cycle(range(_FIRST_ANSWER, _LAST_ANSWER))
        self._locks = {peer: threading.Lock() for peer in links.peers}
        self._threads = [
            threading.Thread(target=self._serve, args=(peer,), daemon=True, name=f"worker {peer}")
            for peer in links.peers
        ]
        for thread in self._threads:
            thread.start()

    def ask(
        self,
        questions: Mapping[int, tuple[Any, Sequence[Tensor]]],
        rooms: Callable[[int, Any], list[Tensor]] = lambda rank, answer: [],
    ) -> dict[int, Any]:
        """Asks some ranks at once, and waits for their answers.

        Args:
            questions: for each rank what is asked, with ``op`` for the service, and what goes
                along.
            rooms: gives for a rank and its answer tensors for what comes with it.

        Raises:
            MXNetError: a rank has failed, is gone, or does not answer.
        """
        tags = {peer: self._sent(peer, *question) for peer, question in questions.items()}
        answers = {}
        for peer, tag in tags.items():
            answers[peer] = answer = self._received_text(peer, tag)
            if "error" not in answer:
                self._receive(peer, tag, rooms(peer, answer))
        for peer, answer in answers.items():
            if "error" in answer:
                raise MXNetError(f"KVStore: on worker {peer}: {str(answer['error'])[:2000]}")
        return answers

    def _sent(self, peer: int, what: Any, tensors: Sequence[Tensor]) -> int:
        with self._locks[peer]:
            answer_tag = next(self._tags)
            messages = [*_as_messages(what, answer_tag), *tensors]
            transfer = self._links.post("requests", _REQUEST, {peer: messages}, {})
        transfer.wait()
        return answer_tag

    def _received_text(self, peer: int, tag: int) -> Any:
        return self._received_head(peer, tag)[1]

    def _received_head(self, peer: int, tag: int) -> tuple[int, Any]:
        head = torch.empty(2, dtype=torch.int64)
        self._receive(peer, tag, [head])
        answer_tag, length = head.tolist()
        if not (0 < length <= _MAX_TEXT and 0 <= answer_tag < _LAST_ANSWER):
            raise self._links.faults.of(peer, ValueError("it sent what is no request"))
        text = torch.empty(length, dtype=torch.uint8)
        self._receive(peer, tag, [text])
        try:
            what = json.loads(text.numpy().tobytes())
        except (ValueError, RecursionError):
            what = None
        if not isinstance(what, dict):
            raise self._links.faults.of(peer, ValueError("it sent what is no request"))
        return answer_tag, what

    def _receive(self, peer: int, tag: int, rooms: list[Tensor]) -> None:
        self._links.post("", tag, {}, {peer: rooms}).wait()

    # Answers -------------------------------------------------------------------------------------

    def _serve(self, peer: int) -> None:
        """Answers requests of a rank until it leaves or has failed."""
        try:
            while self._serve_one(peer):
                pass
        except MXNetError:
            return  # whoever asks next is told

    def _serve_one(self, peer: int) -> bool:
        tag, what = self._received_head(peer, _REQUEST)
        if what.get("op") == "bye":
            self._links.faults.left.add(peer)
            return False
        try:
            make_room, service = self._services[str(what.get("op"))]
            rooms = make_room(what)
        except (MXNetError, KeyError, ValueError, TypeError, IndexError) as error:
            raise self._links.faults.of(peer, ValueError(f"it asked {error}")) from None
        self._receive(peer, _REQUEST, rooms)
        try:
            answer, tensors = service(peer, what, rooms)
        except Exception as error:  # noqa: BLE001 - an updater may raise anything: its worker gets it
            answer, tensors = {"error": f"{type(error).__name__}: {error}"}, []
        messages = [*_as_messages(answer, 0), *tensors]
        self._links.post("answers", tag, {peer: messages}, {}).wait()
        return True

    def leave(self) -> None:
        """Tells all that this rank has nothing to ask any more."""
        for peer in self._links.peers:
            with suppress(MXNetError):
                self._sent(peer, {"op": "bye"}, ())

    def close(self, waits: bool) -> None:
        """Closes the links, when all ranks have left or one has failed.

        Args:
            waits: whether to serve until then; otherwise only a moment.
        """
        for thread in self._threads:
            thread.join(None if waits else _MOMENT / len(self._threads))
        self._links.hang_up()
        for thread in self._threads:  # one that waits when the interpreter ends would abort it
            thread.join(_MOMENT)
        self._links.close()


def _as_messages(what: Any, tag: int) -> list[Tensor]:
    text = json.dumps(what).encode()
    head = torch.tensor([tag, len(text)])
    return [head, torch.frombuffer(bytearray(text), dtype=torch.uint8)]
