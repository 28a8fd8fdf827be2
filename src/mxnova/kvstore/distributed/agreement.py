# SPDX-License-Identifier: Apache-2.0
"""Agreement: which calls all ranks have made alike; the texts of those that differ.

Each rank tells all others, in one message, how many calls it is ready for and a digest of each.
Values of a few bytes travel along. Receivers have room for the longest such message.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...core.base.errors import bounded
from .links import Links, Transfer

__all__ = [
    "MOST_CALLS",
    "ROOM",
    "Agreed",
    "Agreement",
    "Question",
    "difference",
    "digest_of",
    "gathered",
]

MOST_CALLS = 64  # that one round can be about
ROOM = 504  # bytes that can travel along
_DIGEST = 8  # bytes: it is to find mistakes, not forgers
_CALLS_END = 8 + MOST_CALLS * _DIGEST
_MAX_TEXT = 1 << 20  # bytes


def digest_of(call: str, description: Any) -> bytes:
    """A digest of a call and of what it is about, in plain data."""
    text = json.dumps([call, description]).encode()
    return hashlib.blake2b(text, digest_size=_DIGEST).digest()


class Agreed:
    """What a round of `Agreement` has found.

    Attributes:
        n: how many of the calls all ranks are ready for and have made alike.
        differs: whether ranks differ in the one after them.
    """

    def __init__(self, n: int, differs: bool, messages: Sequence[Tensor]) -> None:
        self.n, self.differs = n, differs
        self._messages = messages

    def along(self, start: int, like: Tensor) -> list[Tensor]:
        """For each rank the tensor that came along at byte `start`, of the kind of `like`."""
        place = slice(_CALLS_END + start, _CALLS_END + start + like.nbytes)
        return [message[place].view(like.dtype) for message in self._messages]


class Question(NamedTuple):
    """What this rank has told the others, and waits for from them."""

    text: bytes
    n_calls: int
    transfer: Transfer


class Agreement:
    """Rounds in which ranks tell each other what they are ready for.

    Args:
        links: to the other ranks.
    """

    def __init__(self, links: Links) -> None:
        self._links = links
        self._messages = [
            torch.zeros(_CALLS_END + ROOM, dtype=torch.uint8) for _ in range(links.size)
        ]
        self._mine = self._messages[links.rank]
        self._texts = [memoryview(message.numpy())[:_CALLS_END] for message in self._messages]
        self._in = {peer: [self._messages[peer]] for peer in links.peers}

    def ask(self, digests: Sequence[bytes], along: Iterable[tuple[int, Tensor]]) -> Question:
        """Tells all other ranks which calls this one is ready for; does not wait.

        Args:
            digests: of the next calls, at least one and at most `MOST_CALLS`.
            along: contiguous tensors to send with them, and where in the `ROOM` each begins.
        """
        text = len(digests).to_bytes(8, "little") + b"".join(digests)
        self._texts[self._links.rank][: len(text)] = text
        end = len(text)
        for start, tensor in along:
            place = slice(_CALLS_END + start, end := _CALLS_END + start + tensor.nbytes)
            self._mine[place].copy_(tensor.view(-1).view(torch.uint8))
        links = self._links
        outgoing = links.to_all([self._mine[:end]])
        return Question(text, len(digests), links.begin("agreement", outgoing, self._in))

    def answer(self, question: Question) -> Agreed:
        """Compares calls with all other ranks, when all are ready for some.

        What came along is valid until the next question.
        """
        question.transfer.wait()
        return self._compared(question.text, question.n_calls)

    def _compared(self, mine: bytes, count: int) -> Agreed:
        theirs = [bytes(text) for text in self._texts]
        count = min(count, *(int.from_bytes(text[:8], "little") for text in theirs))
        alike = slice(8, 8 + count * _DIGEST)
        if all(text[alike] == mine[alike] for text in theirs):
            return Agreed(count, False, self._messages)
        at = next(i for i in range(count) if len({_digest_at(text, i) for text in theirs}) > 1)
        return Agreed(at, True, self._messages)


def _digest_at(text: bytes, i: int) -> bytes:
    start = 8 + i * _DIGEST
    return text[start : start + _DIGEST]


# Differences --------------------------------------------------------------------------------------


def gathered(links: Links, what: Any) -> list[Any]:
    """What each rank has to say, by rank; of plain data.

    Raises:
        MXNetError: a rank is gone, or sends what is no text.
    """
    text = json.dumps(what).encode()
    if len(text) > _MAX_TEXT:
        text = json.dumps(["", ["too much to be shown"]]).encode()
    length = torch.tensor([len(text)])
    lengths = {peer: [torch.empty_like(length)] for peer in links.peers}
    links.exchange("agreement", links.next_tag(), links.to_all([length]), lengths)
    incoming = {}
    for peer, (n,) in lengths.items():
        if not 0 < int(n) <= _MAX_TEXT:
            raise links.faults.of(peer, ValueError(f"it sent a text of {int(n)} bytes"))
        incoming[peer] = [torch.empty(int(n), dtype=torch.uint8)]
    mine = torch.frombuffer(bytearray(text), dtype=torch.uint8)
    links.exchange("agreement", links.next_tag(), links.to_all([mine]), incoming)
    texts = {peer: bytes(part.numpy()) for peer, (part,) in incoming.items()}
    return [_read(links, rank, (texts | {links.rank: text})[rank]) for rank in range(links.size)]


def _read(links: Links, rank: int, text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise links.faults.of(rank, ValueError("it sent what is no text")) from None


def difference(calls: Sequence[Any]) -> str:
    """What the first rank that differs from others does, and what these do.

    Args:
        calls: of each rank (what it calls, list of descriptions); ``error`` is called by one that
            has failed on its own, with the text.
    """
    for rank, (call, description) in enumerate(calls):
        if call == "error":
            return f"KVStore: on worker {rank}: {description}"
    texts = [json.dumps(call) for call in calls]
    common = max(texts, key=texts.count)
    odd = next(rank for rank, text in enumerate(texts) if text != common)
    even = texts.index(common)
    (call, mine), (other_call, others) = calls[odd], calls[even]
    if call != other_call:
        mine, others = [call, *mine[:1]], [other_call, *others[:1]]
    elif len(mine) == len(others):
        mine, others = next((a, b) for a, b in zip(mine, others, strict=True) if a != b)
    return bounded(
        f"KVStore.{call}: workers differ: worker {odd} has {_shown(mine)}, worker {even} "
        f"{_shown(others)}"
    )


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:500]
