# SPDX-License-Identifier: Apache-2.0
"""The profiler."""

from __future__ import annotations

from typing import Any

from .. import profiler
from ..core.base.errors import ArgumentError
from ..core.base.handles import find, free, give
from .arguments import pairs, text
from .entry_points import extern
from .returns import return_text

_WORKER = 0
_FORMATS = ("table", "json")
_ORDERS = ("total", "avg", "min", "max", "count")
_PROCESSES = ("worker", "server")


def _chosen(name: str, number: int, known: tuple[str, ...]) -> str:
    if not 0 <= number < len(known):
        listing = ", ".join(f"{i}: {each}" for i, each in enumerate(known))
        raise ArgumentError(f"{name}={number}: must be one of {listing}")
    return known[number]


# Control ------------------------------------------------------------------------------------------


@extern
def MXSetProcessProfilerConfig(num_params: int, keys: Any, vals: Any, kvstore: int) -> None:
    profiler.set_config(**pairs(num_params, keys, vals))


@extern
def MXSetProfilerConfig(num_params: int, keys: Any, vals: Any) -> None:
    profiler.set_config(**pairs(num_params, keys, vals))


def _set_state(state: int, process: int) -> None:
    process_name = _chosen("profile_process", process, _PROCESSES)
    profiler.set_state(_chosen("state", state, ("stop", "run")), process_name)


@extern
def MXSetProcessProfilerState(state: int, profile_process: int, kvstore: int) -> None:
    _set_state(state, profile_process)


@extern
def MXSetProfilerState(state: int) -> None:
    _set_state(state, _WORKER)


def _pause(paused: int, process: int) -> None:
    change = profiler.pause if paused else profiler.resume
    change(_chosen("profile_process", process, _PROCESSES))


@extern
def MXProcessProfilePause(paused: int, profile_process: int, kvstore: int) -> None:
    _pause(paused, profile_process)


@extern
def MXProfilePause(paused: int) -> None:
    _pause(paused, _WORKER)


@extern
def MXDumpProcessProfile(finished: int, profile_process: int, kvstore: int) -> None:
    profiler.dump(bool(finished), _chosen("profile_process", profile_process, _PROCESSES))


@extern
def MXDumpProfile(finished: int) -> None:
    profiler.dump(bool(finished))


@extern
def MXAggregateProfileStatsPrint(out_str: Any, reset: int) -> None:
    return_text(out_str, profiler.dumps(bool(reset)), "profile")


@extern
def MXAggregateProfileStatsPrintEx(
    out_str: Any, reset: int, format: int, sort_by: int, ascending: int
) -> None:
    form, order = _chosen("format", format, _FORMATS), _chosen("sort_by", sort_by, _ORDERS)
    return_text(out_str, profiler.dumps(bool(reset), form, order, bool(ascending)), "profile")


# What a program itself records --------------------------------------------------------------------

_RECORDERS = (profiler.Domain, profiler.Duration, profiler.Counter)


@extern
def MXProfileCreateDomain(domain: Any, out: Any) -> None:
    out[0] = give(profiler.Domain(text(domain)))


@extern
def MXProfileCreateTask(domain: int, task_name: Any, out: Any) -> None:
    out[0] = give(profiler.Task(find(domain, profiler.Domain), text(task_name)))


@extern
def MXProfileCreateFrame(domain: int, frame_name: Any, out: Any) -> None:
    out[0] = give(profiler.Frame(find(domain, profiler.Domain), text(frame_name)))


@extern
def MXProfileCreateEvent(event_name: Any, out: Any) -> None:
    out[0] = give(profiler.Event(text(event_name)))


@extern
def MXProfileCreateCounter(domain: int, counter_name: Any, out: Any) -> None:
    out[0] = give(profiler.Counter(find(domain, profiler.Domain), text(counter_name)))


@extern
def MXProfileDestroyHandle(frame_handle: int) -> None:
    kind = type(find(frame_handle, object))
    if not issubclass(kind, _RECORDERS):
        raise ArgumentError(f"MXProfileDestroyHandle: the handle of a {kind.__name__}")
    free(frame_handle, kind)


@extern
def MXProfileDurationStart(duration_handle: int) -> None:
    find(duration_handle, profiler.Duration).start()


@extern
def MXProfileDurationStop(duration_handle: int) -> None:
    find(duration_handle, profiler.Duration).stop()


@extern
def MXProfileSetCounter(counter_handle: int, value: int) -> None:
    find(counter_handle, profiler.Counter).set_value(value)


@extern
def MXProfileAdjustCounter(counter_handle: int, value: int) -> None:
    find(counter_handle, profiler.Counter).increment(value)


@extern
def MXProfileSetMarker(domain: int, instant_marker_name: Any, scope: Any) -> None:
    marker = profiler.Marker(find(domain, profiler.Domain), text(instant_marker_name))
    marker.mark(text(scope))
