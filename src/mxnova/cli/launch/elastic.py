# SPDX-License-Identifier: Apache-2.0
"""Jobs whose workers come and go: all are started anew, as many as there are then.

A worker that a signal ends, or the first that fails, has gone. SIGUSR1 to the launcher adds one,
SIGUSR2 takes one away. Those that stay are asked to stop by SIGTERM, which `mx.elastic` answers
by a checkpoint.
"""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...core.base.errors import ArgumentError, FileError
from ...core.base.exit_status import RESTART
from .job import Job, hosts_of
from .launchers import LAUNCHERS
from .output import Output
from .process_group import GRACE, Failure, ProcessGroup
from .rendezvous import Place
from .report import Report

__all__ = ["run_elastic"]

_LEFT = 128 + signal.SIGTERM  # of one that was asked to leave
_SETTLE = 2.0  # seconds for those that a failure takes along to end by themselves


def run_elastic(
    job: Job, place: Place, report: Report, say: Callable[[str], None]
) -> Failure | None:
    """Runs a job to its end, or until fewer workers are left than it may have.

    Args:
        job: with its `limits`.
        place: where each generation of its workers meets.
        report: about each generation.
        say: tells the user what happens.

    Returns:
        The failure that left too few.
    """
    with _Changes() as changes:
        say(f"{_counted(job.num_workers)}; `kill -USR1 {os.getpid()}` adds one, -USR2 takes one")
        for attempt in itertools.count():
            end = _run(job, place, report, attempt, changes)
            report.add(attempt, place.told_steps(attempt, job.num_workers))
            if end.is_over:
                return None
            job = _without(job, end.gone)
            if end.gone and job.num_workers < job.limits[0]:
                say(f"{end.gone[0]}; fewer than --min {job.limits[0]} are left: all are ended")
                return end.gone[0]
            job = _changed(job, changes.taken(), say)
            what = "; ".join(map(str, end.gone)) or "the number changes"
            say(f"{what}; {_counted(job.num_workers)} go on")
    return None


def _counted(n: int) -> str:
    return f"{n} worker{'s' * (n > 1)}"


# One generation -----------------------------------------------------------------------------------


@dataclass
class _End:
    """How a generation of workers has ended.

    Attributes:
        is_over: whether the job is done.
        gone: those who do not take part in the next one.
    """

    is_over: bool = False
    gone: list[Failure] = field(default_factory=list)


def _run(job: Job, place: Place, report: Report, attempt: int, changes: _Changes) -> _End:
    output = Output()
    try:
        place.open_on_demand(output)
        common = {**place.variables, **report.variables, "DMLC_NUM_ATTEMPT": str(attempt)}
        parts = LAUNCHERS[job.launcher](job, common)
        with ProcessGroup(parts, output, job.grace) as group:
            failures = group.wait(lambda: changes.are_wanted(job))
            if failures:
                is_planned = any(f.status in (RESTART, _LEFT) for f in failures)
                if not is_planned:  # the others have nobody to write a checkpoint with
                    group.grace = GRACE
                failures += group.settle(job.grace if is_planned else _SETTLE)
                return _End(gone=_gone(failures))
            return _End(is_over=not group.is_running)
    finally:
        output.close()


def _gone(failures: Sequence[Failure]) -> list[Failure]:
    """Those that are the cause of others: others fail since a worker has gone."""
    signaled = [f for f in failures if f.status > 128]
    wrong = [f for f in failures if f.status != RESTART]
    return signaled or wrong[:1] or list(failures[:1])


# The next one -------------------------------------------------------------------------------------


def _without(job: Job, gone: Sequence[Failure]) -> Job:
    ranks = {failure.rank for failure in gone}
    hosts = [host for rank, host in enumerate(job.hosts_of_ranks()) if rank not in ranks]
    return job.resized(job.num_workers - len(ranks), hosts)


def _changed(job: Job, change: int, say: Callable[[str], None]) -> Job:
    """With so many workers more or fewer, within the limits; machines for more are read anew."""
    low, high = job.limits
    size = min(max(job.num_workers + change, low), high)
    hosts = list(job.hosts_of_ranks())[:size]
    if job.hostfile is not None and len(hosts) < size:
        try:
            known = hosts_of(job.hostfile)
        except (ArgumentError, FileError) as error:
            say(f"{error}; the number of workers stays")
            return job
        while len(hosts) < size:
            hosts.append(min(known, key=hosts.count))
    return job.resized(size, hosts)


class _Changes:
    """Workers that signals to this process have asked for, within this context."""

    def __init__(self) -> None:
        self._wanted = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> _Changes:
        for number, change in ((signal.SIGUSR1, 1), (signal.SIGUSR2, -1)):
            self._before[number] = signal.signal(number, self._adding(change))
        return self

    def _adding(self, change: int) -> Callable[[int, Any], None]:
        def add(_number: int, _frame: Any) -> None:
            self._wanted += change

        return add

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def are_wanted(self, job: Job) -> bool:
        """Whether the job is to have another number of workers than it has."""
        low, high = job.limits
        if not low <= job.num_workers + self._wanted <= high:
            self._wanted = min(max(self._wanted, low - job.num_workers), high - job.num_workers)
        return self._wanted != 0

    def taken(self) -> int:
        """What was asked for since it was last taken."""
        wanted, self._wanted = self._wanted, 0
        return wanted
