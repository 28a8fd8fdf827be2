# SPDX-License-Identifier: Apache-2.0
"""Empty Python functions pushed to the engine: how many a second, and how soon one is done."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.inputs import import_mx
from benchmarks.subject import Case, Options, Subject, runtime_of

PUSHES = 5_000
THREADS = 4
Push = Callable[[Any], Any]  # of an empty function that writes the array


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    n_pushes = 100 if options.smoke else PUSHES
    makers = {
        "push, all write one array": functools.partial(_one_array, n_pushes),
        "push, each writes its array": functools.partial(_many_arrays, n_pushes),
        f"push from {THREADS} threads": functools.partial(_threads, n_pushes),
        "push and wait for it": functools.partial(_waiting, n_pushes // 10),
    }
    if runtime_of(peer) == "mxnova":
        makers["run at once in the caller's thread"] = functools.partial(_at_once, n_pushes)
    return {name: functools.partial(maker, peer) for name, maker in makers.items()}


def _one_array(n_pushes: int, peer: str) -> Case:
    push, nd = _push_of(peer), import_mx(peer).nd
    array = nd.zeros((1,))

    def run() -> None:
        for _ in range(n_pushes):
            push(array)
        nd.waitall()

    return Case(run, items=n_pushes)


def _many_arrays(n_pushes: int, peer: str) -> Case:
    push, nd = _push_of(peer), import_mx(peer).nd
    arrays = [nd.zeros((1,)) for _ in range(n_pushes)]

    def run() -> None:
        for array in arrays:
            push(array)
        nd.waitall()

    return Case(run, items=n_pushes)


def _threads(n_pushes: int, peer: str) -> Case:
    push, nd = _push_of(peer), import_mx(peer).nd
    pool = ThreadPoolExecutor(THREADS)
    arrays = [nd.zeros((1,)) for _ in range(THREADS)]

    def push_all(array: Any) -> None:
        for _ in range(n_pushes // THREADS):
            push(array)

    def run() -> None:
        list(pool.map(push_all, arrays))
        nd.waitall()

    return Case(run, items=n_pushes)


def _waiting(n_pushes: int, peer: str) -> Case:
    push, array = _push_of(peer), import_mx(peer).nd.zeros((1,))

    def run() -> None:
        for _ in range(n_pushes):
            push(array)
            array.wait_to_read()

    return Case(run, items=n_pushes)


def _at_once(n_pushes: int, peer: str) -> Case:
    mx = import_mx(peer)
    array = mx.nd.zeros((1,))

    def run() -> None:
        for _ in range(n_pushes):
            mx.engine.push(_nothing, write=(array,), asynchronous=False)

    return Case(run, items=n_pushes)


def _push_of(peer: str) -> Push:
    mx = import_mx(peer)
    if runtime_of(peer) == "mxnova":
        push: Callable[..., Any] = mx.engine.push
        return lambda array: push(_nothing, write=(array,))
    return _pushed_through_c(mx)


def _nothing() -> None:
    pass


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("number", ctypes.c_int32))


_Callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


def _pushed_through_c(mx: Any) -> Push:
    """MXNet's Python has no function for it, its C interface has."""
    push = mx.base._LIB.MXEnginePushSyncND
    callback, device = _Callback(lambda _run, _parameter: None), _Device(1, 0)
    handles = ctypes.c_void_p * 1

    def pushed(array: Any) -> None:
        written = handles(array.handle)
        mx.base.check_call(
            push(
                callback,
                None,
                None,
                ctypes.byref(device),
                None,
                0,
                written,
                1,
                None,
                0,
                b"nothing",
            )
        )

    return pushed


SUBJECT = Subject(
    "An empty Python function pushed to the engine", ("mxnova", "mxnet"), cases, rounds=5
)
