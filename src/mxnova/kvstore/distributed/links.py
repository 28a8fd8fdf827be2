# SPDX-License-Identifier: Apache-2.0
"""Links: tensors between this rank and each other one, by gloo.

Everything is sent from one rank to another, with a tag that says what it is: posting never waits,
so that no order of posts can make ranks wait for each other in a circle. A rank that dies is
noticed by whoever waits for it, as its connections close.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ...core.base.errors import MXNetError, bounded

__all__ = ["Links", "Transfer"]

_log = logging.getLogger(__name__)

_SHORTLY = timedelta(milliseconds=1)
_MAX_DESCRIPTION = 1 << 20  # bytes
_TAGS = 1 << 30

Tensors = Mapping[int, Sequence[Tensor]]


class Links:
    """Connections between this rank and all others.

    Args:
        store: where ranks find each other, and tell what went wrong.
        rank: of this process.
        size: how many ranks there are.
        address: of this machine, where it listens for the others.
        timeout: seconds after which a rank that sends nothing is taken for dead.

    Attributes:
        sent: bytes that were sent, by purpose.
        fault: what went wrong, after which nothing works any more.

    Raises:
        MXNetError: not all ranks came within `timeout` seconds.
    """

    def __init__(
        self, store: dist.Store, rank: int, size: int, address: str, timeout: float
    ) -> None:
        self.rank, self.size, self.timeout = rank, size, timeout
        self.peers = [other for other in range(size) if other != rank]
        self.sent: Counter[str] = Counter()
        self.fault: str | None = None
        self._store = store
        self._patience = timedelta(seconds=timeout)
        self._lock = threading.Lock()
        self._n_rounds = 0
        self._group: dist.ProcessGroupGloo | None = None
        if self.peers:
            self._group = self._connected(address)

    def _connected(self, address: str) -> dist.ProcessGroupGloo:
        options = dist.ProcessGroupGloo._Options()
        options._devices = [dist.ProcessGroupGloo.create_device(hostname=address)]
        options._timeout = self._patience
        try:
            return dist.ProcessGroupGloo(self._store, self.rank, self.size, options)
        except RuntimeError as error:
            raise MXNetError(
                f"KVStore: rank {self.rank} could not reach all of the {self.size} workers within "
                f"{self.timeout:g} s (MXNOVA_DIST_TIMEOUT): {_first_line(error)}"
            ) from None

    def next_tag(self) -> int:
        """A tag that no other round has; ranks ask for it in the same order."""
        self._n_rounds = (self._n_rounds + 1) % _TAGS
        return self._n_rounds

    def post(self, purpose: str, tag: int, outgoing: Tensors, incoming: Tensors) -> Transfer:
        """Begins to send and to receive; what is waited for is the `Transfer`.

        Args:
            purpose: under which sent bytes are counted.
            tag: what the others know it by.
            outgoing: contiguous tensors on the CPU for other ranks; unchanged until they are sent.
            incoming: such tensors for what other ranks send, of the same sizes.
        """
        self._check()
        group: Any = self._group
        works = []
        for kind, begin, tensors in (
            ("from", group.recv, incoming),
            ("to", group.send, outgoing),
        ):
            for peer, parts in tensors.items():
                for part in parts:
                    if part.numel():
                        works.append((peer, self._begun(begin, kind, part, peer, tag)))
        self.sent[purpose] += sum(t.nbytes for parts in outgoing.values() for t in parts)
        return Transfer(self, works, (outgoing, incoming))

    def _begun(self, begin: Any, kind: str, part: Tensor, peer: int, tag: int) -> Any:
        try:
            return begin([part], peer, tag)
        except RuntimeError as error:
            raise self.fault_of(peer, f"{kind} it", error) from None

    def exchange(self, purpose: str, tag: int, outgoing: Tensors, incoming: Tensors) -> None:
        """Sends and receives, and returns when that is done."""
        if self.peers:
            self.post(purpose, tag, outgoing, incoming).wait()

    def to_all(self, tensors: Sequence[Tensor]) -> Tensors:
        """The same tensors for each other rank."""
        return dict.fromkeys(self.peers, tensors)

    # Agreement -----------------------------------------------------------------------------------

    def agree(self, call: str, description: Any) -> None:
        """Checks that all ranks make the same call with the same description.

        Args:
            call: what is called.
            description: of plain data: of what.

        Raises:
            MXNetError: they do not; the same on every rank, nothing has been changed.
        """
        if not self.peers:
            return
        text = json.dumps([call, description]).encode()
        mine = torch.frombuffer(bytearray(hashlib.sha256(text).digest()), dtype=torch.uint8)
        theirs = {peer: [torch.empty_like(mine)] for peer in self.peers}
        self.exchange("agreement", self.next_tag(), self.to_all([mine]), theirs)
        if any(not torch.equal(mine, digest) for (digest,) in theirs.values()):
            raise MXNetError(difference(self._gathered(text)))

    def _gathered(self, text: bytes) -> list[Any]:
        """What each rank has to say, by rank; of plain data."""
        if len(text) > _MAX_DESCRIPTION:
            text = json.dumps(["", ["too much to be shown"]]).encode()
        length = torch.tensor([len(text)])
        lengths = {peer: [torch.empty_like(length)] for peer in self.peers}
        self.exchange("agreement", self.next_tag(), self.to_all([length]), lengths)
        incoming = {}
        for peer, (n,) in lengths.items():
            if not 0 < int(n) <= _MAX_DESCRIPTION:
                raise self.fault_of(peer, "from it", ValueError(f"a text of {int(n)} bytes"))
            incoming[peer] = [torch.empty(int(n), dtype=torch.uint8)]
        mine = torch.frombuffer(bytearray(text), dtype=torch.uint8)
        self.exchange("agreement", self.next_tag(), self.to_all([mine]), incoming)
        texts = {peer: bytes(part.numpy()) for peer, (part,) in incoming.items()}
        return [json.loads((texts | {self.rank: text})[rank]) for rank in range(self.size)]

    # Faults --------------------------------------------------------------------------------------

    def _check(self) -> None:
        if self.fault is not None:
            raise MXNetError(f"KVStore: nothing can be exchanged any more: {self.fault}")

    def fault_of(self, peer: int, doing: str, error: Exception) -> MXNetError:
        """The error that says who has failed, and tells the others."""
        with self._lock:
            if self.fault is None:
                reason = _reason(error, self.timeout)
                self.fault = self._told(peer, f"worker {peer} {reason}")
                _log.debug("exchange (%s %d) failed: %s", doing, peer, error)
                self._hang_up()
        return MXNetError(f"KVStore, worker {self.rank} of {self.size}: {self.fault}")

    def _told(self, peer: int, text: str) -> str:
        """The first fault that any rank saw, this one if none did."""
        mine = json.dumps({"rank": peer, "text": text})
        try:
            told = json.loads(self._store.compare_set("fault", "", mine))
            rank, what = told["rank"], told["text"]
        except (RuntimeError, ValueError, KeyError, TypeError):  # whoever kept the store is gone
            return text
        if not isinstance(rank, int) or not isinstance(what, str) or rank == self.rank:
            return text
        return bounded(what[:500])

    def _hang_up(self) -> None:
        """Closes all connections, so that no one waits for this rank."""
        for peer in self.peers:
            with suppress(RuntimeError):
                self._group.recv([torch.empty(1)], peer, _TAGS).wait(_SHORTLY)  # type: ignore[union-attr]


class Transfer:
    """What is on its way between this rank and others."""

    def __init__(
        self, links: Links, works: Iterable[tuple[int, Any]], tensors: tuple[Tensors, ...]
    ) -> None:
        self._links, self._works = links, works
        self._tensors = tensors  # whose memory is used meanwhile

    def wait(self) -> None:
        """Returns when everything has been sent and received.

        Raises:
            MXNetError: a rank is gone, or sent nothing for too long; the text names it.
        """
        for peer, work in self._works:
            try:
                work.wait(self._links._patience)
            except RuntimeError as error:
                raise self._links.fault_of(peer, "waiting for", error) from None
        self._works, self._tensors = (), ()


def _reason(error: Exception, timeout: float) -> str:
    text = _first_line(error)
    if "Timed out" in text or "timeout" in text.lower():
        return f"has sent nothing for {timeout:g} s (MXNOVA_DIST_TIMEOUT)"
    if "closed" in text or "reset" in text.lower() or "pipe" in text.lower():
        return "is gone: its connection was closed"
    return f"cannot be reached: {text}"


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


# Differences --------------------------------------------------------------------------------------


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
