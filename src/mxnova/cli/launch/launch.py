# SPDX-License-Identifier: Apache-2.0
"""``mxnova launch``: hosts the rendezvous of a job, starts its processes and supervises them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from rich.text import Text

from ...core.base.console import open_console
from ...core.base.errors import MXNetError
from .elastic import run_elastic
from .job import Job, job_of
from .launchers import LAUNCHERS, copy_to_hosts
from .output import Output
from .process_group import Failure, ProcessGroup
from .rendezvous import Place
from .report import Report

__all__ = ["launch"]


def launch(options: SimpleNamespace) -> None:
    """Runs a job to its end.

    Raises:
        SystemExit: with the status of the process that failed.
        MXNetError: the options do not go together, or nothing could be started.
    """
    if not hasattr(os, "killpg"):
        raise MXNetError("launch: needs process groups, which this system lacks")
    job = job_of(options)
    with _ended_by_signals():
        if job.sync:
            copy_to_hosts(job)
        place, report = Place(job), Report(options.report, options.report_json)
        if job.is_elastic:
            failure = run_elastic(job, place, report, _say)
        else:
            failure = _until_it_works(job, place, report, options.max_restarts)
    if failure is not None:
        sys.exit(failure.status)


def _until_it_works(job: Job, place: Place, report: Report, restarts: int) -> Failure | None:
    for attempt in range(restarts + 1):
        failure = _run(job, place, report, attempt)
        report.add(attempt, place.told_steps(attempt, job.num_workers))
        if failure is None:
            return None
        what = "all others are ended"
        if attempt < restarts:
            what = f"restart {attempt + 1} of {restarts}"
        elif restarts:
            what += f", after {restarts} restarts"
        _say(f"{failure}; {what}")
    return failure


def _run(job: Job, place: Place, report: Report, attempt: int) -> Failure | None:
    output = Output()
    try:
        place.open_on_demand(output)
        common = {**place.variables, **report.variables, "DMLC_NUM_ATTEMPT": str(attempt)}
        with ProcessGroup(LAUNCHERS[job.launcher](job, common), output) as group:
            return next(iter(group.wait()), None)
    finally:
        output.close()


def _say(text: str) -> None:
    console = open_console(stderr=True, highlight=False)
    console.print(Text(f"launch: {text}", style="bold red"), soft_wrap=True)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP, but for nohup's, end the job as Ctrl-C does, not the launcher alone."""

    def end(number: int, _frame: Any) -> None:
        sys.exit(128 + number)

    heard = (n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN)
    before = {number: signal.signal(number, end) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
