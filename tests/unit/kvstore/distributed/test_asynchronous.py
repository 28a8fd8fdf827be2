# SPDX-License-Identifier: Apache-2.0
"""dist_async: owners update values by what each worker pushes, as it comes."""

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon
from mxnova.core.base.errors import MXNetError
from tests.waiting import wait_until

from .workers import run

SHAPES = {"small": (3, 4), "big": (70, 30), "other": (5,)}


def _adding(kind="dist_async"):
    """A store whose values are sums of all that was pushed."""
    kv = mx.kv.create(kind)
    kv.set_optimizer(mx.optimizer.create("test"))
    return kv


def _all_pushes_count(rank, n):
    kv = _adding()
    keys = list(SHAPES)
    kv.init(keys, [mx.nd.ones(shape) * (rank + 1) for shape in SHAPES.values()])
    outs = [mx.nd.zeros(shape) for shape in SHAPES.values()]
    for step in range(rank + 2):  # not as often as others
        values = [mx.nd.ones(shape) * (rank + 1) for shape in SHAPES.values()]
        if step % 2:
            kv.pushpull(keys, values, out=outs)
        else:
            kv.push(keys, values)
            values[0][:] = 1000  # what was pushed, was
            kv.pull(keys, outs)
        assert all(out.asnumpy().min() >= 1 + (rank + 1) * (step + 1) for out in outs)
    kv._barrier()
    kv.pull(keys, outs)
    expected = 1 + sum((other + 1) * (other + 2) for other in range(n))
    for out in outs:
        assert (out.asnumpy() == expected).all()


@pytest.mark.parametrize("n, bound", [(1, 10**6), (2, 1000), (4, 1000), (2, 10**6)])
def test_all_pushes_count(n, bound):
    run(n, _all_pushes_count, n, MXNET_KVSTORE_BIGARRAY_BOUND=str(bound))


def _straggler(rank, first_is_done):
    kv = _adding()
    kv.init("small", mx.nd.zeros((3, 4)))
    out = mx.nd.zeros((3, 4))
    if rank == 1:
        wait_until(first_is_done.exists)
    for _ in range(20):
        kv.push("small", mx.nd.ones((3, 4)))
        kv.pull("small", out)
        out.wait_to_read()
    if rank == 0:
        first_is_done.touch()


def test_nobody_waits_for_a_straggler(tmp_path):
    run(2, _straggler, tmp_path / "done")


def _late_optimizer(rank):
    kv = mx.kv.create("dist_async")
    kv.init("small", mx.nd.ones((3, 4)) * (rank + 3))
    out = mx.nd.zeros((3, 4))
    kv.pull("small", out)
    assert (out.asnumpy() == 3).all()
    with pytest.raises(MXNetError, match="set_optimizer"):
        kv.push("small", mx.nd.ones((3, 4)))
    kv.set_optimizer(mx.optimizer.create("test", rescale_grad=2))
    kv.push("small", mx.nd.ones((3, 4)))
    kv._barrier()
    kv.pull("small", out)
    kv._barrier()
    assert out.asnumpy()[0, 0] in (5, 7)  # the other's push may be on its way


def test_an_optimizer_may_come_after_values():
    run(2, _late_optimizer)


def _rows(rank, dense):
    kv = _adding()
    kv.init("table", mx.nd.zeros((40, 3)) if dense else mx.nd.zeros((40, 3), stype="row_sparse"))
    rows = mx.nd.array([rank, 20, 39])
    value = mx.nd.sparse.row_sparse_array((mx.nd.ones((3, 3)), rows), shape=(40, 3))
    for _ in range(5):
        kv.push("table", value)
    out = mx.nd.zeros((40, 3), stype="default" if dense else "row_sparse")
    kv.pull("table", out, ignore_sparse=False)
    assert out.asnumpy()[rank, 0] == 5
    kv._barrier()
    kv.pull("table", out, ignore_sparse=False)
    assert [out.asnumpy()[row, 0] for row in (0, 1, 2, 20, 39)] == [5, 5, 0, 10, 10]


@pytest.mark.parametrize("dense", [True, False])
def test_rows(dense):
    run(2, _rows, dense, MXNET_KVSTORE_BIGARRAY_BOUND="10")


def _compressed(rank):
    kv = mx.kv.create("dist_async")
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    kv.set_optimizer(mx.optimizer.create("test"))
    kv.init("a", mx.nd.zeros((101, 7)))
    for _ in range(4):
        kv.push("a", mx.nd.ones((101, 7)) * 0.3)
    kv._barrier()
    out = mx.nd.zeros((101, 7))
    kv.pull("a", out)
    out.wait_to_read()
    kv._barrier()
    return np.unique(out.asnumpy()).tolist()


def test_compressed_gradients():
    for values in run(2, _compressed):
        assert values[-1] <= 2


def _learning(rank, n):
    rng = np.random.default_rng(0)
    data = rng.random((256, 20), np.float32)
    labels = (data @ rng.normal(size=(20, 5))).argmax(1)
    net = gluon.nn.Dense(5, in_units=20)
    net.initialize()
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.02}, kvstore="dist_async"
    )
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    losses = []
    for step in range(120):
        chosen = np.random.default_rng([rank, step]).choice(256, 32)
        with autograd.record():
            loss = loss_of(net(mx.nd.array(data[chosen])), mx.nd.array(labels[chosen]))
        loss.backward()
        trainer.step(32)
        losses.append(float(loss.mean().asscalar()))
    return np.mean(losses[:5]), np.mean(losses[-5:])


@pytest.mark.parametrize("n", [2, 4])
def test_it_learns(n):
    for first, last in run(n, _learning, n):
        assert last < first / 3
