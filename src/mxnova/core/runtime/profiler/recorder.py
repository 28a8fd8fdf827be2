# SPDX-License-Identifier: Apache-2.0
"""The one profiler of a process: what it is told to record, and what it has recorded."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
import typing
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar

import torch
from torch import Tensor

from ...base import env
from ...base.doors import leave
from ...base.errors import AssertedError, MXNetError, argument_error
from ...base.params import fields_of, parse_attrs
from .. import heap
from ..engine.gpu import wait_for_gpu
from ..forks import after_fork_in_child
from ..slow_path import SLOW_PATH
from .aggregate import ORDERS, Totals
from .events import (
    API,
    ASYNC,
    COUNTER,
    CUSTOM,
    FORWARD,
    MARK,
    MEMORY,
    OPERATOR,
    SPAN,
    Device,
    Event,
)
from .trace import Trace

__all__ = ["PROFILER", "Options", "Profiler", "api_call", "clock", "custom_code", "span"]

clock = time.perf_counter_ns
_thread_id = threading.get_ident


@dataclass(frozen=True)
class Options:
    """What `set_config` sets; what it does not name goes back to these defaults."""

    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_api: bool = True
    filename: str = "profile.json"
    continuous_dump: bool = True
    dump_period: float = 1.0
    aggregate_stats: bool = False
    profile_process: Literal["worker", "server"] = "worker"


_FIELDS = fields_of(
    typing.get_type_hints(Options), vars(Options), list(Options.__dataclass_fields__)
)

_P = ParamSpec("_P")
_T = TypeVar("_T")
_R = TypeVar("_R")

# MXNET_PROFILER_MODE: which bit stands for what.
_SYMBOLIC, _IMPERATIVE, _API_CALLS, _MEMORY = 1, 2, 4, 8


class Profiler:
    """Records events while it runs.

    Attributes:
        running: whether anything is recorded now.
        symbolic: whether operators of executors are.
        imperative: whether operators called eagerly are.
        memory: whether memory in use is.
        api: whether calls of the public interface are.
    """

    __slots__ = (
        "__weakref__",
        "_events",
        "_is_paused",
        "_is_started",
        "_lock",
        "_options",
        "_totals",
        "_trace",
        "_writer",
        "api",
        "imperative",
        "memory",
        "running",
        "symbolic",
    )

    def __init__(self) -> None:
        self._options = Options()
        self._events: deque[Event] = deque()
        self._totals = Totals()
        self._trace: Trace | None = None  # None: never run, or finished
        self._writer: _Writer | None = None
        self._lock = threading.RLock()
        self._is_started = self._is_paused = False
        self._follow()

    # Control -------------------------------------------------------------------------------------

    def configure(self, options: dict[str, Any]) -> None:
        """Sets all options: those given, and the others to their defaults.

        Raises:
            ArgumentError: an option that does not exist, or a value that it cannot have.
        """
        parsed = Options(**parse_attrs("profiler", _FIELDS, options))
        if not parsed.filename:
            raise argument_error("profiler", "filename", "", "must name a file")
        with self._lock:
            self._drain()
            self._options = parsed
            self._follow()

    def run(self) -> None:
        """Starts recording, also after a pause."""
        with self._lock:
            self._is_started, self._is_paused = True, False
            if self._trace is None:
                self._events.clear()  # what threads recorded while the last trace was finished
                self._trace = Trace()
                atexit.register(self._finish)
            self._follow()

    def stop(self) -> None:
        """Stops recording; what was recorded stays."""
        with self._lock:
            self._is_started = False
            self._follow()

    def pause(self, paused: bool) -> None:
        """Suspends recording, or goes on with it."""
        with self._lock:
            self._is_paused = paused
            self._follow()

    def leave_if_idle(self) -> None:
        """Stays as long as it runs."""

    def _follow(self) -> None:
        """Does as the options and the state say."""
        options = self._options
        self.running = on = self._is_started and not self._is_paused
        (SLOW_PATH.add if on else SLOW_PATH.discard)(self)
        self.symbolic = on and (options.profile_all or options.profile_symbolic)
        self.imperative = on and (options.profile_all or options.profile_imperative)
        self.memory = on and (options.profile_all or options.profile_memory)
        self.api = on and (options.profile_all or options.profile_api)
        writes = self._is_started and options.continuous_dump
        if writes and self._writer is None:
            self._writer = _Writer(self)
        elif not writes and self._writer is not None:
            self._writer.stop()
            self._writer = None

    def _forget(self) -> None:
        """After a fork: the parent's events and file are the parent's."""
        self._lock = threading.RLock()
        self._events = deque()
        self._trace = self._writer = None
        self._is_started = False
        self._follow()

    # Recording -----------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        start: int,
        category: str = OPERATOR,
        lane: Device | str | None = None,
        args: dict[str, Any] | None = None,
    ) -> None:
        """Records a span of this thread that began at `start` (see `clock`) and ends now.

        Args:
            name: what ran.
            start: when it began.
            category: what kind of thing it is.
            lane: where it ran, a context or text; default: the category.
            args: details to show with it.
        """
        now = clock()
        lane = lane if lane is None or isinstance(lane, str) else lane_of(lane)
        if category is OPERATOR and _custom.running:
            owner = _custom.running[-1]
            owner.nested += now - start
            category, name = CUSTOM, f"{owner.name}::{name}"
        self._events.append((SPAN, lane, category, name, _thread_id(), start, now - start, args))

    def add_python(self, code: _CustomCode, start: int) -> None:
        """Records a custom operator's Python, which began at `start`, without what it called."""
        took = clock() - start - code.nested
        event = (SPAN, None, CUSTOM, f"{code.name}::pure_python", _thread_id(), start, took, None)
        self._events.append(event)

    def add_async(self, name: str, start: int, category: str) -> None:
        """Records a span that may overlap others of its thread."""
        now = clock()
        self._events.append((ASYNC, None, category, name, _thread_id(), start, now - start, None))

    def count(self, category: str, name: str, value: int) -> None:
        """Records a counter's value."""
        self._events.append((COUNTER, None, category, name, _thread_id(), clock(), value, None))

    def mark(self, category: str, name: str, scope: str) -> None:
        """Records a moment; `scope` is g, p or t: all, a lane, or a thread."""
        self._events.append((MARK, None, category, name, _thread_id(), clock(), scope, None))

    def ran(
        self, name: str, start: int, context: Device, results: Any = (), node: str | None = None
    ) -> None:
        """Records an operator that began at `start`, as far as the options ask for it.

        Args:
            name: the operator.
            start: when it began.
            context: where it ran.
            results: the tensor or tensors that it gave.
            node: the node of a graph that it ran for; default: it was called eagerly.
        """
        if context.device_type == "gpu":
            wait_for_gpu(context.device_id)
        for result in results if isinstance(results, tuple) else (results,):
            if isinstance(result, Tensor) and result.grad_fn is not None:
                metadata: Any = result.grad_fn.metadata
                metadata[FORWARD] = name
        if self.api and node is None:
            self.add("MXImperativeInvokeEx", start, API)
        if self.imperative if node is None else self.symbolic:
            args = None if node is None else {"node": node}
            self.add(name, start, OPERATOR, context, args)
        if self.memory:
            self.count(MEMORY, f"Memory: {lane_of(context)}", memory_in_use(context))

    def timed(self, function: Callable[[_T], _R], name: str, context: Device) -> Callable[[_T], _R]:
        """`function`, recorded as operator `name` when it runs."""

        def run(value: _T) -> _R:
            start = clock()
            result = function(value)
            self.ran(name, start, context, result)
            return result

        return run

    # What was recorded ---------------------------------------------------------------------------

    def _drain(self) -> None:
        """Moves events to the trace and the totals."""
        events = [self._events.popleft() for _ in range(len(self._events))]
        if self._options.aggregate_stats:
            self._totals.add(events)
        if self._trace is not None:
            self._trace.add(events)

    def dump(self, finished: bool) -> None:
        """Writes the trace to the file.

        Args:
            finished: stop recording; the next run starts a new trace.

        Raises:
            MXNetError: the profiler has not run since the last finished dump.
        """
        with self._lock:
            if self._trace is None:
                raise MXNetError("profiler: nothing to dump; set_state('run') starts recording")
            if finished:
                self.stop()
            self._drain()
            self._trace.write(self._options.filename)
            if finished:
                self._trace.close()
                self._trace = None
                atexit.unregister(self._finish)

    def _finish(self) -> None:
        if self._trace is not None:
            self.dump(True)

    def dumps(self, reset: bool, form: str, sort_by: str, ascending: bool) -> str:
        """The totals as text; empty when they are not kept."""
        if form not in ("table", "json"):
            what = "must be table or json"
            raise argument_error("profiler.dumps", "format", form, what, AssertedError)
        if sort_by not in ORDERS:
            what = f"must be one of {', '.join(ORDERS)}"
            raise argument_error("profiler.dumps", "sort_by", sort_by, what, AssertedError)
        with self._lock:
            self._drain()
            if not self._options.aggregate_stats:
                return ""
            write = self._totals.json if form == "json" else self._totals.table
            text = write(sort_by, ascending)
            if reset:
                self._totals.clear()
            return text


def lane_of(context: Device) -> str:
    """What MXNet calls a device in traces and tables."""
    number = context.device_id if context.device_type in ("cpu", "gpu") else ""
    return f"{context.device_type.replace('_', ' ')}/{number}"


def memory_in_use(context: Device) -> int:
    """Bytes that are allocated now: of a GPU by arrays, of the CPU by the whole process."""
    if context.device_type == "gpu":
        return torch.cuda.memory_allocated(context.device)
    return heap.in_use()


class _Writer:
    """Dumps every now and then, in a thread, so that a process that is killed leaves a trace."""

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = profiler
        self._stopped = threading.Event()
        threading.Thread(target=self._work, name="mxnova profiler", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    def _work(self) -> None:
        pause = self._profiler._options.dump_period
        while not self._stopped.wait(pause):
            start = clock()
            with self._profiler._lock:
                if self._stopped.is_set():
                    return
                self._profiler.dump(finished=False)
            # The whole file is written each time: at most a tenth of the time goes into it.
            took = (clock() - start) / 1e9
            pause = max(self._profiler._options.dump_period, 10 * took)


PROFILER = Profiler()
after_fork_in_child(PROFILER._forget)


# Ways to record -----------------------------------------------------------------------------------


class _Span:
    """A block that is recorded, whether or not it raises."""

    __slots__ = ("_category", "_lane", "_name", "_start")

    def __init__(self, name: str, category: str, lane: Device | str | None) -> None:
        self._name, self._category, self._lane = name, category, lane
        self._start = clock()

    def __enter__(self) -> None:
        self._start = clock()

    def __exit__(self, *error: object) -> None:
        PROFILER.add(self._name, self._start, self._category, self._lane)


class _Custom(threading.local):
    """The custom operators that a thread is inside of."""

    def __init__(self) -> None:
        self.running: list[_CustomCode] = []


_custom = _Custom()


class _CustomCode:
    """A block of a custom operator's code; operators inside it are recorded as its own."""

    __slots__ = ("_start", "name", "nested")

    def __init__(self, name: str) -> None:
        self.name = name
        self.nested = 0

    def __enter__(self) -> None:
        _custom.running.append(self)
        self._start = clock()

    def __exit__(self, *error: object) -> None:
        _custom.running.remove(self)
        PROFILER.add_python(self, self._start)


_NOTHING = contextlib.nullcontext()


def span(
    name: str, category: str = OPERATOR, lane: Device | str | None = None
) -> contextlib.AbstractContextManager[None]:
    """A block to record; nothing happens when the profiler does not run.

    Args:
        name: what runs.
        category: what kind of thing it is.
        lane: where it runs, a context or text; default: the category.
    """
    return _Span(name, category, lane) if PROFILER.running else _NOTHING


def custom_code(name: str) -> contextlib.AbstractContextManager[None]:
    """A block that runs a custom operator's code; nothing happens when no operators are recorded.

    Args:
        name: the operator, or its gradient.
    """
    return _CustomCode(name) if PROFILER.imperative or PROFILER.symbolic else _NOTHING


def api_call(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Records calls of a function under MXNet's name for that part of its interface."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                if not PROFILER.api:
                    return function(*args, **kwargs)
                with _Span(name, API, None):
                    return function(*args, **kwargs)
            except Exception as error:
                leave(error)
                raise

        return call

    return decorate


def _autostart() -> None:
    if not env.get("MXNET_PROFILER_AUTOSTART"):
        return
    mode = env.get("MXNET_PROFILER_MODE")
    PROFILER.configure(
        {
            "profile_symbolic": mode == 0 or bool(mode & _SYMBOLIC),
            "profile_imperative": bool(mode & _IMPERATIVE),
            "profile_api": bool(mode & _API_CALLS),
            "profile_memory": bool(mode & _MEMORY),
        }
    )
    PROFILER.run()


_autostart()
