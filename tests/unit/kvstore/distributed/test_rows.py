# SPDX-License-Identifier: Apache-2.0
"""row_sparse values and gradients of several workers."""

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon

from .workers import run

N_ROWS, WIDTH = 40, 3


def _table(seed=0):
    return np.random.default_rng(seed).normal(size=(N_ROWS, WIDTH)).astype(np.float32)


def _gradient(rank, step):
    rng = np.random.default_rng([rank, step])
    dense = np.zeros((N_ROWS, WIDTH), np.float32)
    rows = rng.choice(N_ROWS, 6, replace=False)
    dense[rows] = rng.normal(size=(6, WIDTH))
    return dense


def _sparse(dense):
    return mx.nd.array(dense).tostype("row_sparse")


def _summed(rank, n, kind):
    kv = mx.kv.create(kind)
    kv.init(["table", "other"], [_sparse(_table(rank)), _sparse(_table(9))])
    out = mx.nd.zeros((N_ROWS, WIDTH), stype="row_sparse")
    wanted = [rank, 39, 17, 17, 20 + rank]
    kv.row_sparse_pull("table", out=out, row_ids=mx.nd.array(wanted))
    expected = np.zeros((N_ROWS, WIDTH), np.float32)
    expected[wanted] = _table(0)[wanted]  # the first worker's
    np.testing.assert_array_equal(out.asnumpy(), expected)
    for step in range(3):
        kv.push("table", _sparse(_gradient(rank, step)))
        total = sum(_gradient(other, step) for other in range(n))
        kv.row_sparse_pull("table", out=out, row_ids=mx.nd.arange(N_ROWS))
        np.testing.assert_allclose(out.asnumpy(), total, rtol=1e-5, atol=1e-6)
        everything = mx.nd.zeros((N_ROWS, WIDTH))
        kv.pull("table", out=everything, ignore_sparse=False)
        np.testing.assert_allclose(everything.asnumpy(), total, rtol=1e-5, atol=1e-6)
    kv.pull("other", out=out, ignore_sparse=False)
    np.testing.assert_array_equal(out.asnumpy(), _table(9))


@pytest.mark.parametrize("n, bound", [(1, 10), (2, 10**6), (2, 10), (4, 10)])
def test_sums_of_rows_replace_values(n, bound):
    run(n, _summed, n, "dist_sync", MXNET_KVSTORE_BIGARRAY_BOUND=str(bound))


def _updated(rank, n, name, dense_value):
    """Values after pushes of rows, pulled by one worker alone after each."""
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create(name, learning_rate=0.1, **MOMENTA.get(name, {})))
    kv.init("table", mx.nd.array(_table()) if dense_value else _sparse(_table()))
    out = mx.nd.zeros((N_ROWS, WIDTH))
    for step in range(4):
        kv.push("table", _sparse(_gradient(rank, step)))
        if step % n == rank:
            kv.pull("table", out=out, ignore_sparse=False)
    kv.pull("table", out=out, ignore_sparse=False)
    return out.asnumpy()


MOMENTA = {"sgd": {"momentum": 0.9}}


@pytest.mark.parametrize("dense_value", [True, False])
@pytest.mark.parametrize("name", ["sgd", "adam", "adagrad"])
def test_updates_by_rows_are_those_of_one_process(name, dense_value):
    alone = mx.kv.create("local")
    alone.set_optimizer(mx.optimizer.create(name, learning_rate=0.1, **MOMENTA.get(name, {})))
    alone.init("table", mx.nd.array(_table()) if dense_value else _sparse(_table()))
    for step in range(4):
        alone.push("table", _sparse(_gradient(0, step) + _gradient(1, step)))
    expected = mx.nd.zeros((N_ROWS, WIDTH))
    alone.pull("table", out=expected, ignore_sparse=False)
    for result in run(2, _updated, 2, name, dense_value, MXNET_KVSTORE_BIGARRAY_BOUND="10"):
        np.testing.assert_allclose(result, expected.asnumpy(), rtol=0, atol=1e-5)


def _embedded(rank, n, sparse_weight):
    def trained(store, rank, n):
        stype = "row_sparse" if sparse_weight else "default"
        net = gluon.nn.Sequential()
        embedding = (
            gluon.contrib.nn.SparseEmbedding(N_ROWS, WIDTH)
            if sparse_weight
            else gluon.nn.Embedding(N_ROWS, WIDTH, sparse_grad=True)
        )
        net.add(embedding, gluon.nn.Dense(1, flatten=True, in_units=2 * WIDTH))
        net.initialize()
        for i, param in enumerate(net.collect_params().values()):
            value = np.random.default_rng(i).normal(size=param.shape)
            param.set_data(mx.nd.array(value).tostype(param._stype))
        assert embedding.weight._stype == stype
        trainer = gluon.Trainer(
            net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5}, kvstore=store
        )
        for step in range(20):
            data = np.random.default_rng([step, 5]).integers(0, N_ROWS, (8, 2))
            with autograd.record():
                loss = (net(mx.nd.array(data[rank::n])) ** 2).sum()
            loss.backward()
            trainer.step(8)
        all_rows = mx.nd.arange(N_ROWS)
        weight = embedding.weight
        return (weight.row_sparse_data(all_rows) if sparse_weight else weight.data()).asnumpy()

    together = trained(mx.kv.create("dist_sync"), rank, n)
    alone = trained("local" if sparse_weight else None, 0, 1)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n, sparse_weight", [(2, False), (2, True), (4, True)])
def test_embeddings_learn_as_in_one_process(n, sparse_weight):
    run(n, _embedded, n, sparse_weight)


def _bytes(rank):
    kv = mx.kv.create("dist_sync")
    big = (100_000, 8)
    kv.init("table", mx.nd.zeros(big, stype="row_sparse"))
    rows = mx.nd.arange(rank * 100, rank * 100 + 50)
    value = mx.nd.sparse.row_sparse_array((mx.nd.ones((50, 8)), rows), shape=big)
    before = sum(kv.handle.connections.sent.values())
    kv.push("table", value)
    kv.row_sparse_pull("table", out=value, row_ids=rows)
    return sum(kv.handle.connections.sent.values()) - before


def test_only_rows_travel():
    whole = 100_000 * 8 * 4
    assert all(0 < n < whole / 500 for n in run(2, _bytes))
