# SPDX-License-Identifier: Apache-2.0
"""Links: tensors between this rank and each other one, by gloo.

Everything is sent from one rank to another, with a tag that says what it is: posting never waits,
so that no order of posts can make ranks wait for each other in a circle. A rank that dies is
noticed by whoever waits for it, as its connections close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from ...core.base.errors import MXNetError
from .faults import Faults, first_line

__all__ = ["Links", "Transfer"]

_SHORTLY = timedelta(milliseconds=1)
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
        self._group: dist.ProcessGroupGloo | None = None
        if self.peers:
            self._group = self._connected(store, address)
            faults.then(self.hang_up)

    def _connected(self, store: dist.Store, address: str) -> dist.ProcessGroupGloo:
        options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
        options._devices = [dist.ProcessGroupGloo.create_device(hostname=address)]
        options._timeout = timedelta(seconds=self.faults.timeout)
        try:
            return dist.ProcessGroupGloo(store, self.rank, self.size, options)
        except RuntimeError as error:
            raise MXNetError(
                f"KVStore: worker {self.rank} could not reach all of the {self.size} workers "
                f"within {self.faults.timeout:g} s (MXNOVA_DIST_TIMEOUT): {first_line(error)}"
            ) from None

    def hang_up(self) -> None:
        """Closes all connections at once: what a receipt does that waits in vain."""
        group: Any = self._group
        for peer in self.peers if group is not None else ():  # some may be closed already
            with suppress(RuntimeError):
                group.recv([torch.empty(1)], peer, _TAGS).wait(_SHORTLY)

    def close(self) -> None:
        """Closes all connections, over which everything has been sent and received."""
        self._group = None

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
        self.faults.check()
        works = []
        for peer, parts in incoming.items():
            works += [(peer, self._begun("recv", part, peer, tag)) for part in parts]
        for peer, parts in outgoing.items():
            works += [(peer, self._begun("send", part, peer, tag)) for part in parts]
            self.sent[purpose] += sum(part.nbytes for part in parts)
        return Transfer(self.faults, works, (outgoing, incoming))

    def begin(self, purpose: str, outgoing: Tensors, incoming: Tensors) -> Transfer:
        """`post` with the next tag."""
        if not self.peers:
            return Transfer(self.faults, (), None)
        return self.post(purpose, self.next_tag(), outgoing, incoming)

    def _begun(self, verb: str, part: Tensor, peer: int, tag: int) -> Any:
        group = self._group
        if group is None:
            raise MXNetError("KVStore: this store is closed")
        if not part.numel():
            return None
        try:
            return getattr(group, verb)([part], peer, tag)
        except RuntimeError as error:
            raise self.faults.of(peer, error) from None

    def exchange(self, purpose: str, tag: int, outgoing: Tensors, incoming: Tensors) -> None:
        """Sends and receives, and returns when that is done."""
        if self.peers:
            self.post(purpose, tag, outgoing, incoming).wait()

    def to_all(self, tensors: Sequence[Tensor]) -> Tensors:
        """The same tensors for each other rank."""
        return dict.fromkeys(self.peers, tensors)


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
