# SPDX-License-Identifier: Apache-2.0
"""Child processes that live and end together.

Each is the head of a process group: when it ends, whatever it has started ends, too. So it does
when this process is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from ...core.base.errors import MXNetError
from .job import Part
from .output import Output
from .watchdog import Watchdog

__all__ = ["GRACE", "Failure", "ProcessGroup"]

GRACE = 5.0  # seconds from the request to end to the end


@dataclass(frozen=True)
class Failure:
    """The failure of a process: its name, its exit status as a shell reports it, its place."""

    name: str
    status: int
    rank: int = 0

    def __str__(self) -> str:
        number = self.status - 128
        if number in set(signal.Signals):
            return f"{self.name} was ended by {signal.Signals(number).name}"
        return f"{self.name} ended with status {self.status}"


class ProcessGroup:
    """Processes; leaving the context ends those that still run.

    Args:
        parts: what to start.
        output: shows what they write.
        grace: seconds from the request to end, which leaving makes, to the end.
    """

    def __init__(self, parts: Iterable[Part], output: Output, grace: float = GRACE) -> None:
        self._parts, self._output = parts, output
        self._running: dict[subprocess.Popen[bytes], tuple[int, Part]] = {}
        self.grace = grace
        self._watchdog = Watchdog(grace)

    def __enter__(self) -> ProcessGroup:
        try:
            for rank, part in enumerate(self._parts):
                self._start(rank, part)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def is_running(self) -> bool:
        """Whether there is a process left."""
        return bool(self._running)

    def wait(self, until: Callable[[], bool] = lambda: False) -> list[Failure]:
        """Until all have ended, or some have failed, who are returned, or `until` is true."""
        while self._running and not until():
            self._output.show(0.05)
            if failed := self._ended():
                return failed
        return []

    def settle(self, seconds: float) -> list[Failure]:
        """Further failures, until all have ended or so many seconds are over."""
        failed: list[Failure] = []
        give_up = time.monotonic() + seconds
        while self._running and time.monotonic() < give_up:
            self._output.show(0.05)
            failed += self._ended()
        return failed

    def _start(self, rank: int, part: Part) -> None:
        try:
            process = subprocess.Popen(
                part.command,
                env={**os.environ, "PYTHONUNBUFFERED": "1", **part.variables},
                stdin=subprocess.DEVNULL if part.first_line is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise MXNetError(f"launch: {part.command[0]}: {error.strerror}") from None
        self._running[process] = rank, part
        if process.stdin is not None:
            with suppress(BrokenPipeError):  # it has ended, as its status tells
                process.stdin.write(f"{part.first_line}\n".encode())
                process.stdin.flush()
        self._watchdog.add(process.pid)
        for pipe, stream in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            if pipe is not None:
                self._output.add(pipe, stream, part.name)

    def _ended(self) -> list[Failure]:
        """The failures among those that have ended meanwhile."""
        failures = []
        for process in [p for p in self._running if p.poll() is not None]:
            _signal(process, signal.SIGKILL)  # what it has left behind
            self._watchdog.remove(process.pid)
            rank, part = self._running.pop(process)
            status = process.returncode
            if status:
                failures.append(Failure(part.name, status if status > 0 else 128 - status, rank))
        return failures

    def _end(self) -> None:
        """Asks all to end, a while later has them ended, and shows what they had to say."""
        try:
            for process in self._running:
                _ask_to_end(process)
            self.settle(self.grace)
        finally:  # Ctrl-C again: at once
            for process in self._running:
                _signal(process, signal.SIGKILL)
                process.wait()
            self._running.clear()
            self._watchdog.close()


def _ask_to_end(process: subprocess.Popen[bytes]) -> None:
    """By the end of its input, where it has one: ssh passes that on, and waits for the rest."""
    if process.stdin is None:
        _signal(process, signal.SIGTERM)
        return
    with suppress(BrokenPipeError):
        process.stdin.close()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Sends a signal to a process and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended; the latter is macOS's
        os.killpg(process.pid, number)
