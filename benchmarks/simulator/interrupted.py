# SPDX-License-Identifier: Apache-2.0
"""A real job of which workers are killed: how long its restarts take, and which steps count."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

__all__ = ["EVERY", "Run", "run"]

STEP, EVERY = 0.05, 20  # seconds of a step without exchange; steps between checkpoints
_TIMEOUT = 300.0  # seconds


@dataclass(frozen=True)
class Run:
    """What became of a job.

    Attributes:
        step: seconds of a step, the median of those before the first failure.
        failures: when workers were killed, in seconds from the first step on.
        restarts: seconds from each failure to the end of the first step after it, less that step.
        works: processor seconds that the first worker took for each of them.
        end: when it was ended.
        steps: how many were done by then that count.
    """

    step: float
    failures: tuple[float, ...]
    restarts: tuple[float, ...]
    works: tuple[float, ...]
    end: float
    steps: int

    @property
    def goodput(self) -> float:
        """The share of time in which steps were done that count."""
        return self.steps * self.step / self.end


def run(n: int, gaps: Sequence[float]) -> Run:
    """Runs a job of `n` workers, of which one is killed after each gap but the last.

    Args:
        n: workers, all of which are started anew after each failure.
        gaps: seconds of training before each failure, and before the end.
    """
    with tempfile.TemporaryDirectory() as name, _started(Path(name), n):
        folder, failures, first = Path(name), list[float](), list[_Note]()
        resumed = begin = _first_since(folder, 0.0).time
        for gap in gaps[:-1]:
            _sleep_until(resumed + gap)
            failures.append(time.time())
            os.kill(_latest_worker(folder), signal.SIGKILL)
            first.append(_first_since(folder, failures[-1] + STEP))
            resumed = first[-1].time
        _sleep_until(resumed + gaps[-1])
        last = _notes(folder)[-1]
        notes = [note for note in _notes(folder) if note.time < failures[0]]
        step = (notes[-1].time - begin) / max(notes[-1].steps - notes[0].steps, 1)
    begin -= step
    told = tuple(failure - begin for failure in failures)
    took = zip(first, failures, strict=True)
    restarts = tuple(note.time - failure - STEP for note, failure in took)
    works = tuple(note.processor for note in first)
    return Run(step, told, restarts, works, last.time - begin, last.steps)


@contextlib.contextmanager
def _started(folder: Path, n: int) -> Iterator[None]:
    worker = [sys.executable, "-m", "benchmarks.simulator.slow_training"]
    launch = [sys.executable, "-m", "mxnova", "launch", "-n", str(n), "--max-restarts", "99"]
    command = [*launch, *worker, str(folder), str(STEP), str(EVERY)]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    with open(folder / "output", "w") as output:
        job = subprocess.Popen(command, env=variables, stdout=output, stderr=output)
    try:
        yield
    except TimeoutError as error:
        raise RuntimeError((folder / "output").read_text()) from error
    finally:
        job.terminate()
        job.wait()


def _latest_worker(folder: Path) -> int:
    latest = max(folder.glob("worker-*"), key=lambda path: path.stat().st_mtime_ns)
    return int(latest.name.split("-")[1])


class _Note(NamedTuple):
    """After a step: when, how many are done, and what the process has taken of a processor."""

    time: float
    steps: int
    processor: float


def _notes(folder: Path) -> list[_Note]:
    with contextlib.suppress(FileNotFoundError):
        whole, _, _ = (folder / "steps").read_text().rpartition("\n")
        return [_Note(*json.loads(line)) for line in whole.splitlines()]
    return []


def _first_since(folder: Path, since: float) -> _Note:
    """The first note after that time, once it is there."""

    def found() -> _Note | None:
        return next((note for note in _notes(folder) if note.time > since), None)

    return _waited(found)


def _waited(look: Callable[[], _Note | None]) -> _Note:
    end = time.monotonic() + _TIMEOUT
    while (found := look()) is None:
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)
    return found


def _sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.time()))
