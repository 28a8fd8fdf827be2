# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a training loop: where and how often it saves, and what it goes on from."""

from __future__ import annotations

import os
from typing import Any

from ..core.base.errors import ArgumentTypeError, argument_error
from .content import Learner, Network
from .loading import Checkpoint, load, read, steps
from .saving import save, wait

__all__ = ["Checkpoints"]


class Checkpoints:
    """A folder of checkpoints, one after every few epochs.

    Args:
        folder: of the checkpoints, which all workers share.
        every: epochs from one checkpoint to the next.
        keep: how many to keep; None: all.
        shards: False: the first worker writes all of it, alone.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        every: int = 1,
        *,
        keep: int | None = None,
        shards: bool = True,
    ) -> None:
        if type(every) is not int or every < 1:
            raise argument_error("Checkpoints", "every", every, "must be at least 1")
        self.folder, self.every, self.keep, self.shards = folder, every, keep, shards

    @classmethod
    def of(cls, value: Checkpoints | str | os.PathLike[str]) -> Checkpoints:
        """Itself, or those of a folder."""
        return value if isinstance(value, Checkpoints) else cls(value)

    def last(self) -> Checkpoint | None:
        """The last checkpoint, if there is one."""
        return read(self.folder) if steps(self.folder) else None

    def load_parameters(self, net: Network) -> int:
        """Gives a network the parameters of the last checkpoint; the number of its epochs, or 0."""
        last = self.last()
        if last is None:
            return 0
        net._load_checkpoint_parameters(last.parameters(), last.path)
        return last.step or 0

    def load_states(self, learner: Any, epochs: int, iterator: Any = None) -> None:
        """Continues an optimizer, random numbers and an iterator after so many epochs."""
        if not isinstance(learner, Learner):
            kind = type(learner).__name__
            raise ArgumentTypeError(f"checkpoint: a {kind} has no states of an optimizer to save")
        if epochs:
            load(self.folder, None, learner, iterator=iterator, step=epochs)

    def save(self, net: Any, learner: Any, epochs: int, iterator: Any = None) -> None:
        """Begins the checkpoint after so many epochs, if there is to be one."""
        if epochs % self.every == 0:
            options: dict[str, Any] = {"keep": self.keep, "shards": self.shards}
            save(self.folder, epochs, net, learner, iterator=iterator, **options)

    def wait(self) -> None:
        """Returns when the last one is written; see `mx.checkpoint.wait`."""
        wait(self.folder)
