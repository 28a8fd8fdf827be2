# SPDX-License-Identifier: Apache-2.0
"""Groups: what carries tensors from rank to rank, chosen by where they are.

gloo carries those of the CPU; NCCL those of NVIDIA's GPUs, from device to device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor

from ...core.base.errors import MXNetError

__all__ = ["GROUPS", "Group", "Message", "Place"]

_SHORTLY = timedelta(milliseconds=1)
_NO_TAG = 1 << 30


class Place(NamedTuple):
    """What a group needs to know: where ranks find each other, and who they are."""

    store: Any  # dist.Store, which torch does not name
    rank: int
    size: int
    address: str  # of this machine, where it listens for others
    timeout: float  # seconds


class Message(NamedTuple):
    """A tensor to be sent to a rank, or to be received from it."""

    peer: int
    tensor: Tensor
    is_sent: bool


Failed = Callable[[int, RuntimeError], MXNetError]


class Group:
    """Connections to all ranks, over a backend of torch.distributed.

    Args:
        backend: gloo's, NCCL's or another one's.
    """

    def __init__(self, backend: Any) -> None:
        self.backend = backend

    def begin(self, messages: Sequence[Message], tag: int, failed: Failed) -> list[tuple[int, Any]]:
        """Begins to send and to receive.

        Args:
            messages: contiguous tensors where this group carries them; at least one.
            tag: what the other ranks know them by.
            failed: makes the error to raise of the rank and the reason why one could not begin.

        Returns:
            Peers, and what waits for them.
        """
        raise NotImplementedError

    def hang_up(self, peers: Sequence[int]) -> None:
        """Closes all connections at once, so that nobody waits for this rank."""
        raise NotImplementedError


class GlooGroup(Group):
    """Carries each message for itself; tags keep them apart, in whatever order they are posted."""

    @classmethod
    def at(cls, place: Place) -> GlooGroup:
        """The group of ranks that meet at a place."""
        options = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]
        options._devices = [dist.ProcessGroupGloo.create_device(hostname=place.address)]
        options._timeout = timedelta(seconds=place.timeout)
        return cls(dist.ProcessGroupGloo(place.store, place.rank, place.size, options))

    def begin(self, messages: Sequence[Message], tag: int, failed: Failed) -> list[tuple[int, Any]]:
        """See `Group`."""
        works = []
        for peer, tensor, is_sent in messages:
            begin = self.backend.send if is_sent else self.backend.recv
            try:
                works.append((peer, begin([tensor], peer, tag)))
            except RuntimeError as error:
                raise failed(peer, error) from None
        return works

    def hang_up(self, peers: Sequence[int]) -> None:
        """What a receipt does that waits in vain."""
        for peer in peers:
            with suppress(RuntimeError):  # some may be closed already
                self.backend.recv([torch.empty(1)], peer, _NO_TAG).wait(_SHORTLY)


class CoalescedGroup(Group):
    """Carries messages of one post together, as NCCL must, whose messages have no tags.

    All ranks post in the same order; so does the lane.
    """

    @classmethod
    def of_nccl(cls, place: Place) -> CoalescedGroup:
        """The group of ranks with GPUs.

        Raises:
            MXNetError: PyTorch was built without NCCL.
        """
        if not dist.is_nccl_available():
            raise MXNetError("KVStore: to exchange arrays of GPUs, PyTorch needs NCCL")
        options = dist.ProcessGroupNCCL.Options()
        options._timeout = timedelta(seconds=place.timeout)
        store = dist.PrefixStore("nccl", place.store)  # type: ignore[attr-defined]
        return cls(dist.ProcessGroupNCCL(store, place.rank, place.size, options))

    def begin(self, messages: Sequence[Message], tag: int, failed: Failed) -> list[tuple[int, Any]]:
        """See `Group`."""
        first = messages[0].peer
        try:
            self.backend._start_coalescing()
            for peer, tensor, is_sent in messages:
                (self.backend.send if is_sent else self.backend.recv)([tensor], peer, 0)
            return [(first, self.backend._end_coalescing())]
        except RuntimeError as error:
            raise failed(first, error) from None

    def hang_up(self, peers: Sequence[int]) -> None:
        """Gives up what is under way."""
        with suppress(RuntimeError):
            self.backend.abort()


GROUPS: Mapping[str, Callable[[Place], Group]] = {  # kind of device -> what makes its group
    "cpu": GlooGroup.at,
    "cuda": CoalescedGroup.of_nccl,
}
