"""Stores through C."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.ports import free_port

from .c import Handle, created, handles, ints, out, texts

ONES = np.ones((2, 3), np.float32)


@pytest.fixture
def store(call):
    return created(call, "MXKVStoreCreate", b"local")


@pytest.fixture
def pulled(call, array, values):
    """The value of a key."""

    def pulled(store, key):
        into = array(np.zeros_like(ONES))
        ending = "Ex" if isinstance(key, str) else ""
        keys = texts(key) if ending else ints(key)
        call(f"MXKVStorePull{ending}", store, 1, keys, handles(into), 0)
        return values(into)

    return pulled


@pytest.mark.parametrize("key", [3, "weight"])
def test_values_go_in_and_out(call, store, array, pulled, key):
    ending = "Ex" if isinstance(key, str) else ""
    one = texts(key) if ending else ints(key)
    two = texts(key, key) if ending else ints(key, key)
    call(f"MXKVStoreInit{ending}", store, 1, one, handles(array(ONES)))
    assert np.array_equal(pulled(store, key), ONES)
    pushed = handles(array(2 * ONES), array(3 * ONES))
    call(f"MXKVStorePush{ending}", store, 2, two, pushed, 0)
    assert np.array_equal(pulled(store, key), 5 * ONES)


def test_push_and_pull_at_once(call, store, array, values):
    into = array(np.zeros_like(ONES))
    call(
        "MXKVStoreBroadcast", store, 1, ints(0), 1, ints(0), handles(array(ONES)), handles(into), 0
    )
    assert np.array_equal(values(into), ONES)
    pushed = handles(array(4 * ONES))
    call("MXKVStorePushPull", store, 1, ints(0), 1, ints(0), pushed, handles(into), 0)
    assert np.array_equal(values(into), 4 * ONES)


Updater = ctypes.CFUNCTYPE(None, ctypes.c_int, Handle, Handle, Handle)
TextUpdater = ctypes.CFUNCTYPE(None, ctypes.c_char_p, Handle, Handle, Handle)


@pytest.mark.parametrize("key", [3, "weight"])
def test_an_updater_in_c(call, store, array, values, pulled, key):
    seen = []

    def update(key, received, local, state):
        seen.append((key, state))
        new = values(Handle(local)) - 0.5 * values(Handle(received))
        call("MXNDArraySyncCopyFromCPU", Handle(local), Handle(new.ctypes.data), ctypes.c_size_t(6))
        call("MXNDArrayFree", Handle(received))
        call("MXNDArrayFree", Handle(local))

    of_numbers, of_texts = Updater(update), TextUpdater(update)
    call("MXKVStoreSetUpdaterEx", store, of_numbers, of_texts, Handle(11))
    ending = "Ex" if isinstance(key, str) else ""
    keys = texts(key) if ending else ints(key)
    call(f"MXKVStoreInit{ending}", store, 1, keys, handles(array(ONES)))
    call(f"MXKVStorePush{ending}", store, 1, keys, handles(array(2 * ONES)), 0)
    assert np.array_equal(pulled(store, key), 0 * ONES)
    assert seen == [(key if key == 3 else b"weight", 11)]


def test_an_updater_of_the_other_keys_is_an_error(call, store, array):
    updater = Updater(lambda *_: None)
    call("MXKVStoreSetUpdater", store, updater, None)
    call("MXKVStoreInitEx", store, 1, texts("w"), handles(array(ONES)))
    with pytest.raises(RuntimeError, match="no updater for keys that are texts"):
        call("MXKVStorePushEx", store, 1, texts("w"), handles(array(ONES)), 0)


@pytest.mark.parametrize(
    "name, type", [("local", "local"), ("Device", "device"), ("Anything", "anything")]
)
def test_what_it_is(call, name, type):
    store = created(call, "MXKVStoreCreate", name.encode())
    text, at = out(ctypes.c_char_p)
    call("MXKVStoreGetType", store, at)
    assert text.value.decode() == type
    number, at = out(ctypes.c_int)
    facts = {"MXKVStoreGetRank": 0, "MXKVStoreGetGroupSize": 1}
    for function, expected in facts.items():
        call(function, store, at)
        assert number.value == expected
    call("MXKVStoreGetNumDeadNode", store, 0, at, 60)
    assert number.value == 0
    call("MXKVStoreBarrier", store)
    call("MXKVStoreFree", store)


@pytest.mark.parametrize("role", ["worker", "server", "scheduler"])
def test_roles(call, monkeypatch, role):
    monkeypatch.setenv("DMLC_ROLE", role)
    number, at = out(ctypes.c_int)
    for each in ("Worker", "Server", "Scheduler"):
        call(f"MXKVStoreIs{each}Node", at)
        assert number.value == (each.lower() == role)


def test_a_store_that_sums_up_on_the_cpu_takes_no_notice_of_compression(call, store, array, pulled):
    parameters = texts("type", "threshold"), texts("2bit", 0.5)
    call("MXKVStoreSetGradientCompression", store, 2, *parameters)
    call("MXKVStoreInit", store, 1, ints(0), handles(array(ONES)))
    call("MXKVStorePush", store, 1, ints(0), handles(array(0.3 * ONES)), 0)
    assert np.allclose(pulled(store, 0), 0.3)


def test_errors(call, store, array):
    given = handles(array(ONES))
    # fmt: off
    cases = [
        ("MXKVStorePush", (1, ints(9), given, 0), "key 9: is not initialized"),
        ("MXKVStorePush", (1, None, given, 0), "null pointer"),
        ("MXKVStorePush", (1, ints(9), None, 0), "null pointer"),
        ("MXKVStorePush", (1, ints(9), handles(5), 0), "no NDArray"),
        ("MXKVStoreSetUpdater", (None, None), "null pointer"),
    ]
    # fmt: on
    for name, arguments, text in cases:
        with pytest.raises(RuntimeError, match=text):
            call(name, store, *arguments)


ATTENDANT = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.MXGetLastError.restype = ctypes.c_char_p
store, number = ctypes.c_void_p(), ctypes.c_int()
controller = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(print)
for call in (
    lambda: library.MXKVStoreIsWorkerNode(ctypes.byref(number)),
    lambda: library.MXKVStoreCreate(b"dist_sync", ctypes.byref(store)),
    lambda: library.MXKVStoreRunServer(store, controller, None),
    lambda: library.MXKVStoreFree(store),
):
    if call():
        sys.exit(library.MXGetLastError().decode())
print("worker", number.value)
"""
WORKER = """
import mxnova as mx
store = mx.kv.create("dist_sync")
store.init(0, mx.nd.ones((2,)))
print(store.num_workers)
"""


def test_servers_and_the_scheduler_of_a_job(built):
    """Processes that are no workers end when the job does."""
    place = {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": str(free_port())}
    job = {**os.environ, **place, "DMLC_NUM_WORKER": "1", "DMLC_NUM_SERVER": "1"}
    programs = {"scheduler": ATTENDANT, "server": ATTENDANT, "worker": WORKER}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(built.library)],
            env={**job, "DMLC_ROLE": role}, stdout=subprocess.PIPE, text=True,
        )
        for role, program in programs.items()
    ]  # fmt: skip
    try:
        printed = [process.communicate(timeout=200)[0] for process in running]
    finally:
        for process in running:
            process.kill()
    assert printed == ["worker 0\n", "worker 0\n", "1\n"]
