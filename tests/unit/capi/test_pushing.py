"""Functions of C in the engine."""

import ctypes
import threading

import numpy as np
import pytest

import mxnova as mx
from tests.waiting import wait_until

from .c import Handle, handles

Deleter = ctypes.CFUNCTYPE(None, Handle)
Sync = ctypes.CFUNCTYPE(None, Handle, Handle)
Async = ctypes.CFUNCTYPE(None, Handle, Handle, Handle)


class Place(ctypes.Structure):
    """A context, as C++ has it; also what a run context begins with."""

    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


CPU = ctypes.byref(Place(1, 0))
DEFAULTS = (None, 0, b"mine")


@pytest.fixture
def log():
    return []


def soon(log, count):
    """The log, once it has so many entries: deleting is the last that a thread does."""
    wait_until(lambda: len(log) >= count)
    return log


@pytest.fixture
def deleter(log):
    return Deleter(lambda param: log.append(("deleted", param)))


def test_a_function_waits_and_is_waited_for(call, array, values, log, deleter):
    x, go = array(np.ones(3)), threading.Event()

    @Sync
    def first(run, param):
        go.wait(60)
        log.append(Place.from_address(run).type)
        new = np.full(3, param, np.float32)
        call("MXNDArraySyncCopyFromCPU", x, Handle(new.ctypes.data), ctypes.c_size_t(3))

    push = ("MXEnginePushSyncND", first, Handle(7), deleter, CPU, None, 0, handles(x), 1)
    call(*push, *DEFAULTS)
    assert log == []
    go.set()
    assert values(x).tolist() == [7, 7, 7]
    call("MXNDArrayWaitAll")
    assert soon(log, 2) == [1, ("deleted", 7)]


def test_an_asynchronous_function_ends_when_it_says_so(call, array, log, deleter):
    x = array(np.ones(3))
    ended = []

    @Async
    def begin(run, on_complete, param):
        # Programs in C++ copy what they are given: three words.
        words = (Handle * 3).from_buffer_copy(ctypes.string_at(on_complete, 24))

        def end():
            ended.append(param)
            Async(words[0])(words[1], words[2], None)

        threading.Timer(0.05, end).start()

    push = ("MXEnginePushAsyncND", begin, Handle(8), deleter, CPU, None, 0, handles(x), 1)
    call(*push, *DEFAULTS, False)
    call("MXNDArrayWaitToRead", x)
    assert ended == [8]
    call("MXNDArrayWaitAll")
    assert soon(log, 1) == [("deleted", 8)]


def test_a_failure_is_told_to_who_waits(call, array):
    x = array(np.ones(3))

    @Async
    def fail(run, on_complete, param):
        words = (Handle * 3).from_buffer_copy(ctypes.string_at(on_complete, 24))
        Async(words[0])(words[1], words[2], 1)

    push = ("MXEnginePushAsyncND", fail, None, None, CPU, None, 0, handles(x), 1)
    call(*push, *DEFAULTS, False)
    with pytest.raises(RuntimeError, match="said that it failed"):
        call("MXNDArrayWaitToRead", x)


def test_vars_of_python(call, log):
    var = mx.engine.new_variable("mine")
    from mxnova.core.base.handles import handle_of

    given = handles(handle_of(var))
    function = Sync(lambda run, param: log.append(param))
    call("MXEnginePushSync", function, Handle(5), None, None, None, 0, given, 1, None, 0, None)
    mx.engine.wait_for_var(var)
    assert log == [5]


def test_what_cannot_be_pushed_is_deleted(call, array, log, deleter):
    x = array(np.ones(3))
    nothing = Sync(lambda run, param: None)
    with pytest.raises(RuntimeError, match="both as read and as written"):
        call(
            *("MXEnginePushSyncND", nothing, Handle(1), deleter, CPU),
            *(handles(x), 1, handles(x), 1, *DEFAULTS),
        )
    assert log == [("deleted", 1)]
    with pytest.raises(RuntimeError, match="the function is a null pointer"):
        call("MXEnginePushSyncND", None, None, None, None, None, 0, None, 0, None, 0, None)
    with pytest.raises(RuntimeError, match="3 items is given as a null pointer"):
        call("MXEnginePushSync", nothing, None, None, None, None, 3, None, 0, None, 0, None)
    kind = ctypes.byref(ctypes.c_int(99))
    with pytest.raises(RuntimeError, match="99 is no property"):
        call("MXEnginePushSyncND", nothing, None, None, CPU, None, 0, None, 0, kind, 0, None)
