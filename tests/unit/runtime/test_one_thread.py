# SPDX-License-Identifier: Apache-2.0
"""Functions whose kernels run in the calling thread alone."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import mxnova as mx
from mxnova.core.runtime import one_thread
from mxnova.core.runtime.one_thread import in_one_thread

pytestmark = pytest.mark.usefixtures("two_threads")


def test_the_calling_thread_alone() -> None:
    def count() -> tuple[int, int]:
        others: list[int] = []
        thread = threading.Thread(target=lambda: others.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        return torch.get_num_threads(), others[0]

    assert in_one_thread(count)() == (1, 2)
    assert torch.get_num_threads() == 2


def test_the_number_returns_after_an_error_and_from_within() -> None:
    def fails(value: int) -> None:
        raise ValueError(value)

    def outer() -> int:
        with pytest.raises(ValueError, match="3"):
            in_one_thread(fails)(3)
        return torch.get_num_threads()

    assert in_one_thread(outer)() == 1
    assert torch.get_num_threads() == 2


def test_without_openmp_functions_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_thread, "_controls", lambda: None)
    assert in_one_thread(len) is len


def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MXNOVA_SMALL_IN_ONE_THREAD", "0")
    one_thread._controls.cache_clear()
    try:
        assert in_one_thread(len) is len
    finally:
        one_thread._controls.cache_clear()


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
    with _Threads() as threads:
        step()
    return threads.seen


UNITS = [(8, {1}), (1024, {2})]


@pytest.mark.parametrize(("units", "threads"), UNITS)
def test_executors(units: int, threads: set[int]) -> None:
    out = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=units))
    executor = out.simple_bind(mx.cpu(), data=(32, units))
    assert _threads_of(executor.forward) == threads
    assert _threads_of(lambda: executor.forward(is_train=True)) == threads
    assert _threads_of(executor.backward) == threads


@pytest.mark.parametrize(("units", "threads"), UNITS)
def test_predictors(units: int, threads: set[int]) -> None:
    out = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=units, name="fc")
    weights = {"arg:fc_weight": mx.nd.ones((units, units)), "arg:fc_bias": mx.nd.ones(units)}
    data = np.ones((32, units), np.float32)
    predictor = mx.Predictor(out, weights, {"data": data.shape})
    assert _threads_of(lambda: predictor.predict(data=data)) == threads


def _network(units: int) -> mx.gluon.nn.Dense:
    net = mx.gluon.nn.Dense(units, in_units=units)
    net.initialize()
    net.hybridize()
    return net


@pytest.mark.parametrize(("units", "threads"), UNITS)
def test_hybridized_networks(units: int, threads: set[int]) -> None:
    net, data = _network(units), mx.nd.ones((32, units))
    assert _threads_of(lambda: net(data)) == threads
    with mx.autograd.record():
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(net(data), mx.nd.zeros(32))
    assert _threads_of(loss.backward) == threads


def test_a_network_meets_small_and_large_batches() -> None:
    net = _network(256)
    for rows, threads in ((1, {1}), (512, {2}), (1, {1})):
        data = mx.nd.ones((rows, 256))
        assert _threads_of(lambda data=data: net(data)) == threads


def test_backward_passes_through_eager_layers_keep_their_threads() -> None:
    """A small network behind a layer that runs by itself, whose size nobody knows."""
    weight = mx.nd.ones((8, 8))
    weight.attach_grad()
    with mx.autograd.record():
        loss = _network(8)(mx.nd.dot(mx.nd.ones((2, 8)), weight)).sum()
    assert _threads_of(loss.backward) == {2}


@pytest.mark.parametrize(("units", "threads"), [(8, {1}), (512, {2})])
def test_updates(units: int, threads: set[int]) -> None:
    net = _network(units)
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with mx.autograd.record():
        loss = net(mx.nd.ones((2, units)))
    loss.backward()
    assert _threads_of(lambda: trainer.step(1)) == threads
