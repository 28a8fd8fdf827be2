# SPDX-License-Identifier: Apache-2.0
"""Training: batches of a job that goes on from its last checkpoint with as many workers as come."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from typing import Any

from .. import checkpoint
from ..checkpoint.content import Learner
from ..core.base.errors import ArgumentError, ArgumentTypeError, MXNetError, argument_error
from ..core.base.exit_status import RESTART
from ..record_dataset.sampler import RecordSampler
from .agreement import Agreement
from .interrupts import Interrupts

__all__ = ["Training"]

_NONE = -1  # step: there is no checkpoint


class Training:
    """The steps of a job whose workers may come and go.

    Begins with the last checkpoint in the folder, if there is one, whatever number of workers
    wrote it. Every worker makes a Training before the first step, of a net, a trainer and a sampler
    that are the same everywhere.

    SIGTERM to any worker has all of them stop at the end of the same step, with a checkpoint: who
    got the signal ends with status 143, the others with 75. Whoever has started them starts as
    many as there are now: `mxnova launch --min` and torchrun do.

    Args:
        folder: of checkpoints, which all workers can reach.
        net: a Block, or arrays by name.
        trainer: a Trainer.
        sampler: of `mx.elastic.sampler` or `RecordDataset.sampler`, which gives out the batches.
        every: steps from one checkpoint to the next.
        keep: how many checkpoints to keep; None: all.

    Attributes:
        rank: the number of this worker, from 0.
        world: how many workers there are.
        world_before: how many wrote the checkpoint it went on from; None: there was none.
        step: how many steps are done, on any number of workers.
        total: how many samples all workers together take in this step: what `Trainer.step` is
            given.
        extra: plain data of the program's own, such as the best accuracy so far, which is part of
            each checkpoint; that of the first worker counts.

    Raises:
        MXNetError: the checkpoint does not fit, or sampler or trainer do not know all workers.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        net: Any,
        trainer: Any,
        sampler: RecordSampler,
        *,
        every: int = 100,
        keep: int | None = 2,
    ) -> None:
        if type(every) is not int or every < 1:
            raise argument_error("elastic.Training", "every", every, "must be at least 1")
        if not isinstance(sampler, RecordSampler):
            kind = type(sampler).__name__
            text = "must be of mx.elastic.sampler or RecordDataset.sampler"
            raise ArgumentTypeError(f"elastic.Training: sampler: a {kind} {text}")
        self._folder, self._every, self._keep = folder, every, keep
        self._net, self._trainer, self._sampler = net, trainer, sampler
        self._agreement = Agreement()
        self.rank: int = self._agreement.rank
        self.world: int = self._agreement.world
        self.world_before: int | None = None
        self.step: int = 0
        self.total: int = 0
        self._saved = 0  # the step of the last checkpoint
        self.extra: Any = {}
        self._resume()
        self._check_workers()

    def _resume(self) -> None:
        """Goes on from the last checkpoint that the first worker sees."""
        last = self._agreement.first(max(checkpoint.steps(self._folder), default=_NONE))
        if last == _NONE:
            return
        here: dict[str, Any] = {"rank": self.rank, "world": self.world}
        loaded = checkpoint.load(
            self._folder, self._net, self._trainer, iterator=self._sampler, step=last, **here
        )
        self.step = self._saved = last
        self.world_before, self.extra = loaded.world, loaded.extra

    def _check_workers(self) -> None:
        """Refuses what would train apart from the other workers, or take their samples."""
        counts = {"sampler": self._sampler.share().rank.n}
        if isinstance(self._trainer, Learner):
            store = self._trainer._checkpoint_store()
            counts["trainer"] = 1 if store is None else store.num_workers
        for name, n in counts.items():
            if n != self.world:
                text = f"has a store of {n}; both take the store of kvstore.create('dist_sync')"
                raise ArgumentError(
                    f"elastic.Training: {name}: there are {self.world} workers, it {text}"
                )

    def batches(self, epochs: int, loader: Iterable[Any] | None = None) -> Iterator[Any]:
        """What is left of so many epochs, batch by batch; a step ends when the next is asked for.

        Every worker gets as many batches. One that has no sample in the last step of an epoch
        gets none, and takes part with gradients of zero.

        Args:
            epochs: from the very beginning.
            loader: what makes batches of the sampler's lists, such as a DataLoader that has it for
                its `batch_sampler`; default: the lists themselves.

        Raises:
            SystemExit: all workers stop, to go on with another number of them.
            MXNetError: a checkpoint could not be written, a worker has died, or the loader gave
                fewer batches than the sampler has lists.
        """
        with Interrupts(self._agreement.is_broken) as interrupts:
            while self._sampler.epoch < epochs:
                yield from self._epoch(loader, interrupts)
            if self.step != self._saved:
                self._save(None)
            checkpoint.wait(self._folder)

    def _epoch(self, loader: Iterable[Any] | None, interrupts: Interrupts) -> Iterator[Any]:
        share, taken = self._sampler.share(), 0
        for batch in self._sampler if loader is None else loader:
            self.total = share.n_records_of(taken)
            yield batch
            taken += 1
            self._finish_step(taken, interrupts)
        if taken < share.n_batches:  # the others would wait for this one's gradients
            text = f"the loader gave {taken} batches of {share.n_batches}"
            raise MXNetError(f"elastic.Training: {text}; it must have the sampler as batch_sampler")
        if taken < share.n_steps:
            self.total = share.n_records_of(taken)
            self._trainer._step_without_samples(self.total)
            self._finish_step(taken + 1, interrupts)

    def _finish_step(self, taken: int, interrupts: Interrupts) -> None:
        self.step += 1
        stops = self._agreement.any(interrupts.asked)
        if stops or self.step % self._every == 0:
            self._save(taken)
        if stops:
            checkpoint.wait(self._folder)
            raise SystemExit(128 + signal.SIGTERM if interrupts.asked else RESTART)

    def _save(self, taken: int | None) -> None:
        """Begins a checkpoint after so many batches of this epoch; None: between epochs."""
        self._saved = self.step
        checkpoint.save(
            self._folder,
            self.step,
            self._net,
            self._trainer,
            iterator=_Place(self._sampler.state_dict(taken)),
            extra=self.extra,
            keep=self._keep,
            rank=self.rank,
            world=self.world,
        )


class _Place:
    """The place in the data after a step, which a loader's workers are ahead of."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state

    def state_dict(self) -> dict[str, Any]:
        return self._state
