# SPDX-License-Identifier: Apache-2.0
"""Events as a Chrome trace: the JSON that chrome://tracing and Perfetto show."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from ....formats.atomic import replacing
from ...base.errors import FileError
from .events import ASYNC, COUNTER, MARK, SPAN, Event

__all__ = ["Trace"]

_quoted = lru_cache(4096)(json.dumps)


class Trace:
    """A growing trace: events as text, in a file without a name, until written.

    What stands at the path given to `write` is at any time a whole trace.

    Raises:
        FileError: the folder for temporary files cannot be written.
    """

    def __init__(self) -> None:
        with _told():
            self._spool = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115 - until closed
        self._end = 0
        self._lanes: dict[str, int] = {}
        self._threads: dict[int, int] = {}
        self._named: set[tuple[int, int]] = set()
        self._n_async = 0

    def add(self, events: Iterable[Event]) -> None:
        """Appends events, or none of them where the disk is full.

        Raises:
            FileError: they cannot be written.
        """
        text = "".join(f",\n{{{entry}}}" for event in events for entry in self._entries(event))
        left = memoryview(text.encode())
        self._spool.seek(self._end)  # over the half of what has failed
        with _told():
            while left:
                left = left[self._spool.write(left) :]
        self._end = self._spool.tell()

    def _entries(self, event: Event) -> Iterator[str]:
        """An event's JSON, without braces, and that of the lane and the thread it introduces."""
        phase, lane, category, name, thread, start, payload, args = event
        pid = self._lanes.setdefault(lane or category, len(self._lanes))
        tid = self._threads.setdefault(thread, len(self._threads))
        if (pid, tid) not in self._named:
            self._named.add((pid, tid))
            yield _introduction("process_name", lane or category, pid, tid)
            yield _introduction("thread_name", _thread_name(thread), pid, tid)
        entry = f'"name":{_quoted(name)},"cat":{_quoted(category)},"pid":{pid},"tid":{tid}'
        details = "" if args is None else f',"args":{json.dumps(args)}'
        if phase == SPAN:
            yield f'{entry}{_at(phase, start)},"dur":{payload / 1000}{details}'
        elif phase == COUNTER:
            yield f'{entry}{_at(phase, start)},"args":{{{_quoted(name)}:{payload}}}'
        elif phase == MARK:
            yield f'{entry}{_at(phase, start)},"s":"{payload}"'
        elif phase == ASYNC:
            self._n_async += 1
            for moment, at in (("b", start), ("e", start + payload)):
                yield f'{entry}{_at(moment, at)},"id":{self._n_async}'

    def write(self, path: str) -> None:
        """Writes what there is so far as a whole file."""
        self._spool.truncate(self._end)
        self._spool.seek(0)
        with replacing(path) as file:
            file.write(b'{"displayTimeUnit":"ms","traceEvents":[')
            self._spool.read(1)  # the comma before the first event
            shutil.copyfileobj(self._spool, file, 1 << 20)
            file.write(b"\n]}\n")

    def close(self) -> None:
        """Gives the events up."""
        self._spool.close()


@contextmanager
def _told() -> Iterator[None]:
    """A block that writes temporary files: its errors name their folder."""
    try:
        yield
    except OSError as error:
        raise FileError.of(error, tempfile.gettempdir()) from None


def _at(phase: str, clock_ns: int) -> str:
    return f',"ph":"{phase}","ts":{clock_ns / 1000}'


def _introduction(what: str, name: str, pid: int, tid: int) -> str:
    return f'"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"args":{{"name":{_quoted(name)}}}'


def _thread_name(identity: int) -> str:
    for thread in threading.enumerate():
        if thread.ident == identity:
            return thread.name
    return f"thread {identity}"
