# SPDX-License-Identifier: Apache-2.0
"""Saving: a snapshot is taken at once, and written in the background."""

from __future__ import annotations

import functools
import logging
import os
import threading
from collections.abc import Callable
from typing import Any

from ..core.base.doors import door
from ..core.base.errors import ArgumentError, argument_error
from ..core.runtime.forks import after_fork_in_child
from ..core.runtime.program_end import before_pools_end
from ..formats.params import ArrayRecord
from ..formats.paths import exact
from .commit import Commit, Snapshot
from .content import Content, Learner, WorkerContent
from .ownership import owned
from .staging import Staging, give_back
from .workers import workers_of

__all__ = ["Saving", "save", "wait"]

_LOG = logging.getLogger("mxnova")
_MAX_STEP = 10**18


class Saving:
    """A checkpoint that is being written.

    Args:
        write: writes it, and returns its folder; None where another worker does.
    """

    def __init__(self, write: Callable[[], str | None]) -> None:
        self._write = write
        self._path: str | None = None
        self._error: BaseException | None = None
        # Not joined: Python 3.11 takes a thread for ended when Ctrl-C interrupts that.
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mxnova-checkpoint")
        self._thread.start()

    def _run(self) -> None:
        try:
            self._path = self._write()
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits
            self._error = error
            _LOG.error("%s", error)
        finally:
            del self._write  # and the snapshot
            self._done.set()

    @property
    def is_done(self) -> bool:
        """Whether it was written, or has failed."""
        return self._done.is_set()

    def wait(self) -> str | None:
        """Returns the folder of the checkpoint once all workers have written their parts.

        Raises:
            MXNetError: it was not written, and nobody was told so far. What stood there is as it
                was.
        """
        self._done.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._path


_in_flight: dict[tuple[str, int], Saving] = {}  # by folder and rank
after_fork_in_child(_in_flight.clear)


@functools.cache  # once is enough
def _finish_before_the_end() -> None:
    """Has the end of the program wait for checkpoints while a store can still be written to."""

    def finish() -> None:
        for saving in [*_in_flight.values()]:
            saving._done.wait()

    before_pools_end(finish)


@door
def save(
    folder: str | os.PathLike[str],
    step: int,
    net: Any = None,
    trainer: Any = None,
    *,
    iterator: Any = None,
    extra: Any = None,
    random: bool = True,
    shards: bool = True,
    keep: int | None = None,
    wait: bool = False,
    store: Any = None,
    rank: int | None = None,
    world: int | None = None,
    timeout: float = 600.0,
) -> Saving:
    """Begins a checkpoint in a folder that all workers share; every worker calls it.

    Each writes its part: pieces of parameters and states, and its own random numbers and place in
    the data. An index, written last, makes it count; until then the one before is the latest. The
    arrays are copied before this returns, and written while training goes on. A save that follows
    waits for it first, and copies into the same memory, which is kept for that until
    `checkpoint.wait()`.

    Args:
        folder: of checkpoints; each gets a folder of its own in there. It may be one of a store,
            such as ``s3://bucket/run``.
        step: its number; `load` takes the highest.
        net: a Block, a Module, or arrays by name.
        trainer: whose optimizer and states to save: a Trainer; default: those of a Module that is
            `net`.
        iterator: of the data; what its `state_dict()` gives is saved, if it has one.
        extra: plain data of the program's own, of the first worker: numbers, text, arrays,
            containers of those.
        random: whether to save the states of mxnova's, NumPy's and Python's random numbers.
        shards: False: the first worker writes all of it, alone.
        keep: how many checkpoints to keep; None: all.
        wait: return when it is written.
        store: the store that tells the workers apart; default: the trainer's.
        rank: number of this worker, from 0, without a store.
        world: how many workers there are, without a store.
        timeout: seconds that workers wait for each other while it is written.

    Returns:
        What can be waited for.

    Raises:
        MXNetError: the last save has failed and nobody was told; this one is not begun then. Or
            there is something in it that cannot be saved.
    """
    if type(step) is not int or not 0 <= step < _MAX_STEP:
        raise argument_error("checkpoint.save", "step", step, "must be an integer from 0 on")
    if keep is not None and (type(keep) is not int or keep < 1):
        raise argument_error("checkpoint.save", "keep", keep, "must be at least 1")
    learner = net if trainer is None and isinstance(net, Learner) else trainer
    rank, world = workers_of("checkpoint.save", learner, store, rank, world)
    root = exact(folder)
    previous = _in_flight.pop((root, rank), None)
    if previous is not None:
        previous.wait()
    if not shards:
        world = 1
    if rank >= world:  # another worker writes all of it
        return Saving(lambda: None)
    snapshot, staging = _snapshot(net, learner, extra, rank, world)
    snapshot.worker = WorkerContent.of(rank, iterator, random)
    _finish_before_the_end()
    commit = Commit(root, step, rank, world, keep, timeout)

    def write() -> str:
        path = commit.write(snapshot)
        staging.release()
        return path

    saving = _in_flight[root, rank] = Saving(write)
    if wait:
        saving.wait()
    return saving


def _snapshot(
    net: Any, learner: Any, extra: Any, rank: int, world: int
) -> tuple[Snapshot, Staging]:
    """A copy of what a worker writes, and the memory that it is in."""
    content = Content()
    if net is not None:
        content.add_parameters(net)
    if learner is not None and getattr(learner, "optimizer_initialized", True):
        content.add_states(learner)
    content.add_extra(extra)
    if any(name.startswith("worker.") for name in content.arrays):
        raise ArgumentError("checkpoint.save: no array may have a name that begins with 'worker.'")
    pieces = owned(content.arrays, rank, world, content.of_first)
    records = [content.arrays[piece.name] for piece in pieces]
    staging = Staging([p.of(r.data) for p, r in zip(pieces, records, strict=True)])
    copies = {
        piece.name: (piece.offsets, ArrayRecord("default", piece.shape, record.dtype, copy))
        for piece, record, copy in zip(pieces, records, staging.copies, strict=True)
    }
    return Snapshot(copies, content.notes), staging


@door
def wait(folder: str | os.PathLike[str] | None = None) -> None:
    """Returns when all checkpoints that this process writes are written, or those in a folder.

    The memory that is kept for the next save is given back.

    Raises:
        MXNetError: one was not written, and nobody was told so far.
    """
    root = None if folder is None else exact(folder)
    try:
        for key in [key for key in _in_flight if root in (None, key[0])]:
            _in_flight.pop(key).wait()
    finally:
        give_back()
