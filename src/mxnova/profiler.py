# SPDX-License-Identifier: Apache-2.0
"""The profiler: ``mx.profiler.set_config(...)``, ``set_state("run")``, ``dump()``, ``dumps()``."""

from __future__ import annotations

import threading
from typing import Any

from .core.base.doors import facade
from .core.base.errors import MXNetError, UnknownNameError, argument_error
from .core.base.user_warnings import warn_user
from .core.runtime.profiler import PROFILER, clock

__all__ = [
    "Counter",
    "Domain",
    "Event",
    "Frame",
    "Marker",
    "Task",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "resume",
    "set_config",
    "set_kvstore_handle",
    "set_state",
]

profiler_kvstore_handle: Any = None


def set_kvstore_handle(handle: Any) -> None:
    """Keeps the key-value store whose servers could be profiled."""
    global profiler_kvstore_handle
    profiler_kvstore_handle = handle


def _only_worker(profile_process: str) -> None:
    if profile_process not in ("worker", "server"):
        raise UnknownNameError(
            f"profiler: profile_process={profile_process!r}: must be worker or server"
        )
    if profile_process == "server":
        raise MXNetError("profiler: profile_process='server': there are no servers to profile")


# Control ------------------------------------------------------------------------------------------


def set_config(**kwargs: Any) -> None:
    """Sets the options; those not given go back to their defaults.

    Args:
        kwargs: filename (profile.json), profile_symbolic, profile_imperative, profile_memory,
            profile_api (each true) or profile_all (false) choose what is recorded;
            continuous_dump (true) writes the file every dump_period (1) seconds; aggregate_stats
            (false) keeps the totals that `dumps` shows; profile_process (worker).

    Raises:
        MXNetError: an option that does not exist, or a value that it cannot have.
    """
    PROFILER.configure(kwargs)
    _only_worker(kwargs.get("profile_process", "worker"))


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Start (``run``) or stop (``stop``) recording; `dump` writes the recorded events."""
    actions = {"run": PROFILER.run, "stop": PROFILER.stop}
    if state not in actions:
        raise UnknownNameError(f"profiler: state={state!r}: must be run or stop")
    _only_worker(profile_process)
    actions[state]()


def pause(profile_process: str = "worker") -> None:
    """Suspends recording."""
    _only_worker(profile_process)
    PROFILER.pause(True)


def resume(profile_process: str = "worker") -> None:
    """Resume recording after `pause`."""
    _only_worker(profile_process)
    PROFILER.pause(False)


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write all recorded events to the file, which is replaced as a whole.

    Args:
        finished: stop recording; the next ``set_state("run")`` starts a new trace.
        profile_process: worker.

    Raises:
        MXNetError: nothing was recorded since the last finished dump.
    """
    _only_worker(profile_process)
    PROFILER.dump(finished)


def dumps(
    reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False
) -> str:
    """Count, total, smallest, largest and average of everything recorded; needs aggregate_stats.

    Args:
        reset: start from zero afterwards.
        format: table or json.
        sort_by: total, avg, min, max or count.
        ascending: the smallest first.
    """
    return PROFILER.dumps(reset, format, sort_by, ascending)


# Deprecated ---------------------------------------------------------------------------------------


def _warn(old: str, new: str) -> None:
    text = f"profiler.{old}() is deprecated. Please use profiler.{new}() instead"
    warn_user(text)


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """`set_config` of old: `mode` is symbolic or all."""
    _warn("profiler_set_config", "set_config")
    set_config(filename=filename, **{f"profile_{mode}": True})


def profiler_set_state(state: str = "stop") -> None:
    """`set_state` of old."""
    _warn("profiler_set_state", "set_state")
    set_state(state)


def dump_profile() -> None:
    """`dump` of old."""
    _warn("dump_profile", "dump")
    dump(True)


# What a program itself records --------------------------------------------------------------------


class Domain:
    """A name that tasks, frames, counters and marks are grouped under."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name

    def new_task(self, name: str) -> Task:
        """A task of this domain."""
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """A frame of this domain."""
        return Frame(self, name)

    def new_counter(self, name: str, value: int | None = None) -> Counter:
        """A counter of this domain."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """A mark of this domain."""
        return Marker(self, name)


class Duration:
    """Something that starts and stops, perhaps in different threads."""

    def __init__(self, category: str, name: str) -> None:
        self.name = name
        self._category = category
        self._start: int | None = None

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Begins it."""
        self._start = clock()

    def stop(self) -> None:
        """Ends and records it; nothing happens unless it was started."""
        start, self._start = self._start, None
        if start is not None and PROFILER.running:
            self._record(start)

    def _record(self, start: int) -> None:
        PROFILER.add_async(self.name, start, self._category)


class Task(Duration):
    """A piece of work; tasks may overlap and move between threads."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(domain.name, name)


class Frame(Duration):
    """One of a series, such as a batch."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(f"{domain.name},frame", name)


class Event(Duration):
    """A piece of work inside one thread; events nest."""

    def __init__(self, name: str) -> None:
        super().__init__("event", name)

    def _record(self, start: int) -> None:
        PROFILER.add(self.name, start, self._category)


class Counter:
    """A number over time: ``counter += 1``."""

    def __init__(self, domain: Domain, name: str, value: int | None = None) -> None:
        self.name = name
        self._category = domain.name
        self._value = 0
        self._lock = threading.Lock()
        if value is not None:
            self.set_value(value)

    def __str__(self) -> str:
        return self.name

    def set_value(self, value: int) -> None:
        """Set the value."""
        with self._lock:
            self._take(int(value))

    def increment(self, delta: int = 1) -> None:
        """Adds `delta`."""
        with self._lock:
            self._take(self._value + int(delta))

    def decrement(self, delta: int = 1) -> None:
        """Decrease the value by `delta`."""
        self.increment(-int(delta))

    def _take(self, value: int) -> None:
        self._value = value
        if PROFILER.running:
            PROFILER.count(self._category, self.name, value)

    def __iadd__(self, delta: int) -> Counter:
        self.increment(delta)
        return self

    def __isub__(self, delta: int) -> Counter:
        self.decrement(delta)
        return self


class Marker:
    """A moment worth seeing."""

    _scopes = {"global": "g", "marker": "p", "process": "p", "task": "p", "thread": "t"}  # noqa: RUF012

    def __init__(self, domain: Domain, name: str) -> None:
        self.name = name
        self._category = f"{domain.name},instant_marker"

    def mark(self, scope: str = "process") -> None:
        """Records now; `scope` is global, process, thread, task or marker."""
        if scope not in self._scopes:
            known = ", ".join(self._scopes)
            raise argument_error("Marker.mark", "scope", scope, f"must be one of {known}")
        if PROFILER.running:
            PROFILER.mark(self._category, self.name, self._scopes[scope])


facade(__name__)
