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
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from ...core.base.errors import MXNetError
from .job import Part
from .output import Output
from .watchdog import Watchdog

__all__ = ["Failure", "ProcessGroup"]

_GRACE = 5.0  # seconds from the request to end to the end


@dataclass(frozen=True)
class Failure:
    """The failure of a process: its name, and its exit status as a shell reports it."""

    name: str
    status: int

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
    """

    def __init__(self, parts: Iterable[Part], output: Output) -> None:
        self._parts, self._output = parts, output
        self._running: dict[subprocess.Popen[bytes], Part] = {}
        self._watchdog = Watchdog(_GRACE)

    def __enter__(self) -> ProcessGroup:
        try:
            for part in self._parts:
                self._start(part)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def wait(self) -> Failure | None:
        """Until all have ended, or one has failed, which is returned."""
        while self._running:
            self._output.show(0.05)
            if failed := self._ended():
                return failed[0]
        return None

    def _start(self, part: Part) -> None:
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
        self._running[process] = part
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
            part = self._running.pop(process)
            status = process.returncode
            if status:
                failures.append(Failure(part.name, status if status > 0 else 128 - status))
        return failures

    def _end(self) -> None:
        """Asks all to end, a while later has them ended, and shows what they had to say."""
        try:
            for process in self._running:
                _signal(process, signal.SIGTERM)
            give_up = time.monotonic() + _GRACE
            while self._running and time.monotonic() < give_up:
                self._output.show(0.05)
                self._ended()
        finally:  # Ctrl-C again: at once
            for process in self._running:
                _signal(process, signal.SIGKILL)
                process.wait()
            self._running.clear()
            self._watchdog.close()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Sends a signal to a process and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):  # all have ended; the latter is macOS's
        os.killpg(process.pid, number)
