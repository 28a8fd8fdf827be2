# SPDX-License-Identifier: Apache-2.0
"""Links: tensors between this rank and each other one.

Everything is sent from one rank to another, with a tag that says what it is: posting never waits,
so that no order of posts can make ranks wait for each other in a circle. A rank that dies is
noticed by whoever waits for it, as its connections close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults, first_line
from .groups import GROUPS, Group, Message, Place

__all__ = ["Links", "Transfer"]

_FOREVER = timedelta(days=3650)
_TAGS = 1 << 30

Tensors = Mapping[int, Sequence[Tensor]]


class Links:
    """Connections between this rank and all others.

    Args:
        store: where ranks find each other.
        faults: what has failed.
        address: of this machine, where it listens for the others.

    Attributes:
        peers: the other ranks.
        sent: bytes that were sent, by purpose.

    Raises:
        MXNetError: not all ranks came in time.
    """

    def __init__(self, store: dist.Store, faults: Faults, address: str) -> None:
        self.faults, self.rank, self.size = faults, faults.rank, faults.size
        self.peers = [other for other in range(self.size) if other != self.rank]
        self.sent: Counter[str] = Counter()
        self._n_rounds = 0
        self._place = Place(store, self.rank, self.size, address, faults.timeout)
        self._groups: dict[str, Group] = {}
        self._is_closed = False
        if self.peers:
            self._group_of(torch.device("cpu"))
            faults.then(self.hang_up)

    def _group_of(self, device: torch.device) -> Group:
        """What carries tensors of a device; made when the first is to be carried."""
        group = self._groups.get(device.type)
        if group is None:
            group = self._groups[device.type] = self._made(device.type)
        return group

    def _made(self, kind: str) -> Group:
        if self._is_closed:
            raise MXNetError("KVStore: this store is closed")
        if kind not in GROUPS:
            raise MXNetError(f"KVStore: arrays on {kind} cannot be exchanged")
        try:
            return GROUPS[kind](self._place)
        except MXNetError:
            raise
        except (RuntimeError, ValueError, MemoryError) as error:  # of addresses that are damaged
            raise MXNetError(
                f"KVStore: worker {self.rank} could not reach all of the {self.size} workers "
                f"within {self.faults.timeout:g} s (MXNOVA_DIST_TIMEOUT): {first_line(error)}"
            ) from None

    def hang_up(self) -> None:
        """Closes all connections at once."""
        for group in self._groups.values():
            group.hang_up(self.peers)

    def close(self) -> None:
        """Closes all connections, over which everything has been sent and received."""
        self._is_closed = True
        self._groups.clear()

    def next_tag(self) -> int:
        """A tag that no other round has; ranks ask for it in the same order."""
        self._n_rounds = (self._n_rounds + 1) % _TAGS
        return self._n_rounds

    def post(self, purpose: str, tag: int, outgoing: Tensors, incoming: Tensors) -> Transfer:
        """Begins to send and to receive; what is waited for is the `Transfer`.

        Args:
            purpose: under which sent bytes are counted.
            tag: what the others know it by.
            outgoing: contiguous tensors for other ranks, all on the CPU or all on a GPU; unchanged
                until they are sent.
            incoming: such tensors for what other ranks send, of the same sizes; on the CPU maybe
                larger, and filled from the start.
        """
        self.faults.check()
        messages = [*_messages(incoming, is_sent=False), *_messages(outgoing, is_sent=True)]
        if not messages:
            return Transfer(self.faults, (), None)
        self.sent[purpose] += sum(m.tensor.nbytes for m in messages if m.is_sent)
        works = self._group_of(messages[0].tensor.device).begin(messages, tag, self.faults.of)
        return Transfer(self.faults, works, messages)

    def begin(self, purpose: str, outgoing: Tensors, incoming: Tensors) -> Transfer:
        """`post` with the next tag."""
        if not self.peers:
            return Transfer(self.faults, (), None)
        return self.post(purpose, self.next_tag(), outgoing, incoming)

    def exchange(self, purpose: str, tag: int, outgoing: Tensors, incoming: Tensors) -> None:
        """Sends and receives, and returns when that is done."""
        if self.peers:
            self.post(purpose, tag, outgoing, incoming).wait()

    def to_all(self, tensors: Sequence[Tensor]) -> Tensors:
        """The same tensors for each other rank."""
        return dict.fromkeys(self.peers, tensors)


def _messages(tensors: Tensors, is_sent: bool) -> Iterator[Message]:
    for peer, parts in tensors.items():
        for part in parts:
            if part.numel():
                yield Message(peer, part, is_sent)


class Transfer:
    """What is on its way between this rank and others.

    Args:
        faults: of the links.
        works: ranks with what waits for them.
        tensors: whose memory is used meanwhile.
    """

    def __init__(self, faults: Faults, works: Iterable[tuple[int, Any]], tensors: Any) -> None:
        self._faults, self._works, self._tensors = faults, works, tensors

    def wait(self) -> None:
        """Returns when everything has been sent and received, however long that takes.

        Raises:
            MXNetError: a rank is gone; the text names it.
        """
        for peer, work in self._works:
            try:
                if work is not None:
                    work.wait(_FOREVER)
            except RuntimeError as error:
                raise self._faults.of(peer, error) from None
        self._works, self._tensors = (), None
