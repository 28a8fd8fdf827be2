"""The profiler through C."""

import ctypes
import json

import pytest

from .c import created, out, texts


def test_a_program_records(call, tmp_path):
    path = tmp_path / "profile.json"
    keys, values = texts("filename", "aggregate_stats"), texts(path, "True")
    call("MXSetProfilerConfig", 2, keys, values)
    call("MXSetProfilerState", 1)
    domain = created(call, "MXProfileCreateDomain", b"of mine")
    durations = [
        created(call, "MXProfileCreateTask", domain, b"task"),
        created(call, "MXProfileCreateFrame", domain, b"frame"),
        created(call, "MXProfileCreateEvent", b"event"),
    ]
    for each in durations:
        call("MXProfileDurationStart", each)
        call("MXProfileDurationStop", each)
    counter = created(call, "MXProfileCreateCounter", domain, b"counter")
    call("MXProfileSetCounter", counter, ctypes.c_uint64(5))
    call("MXProfileAdjustCounter", counter, ctypes.c_int64(-2))
    call("MXProfileSetMarker", domain, b"mark", b"process")
    call("MXProfilePause", 1)
    call("MXProfilePause", 0)
    text, at = out(ctypes.c_char_p)
    call("MXAggregateProfileStatsPrintEx", at, 0, 1, 0, 0)
    assert "task" in json.loads(text.value)["Time"]["of mine"]
    call("MXAggregateProfileStatsPrint", at, 1)
    assert b"of mine" in text.value
    call("MXSetProfilerState", 0)
    call("MXDumpProfile", 1)
    names = {event["name"] for event in json.loads(path.read_text())["traceEvents"]}
    assert {"task", "frame", "event", "counter", "mark"} <= names
    for each in (*durations, counter, domain):
        call("MXProfileDestroyHandle", each)


def test_errors(call, array):
    domain = created(call, "MXProfileCreateDomain", b"of mine")
    # fmt: off
    cases = [
        ("MXSetProfilerState", (2,), "0: stop, 1: run"),
        ("MXSetProcessProfilerState", (1, 1, None), "no servers"),
        ("MXProfileDurationStart", (domain,), "of kind Domain, not Duration"),
        ("MXProfileDestroyHandle", (array([1]),), "of a NDArray"),
        ("MXProfileSetMarker", (domain, b"mark", b"nowhere"), "scope='nowhere'"),
        ("MXProfileCreateTask", (None, b"task", None), "no Domain"),
        ("MXSetProfilerConfig", (1, texts("nothing"), texts("1")), "nothing"),
        ("MXAggregateProfileStatsPrintEx", (None, 0, 5, 0, 0), "0: table, 1: json"),
    ]
    # fmt: on
    for name, arguments, text in cases:
        with pytest.raises(RuntimeError, match=text):
            call(name, *arguments)
