# SPDX-License-Identifier: Apache-2.0
"""How many threads run what: policy, the calling thread alone, pools."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import mxnova as mx
from mxnova.core.runtime import threads, torch_api, tuning
from mxnova.core.runtime.threads import (
    is_small,
    map_single_threaded,
    pays_apart,
    run_single_threaded,
    single_threaded,
    use_single_thread,
)

TEAMS = """
import os, threading, time
import torch
import mxnova as mx

def helpers():
    return len(os.listdir("/proc/self/task")) - threading.active_count()

values = torch.ones(1 << 20)
values + values  # wakes this thread's helpers
before = helpers()
data = mx.nd.ones((64, 3, 64, 64))
batches = mx.io.PrefetchingIter(mx.io.NDArrayIter(data, mx.nd.zeros(64), 16, shuffle=True))
assert sum(1 for _ in batches) == 4
deadline = time.monotonic() + 60  # threads that have ended may still be listed for a while
while helpers() > before and time.monotonic() < deadline:
    time.sleep(0.05)
assert helpers() <= before, (before, helpers())
"""


def _numbers_in_new_threads(count: int) -> list[int]:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(torch.get_num_threads())) for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("has_openmp", [True, False])
def test_a_pools_threads_are_single_threaded_and_others_are_not(
    two_threads, monkeypatch, has_openmp
):
    if not has_openmp:
        monkeypatch.setattr(threads, "_controls", lambda: None)
    everyone = threading.Barrier(3)

    def number(_: int) -> int:
        everyone.wait()
        return torch.get_num_threads()

    with ThreadPoolExecutor(3, initializer=use_single_thread) as pool:
        assert list(pool.map(number, range(3))) == [1, 1, 1]
        assert torch.get_num_threads() == 2
        assert _numbers_in_new_threads(3) == [2, 2, 2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_prefetching_wakes_no_helpers_of_its_own():
    done = subprocess.run(
        [sys.executable, "-c", TEAMS],
        env={
            "OMP_NUM_THREADS": "2",
            "GOMP_SPINCOUNT": "3000",  # else more threads stand by on a crowded machine
            "PYTHONPATH": str(Path(mx.__path__[0]).parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# Pools --------------------------------------------------------------------------------------------


def test_threads_of_pools_compute_alone(two_threads):
    assert {run_single_threaded(torch.get_num_threads) for _ in range(8)} == {1}
    assert torch.get_num_threads() == 2


def test_nothing_is_recorded_there(two_threads):
    assert run_single_threaded(torch.is_grad_enabled) is False


def test_errors_come_back(two_threads):
    with pytest.raises(ZeroDivisionError):
        run_single_threaded(lambda: 1 // 0)


def test_parts_come_back_in_their_order(two_threads):
    found = map_single_threaded(lambda i: (i, torch.get_num_threads()), range(9))
    assert found == [(i, 1) for i in range(9)]


# Policy -------------------------------------------------------------------------------------------


def test_what_is_small_is_measured_by_operators():
    work = tuning.SMALL_GRAPH_MULTIPLICATIONS
    assert is_small(work)
    assert not is_small(work + 1)
    assert is_small(work + 1, 2)


@pytest.mark.parametrize(
    "count, n_items, work, expected",
    [(2, 2, 2, True), (1, 2, 2, False), (2, 1, 2, False), (2, 2, 1.99, False), (2, 8, 2, True)],
)
def test_items_apart(set_threads, count, n_items, work, expected):
    set_threads(count)
    assert pays_apart(n_items, int(work * tuning.THREAD_MIN_MULTIPLICATIONS)) is expected


# The calling thread alone -------------------------------------------------------------------------


@pytest.mark.usefixtures("two_threads")
def test_the_calling_thread_alone() -> None:
    def count() -> tuple[int, int]:
        others: list[int] = []
        thread = threading.Thread(target=lambda: others.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        return torch.get_num_threads(), others[0]

    assert single_threaded(count)() == (1, 2)
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_the_number_returns_after_an_error_and_from_within() -> None:
    def fails(value: int) -> None:
        raise ValueError(value)

    def outer() -> int:
        with pytest.raises(ValueError, match="3"):
            single_threaded(fails)(3)
        return torch.get_num_threads()

    assert single_threaded(outer)() == 1
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_without_openmp_functions_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_controls", lambda: None)
    assert single_threaded(len) is len


@pytest.mark.usefixtures("two_threads")
def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNOVA_SMALL_IN_ONE_THREAD", "0")
    assert single_threaded(len) is len


# Where it is used ---------------------------------------------------------------------------------


class _Threads(TorchDispatchMode):
    """Gathers how many threads those of ATen's operators could use that would use several."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(name in str(func) for name in ("mm", "linear", "softmax", "sgd")):
            self.seen.add(torch.get_num_threads())
        return func(*args, **(kwargs or {}))


def _threads_of(step: Callable[[], Any]) -> set[int]:
    torch_api.has_onednn_kernels()  # which is tried when it is first asked for
    with _Threads() as threads:
        step()
    return threads.seen


UNITS = [(8, {1}), (1024, {2})]


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("units", "n_threads"), UNITS)
def test_executors(units: int, n_threads: set[int]) -> None:
    out = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=units))
    executor = out.simple_bind(mx.cpu(), data=(32, units))
    assert _threads_of(executor.forward) == n_threads
    assert _threads_of(lambda: executor.forward(is_train=True)) == n_threads
    assert _threads_of(executor.backward) == n_threads


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("units", "n_threads"), UNITS)
def test_predictors(units: int, n_threads: set[int]) -> None:
    out = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=units, name="fc")
    weights = {"arg:fc_weight": mx.nd.ones((units, units)), "arg:fc_bias": mx.nd.ones(units)}
    data = np.ones((32, units), np.float32)
    predictor = mx.Predictor(out, weights, {"data": data.shape})
    assert _threads_of(lambda: predictor.predict(data=data)) == n_threads


def _network(units: int) -> mx.gluon.nn.Dense:
    net = mx.gluon.nn.Dense(units, in_units=units)
    net.initialize()
    net.hybridize()
    return net


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("units", "n_threads"), UNITS)
def test_hybridized_networks(units: int, n_threads: set[int]) -> None:
    net, data = _network(units), mx.nd.ones((32, units))
    assert _threads_of(lambda: net(data)) == n_threads
    with mx.autograd.record():
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(net(data), mx.nd.zeros(32))
    assert _threads_of(loss.backward) == n_threads


@pytest.mark.usefixtures("two_threads")
def test_a_network_meets_small_and_large_batches() -> None:
    net = _network(256)
    for rows, n_threads in ((1, {1}), (512, {2}), (1, {1})):
        data = mx.nd.ones((rows, 256))
        assert _threads_of(lambda data=data: net(data)) == n_threads


@pytest.mark.usefixtures("two_threads")
def test_backward_passes_through_eager_layers_keep_their_threads() -> None:
    """A small network behind a layer that runs by itself, whose size nobody knows."""
    weight = mx.nd.ones((8, 8))
    weight.attach_grad()
    with mx.autograd.record():
        loss = _network(8)(mx.nd.dot(mx.nd.ones((2, 8)), weight)).sum()
    assert _threads_of(loss.backward) == {2}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("units", "n_threads"), [(8, {1}), (512, {2})])
def test_updates(units: int, n_threads: set[int]) -> None:
    net = _network(units)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with mx.autograd.record():
        loss = net(mx.nd.ones((2, units)))
    loss.backward()
    assert _threads_of(lambda: trainer.step(1)) == n_threads
