# SPDX-License-Identifier: Apache-2.0
"""Horovod and BytePS: packages that stand in for them, in which worker 1 always says the same."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError

HERS = 10.0  # every element of what the other worker says


class Package:
    """What both packages have; what was called stands in `calls`."""

    def __init__(self, rank):
        self.calls, self._rank, self.begun = [], rank, set()

    def init(self):
        self.calls.append("init")

    def rank(self):
        return self._rank

    def local_rank(self):
        return self._rank

    def size(self):
        return 2

    def synchronize(self, handle):
        tensor, add = handle
        tensor.add_(add)
        self.begun.remove(id(tensor))
        self.calls.append("done")

    def begin(self, tensor, name):
        self.calls.append(name)
        self.begun.add(id(tensor))
        return tensor, torch.full_like(tensor, HERS)


class FakeHorovod(Package):
    Sum = object()

    def allreduce_async_(self, tensor, average=None, name=None, op=None):
        assert average is None
        assert op is self.Sum
        return self.begin(tensor, name)

    def broadcast_(self, tensor, root_rank, name=None):
        assert root_rank == 0
        self.calls.append(name)
        if self._rank != 0:
            tensor.fill_(HERS)


class FakeBytePS(Package):
    def push_pull_async_inplace(self, tensor, average=True, name=None, version=0, priority=0):
        assert not average
        self.calls.append(priority)
        return self.begin(tensor, name)


@pytest.fixture(params=[("horovod", FakeHorovod), ("byteps", FakeBytePS)], ids=lambda p: p[0])
def kind(request):
    return request.param


def store_of(kind, monkeypatch, rank=0):
    name, make = kind
    package, parent = make(rank), ModuleType(name)
    parent.__path__ = []
    parent.torch = SimpleNamespace()
    monkeypatch.setitem(sys.modules, name, parent)
    monkeypatch.setitem(sys.modules, f"{name}.torch", package)
    return mx.kv.create(name), package


def test_without_the_package_it_says_so(kind, monkeypatch):
    name = kind[0]
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MXNetError, match=rf"{name}\.torch cannot be imported .*pip install {name}"):
        mx.kv.create(name.upper())


def test_what_it_is(kind, monkeypatch):
    store, package = store_of(kind, monkeypatch, rank=1)
    facts = (store.type, store.rank, store.local_rank, store.num_workers)
    assert facts == (kind[0], 1, 1, 2)
    assert not store.is_capable("optimizer")
    with pytest.raises(MXNetError, match="must be 'optimizer'"):
        store.is_capable("flying")
    assert package.calls == ["init"]


@pytest.mark.parametrize("rank", [0, 1])
def test_broadcast_gives_what_worker_0_has(kind, monkeypatch, rank):
    store, _ = store_of(kind, monkeypatch, rank)
    value, outs = mx.nd.array([1.0, 2.0]), [mx.nd.zeros(2), mx.nd.zeros(2, dtype="float64")]
    store.broadcast("w", value, out=outs)
    wanted = [1, 2] if rank == 0 else [HERS, HERS]
    if kind[0] == "byteps":  # a sum to which the others give zeros, and here worker 1 its tens
        wanted = [11, 12] if rank == 0 else [HERS, HERS]
    for out in outs:
        np.testing.assert_array_equal(out.asnumpy(), wanted)
    np.testing.assert_array_equal(value.asnumpy(), [1, 2])


def test_pushpull_sums_over_devices_and_workers(kind, monkeypatch):
    store, _ = store_of(kind, monkeypatch)
    values = [mx.nd.array([1, 2]), mx.nd.array([3, 4], ctx=mx.cpu(1))]
    out = mx.nd.zeros(2)
    store.pushpull("w", values, out=out, priority=3)
    np.testing.assert_array_equal(out.asnumpy(), [14, 16])
    np.testing.assert_array_equal(values[0].asnumpy(), [1, 2])
    store.pushpull("w", values)
    for value in values:
        np.testing.assert_array_equal(value.asnumpy(), [14, 16])


def test_keys_are_under_way_together(kind, monkeypatch):
    store, package = store_of(kind, monkeypatch)
    arrays = [mx.nd.ones(2), mx.nd.ones(3)]
    store.pushpull([7, 8], arrays, priority=-1)
    assert [c for c in package.calls if isinstance(c, str)] == ["init", "7", "8", "done", "done"]
    assert kind[0] == "horovod" or package.calls.count(-1) == 2
    for array in arrays:
        np.testing.assert_array_equal(array.asnumpy(), np.full(array.shape, 11))


def test_sparse_arrays_are_refused(kind, monkeypatch):
    store, package = store_of(kind, monkeypatch)
    sparse = mx.nd.ones((2, 2)).tostype("row_sparse")
    for call in (lambda: store.pushpull("w", sparse), lambda: store.broadcast("w", sparse, sparse)):
        with pytest.raises(MXNetError, match=f"key 'w': is stored as 'row_sparse'; {kind[0]} sums"):
            call()
    assert package.calls == ["init"]


def test_trainer_and_module_use_it_for_one_device(kind, monkeypatch):
    """Both workers' gradients count: 1 · 2 samples here, those of the other are always 10."""
    store, _ = store_of(kind, monkeypatch)
    dense = mx.gluon.nn.Dense(1, use_bias=False, in_units=1)
    dense.initialize(mx.init.One())
    before = 1.0 + (HERS if kind[0] == "byteps" else 0)
    trainer = mx.gluon.Trainer(dense.collect_params(), "sgd", {"learning_rate": 1.0}, kind[0])
    with mx.autograd.record():
        loss = dense(mx.nd.ones((2, 1))).sum()
    loss.backward()
    trainer.step(4)
    after = dense.weight.data().asscalar()
    assert after == pytest.approx(before - (2 + HERS) / 4)

    out = mx.sym.LinearRegressionOutput(mx.sym.var("data") * mx.sym.var("w"), mx.sym.var("y"))
    module = mx.mod.Module(out, label_names=["y"])
    module.bind([("data", (2, 1))], [("y", (2, 1))])
    module.init_params(mx.init.One(), arg_params={"w": mx.nd.ones((2, 1))})
    module.init_optimizer(store)
    assert module._optimizer.rescale_grad == 1 / 4
