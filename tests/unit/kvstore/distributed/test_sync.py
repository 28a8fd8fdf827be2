# SPDX-License-Identifier: Apache-2.0
"""dist_sync: what several workers make of keys is what one with all their data would."""

import functools

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon

from .workers import run

SHAPES = [(1,), (3, 4), (5, 3, 2), (1200, 1100), (3, 500_000)]


def _values(rank, step, shape):
    return np.random.default_rng([rank, step]).normal(size=shape).astype(np.float32)


# Values -------------------------------------------------------------------------------------------


def _sums(rank, n, by_lists):
    kv = mx.kv.create("dist_sync")
    assert (kv.rank, kv.num_workers, kv.type) == (rank, n, "dist_sync")
    keys = [f"k{i}" for i in range(len(SHAPES))]
    kv.init(keys, [mx.nd.ones(shape) * (rank + 7) for shape in SHAPES])
    outs = [mx.nd.zeros(shape) for shape in SHAPES]
    kv.pull(keys, outs)
    assert all((out.asnumpy() == 7).all() for out in outs)
    for step in range(3):
        mine = [mx.nd.array(_values(rank, step, shape)) for shape in SHAPES]
        if by_lists:
            kv.pushpull(keys, mine, out=outs)
        else:
            for i, key in enumerate(keys):
                kv.push(key, mine[i], priority=-i)
                kv.pull(key, outs[i], priority=-i)
        for shape, out in zip(SHAPES, outs):
            expected = sum(_values(other, step, shape) for other in range(n))
            np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    return [float(out.asnumpy().sum()) for out in outs]


@pytest.mark.parametrize("n, by_lists", [(1, True), (2, True), (2, False), (4, True), (8, True)])
def test_sums_of_workers_replace_values(n, by_lists):
    results = run(n, _sums, n, by_lists)
    assert all(result == results[0] for result in results)  # to the last bit


def _types(rank):
    kv = mx.kv.create("dist_sync")
    types = ["float16", "float32", "float64", "int32", "int64", "uint8"]
    kv.init(types, [mx.nd.zeros((3, 2), dtype=t) for t in types])
    outs = [mx.nd.zeros((3, 2), dtype=t) for t in types]
    values = [mx.nd.array([[1, 2]] * 3, dtype=t) * (rank + 1) for t in types]
    kv.push(types, values)
    kv.pull(types, outs)
    return [(out.asnumpy().tolist(), out.dtype.__name__) for out in outs]


def test_element_types():
    for result in run(2, _types):
        assert [t for _, t in result] == [
            "float16",
            "float32",
            "float64",
            "int32",
            "int64",
            "uint8",
        ]
        assert all(values == [[3, 6]] * 3 for values, _ in result)


def _devices(rank):
    kv = mx.kv.create("dist_device_sync")
    kv.init(3, mx.nd.zeros((2, 3)))
    outs = [mx.nd.zeros((2, 3), mx.cpu(i)) for i in range(3)]
    kv.push(3, [mx.nd.ones((2, 3), mx.cpu(i)) * (i + 1 + 10 * rank) for i in range(3)])
    kv.pull(3, outs)
    kv.push([3, 3], [mx.nd.ones((2, 3)), mx.nd.ones((2, 3))])
    after = mx.nd.zeros((2, 3))
    kv.pull(3, after)
    return [out.asnumpy().tolist() for out in outs], after.asnumpy()[0, 0]


def test_lists_are_summed_before():
    for outs, after in run(2, _devices):
        assert outs == [[[42] * 3] * 2] * 3
        assert after == 4


def _pushes_without_pull(rank):
    kv = mx.kv.create("dist")
    kv._set_updater(lambda key, total, value: value.__iadd__(total))
    kv.init("a", mx.nd.zeros((4,)))
    for step in range(5):
        kv.push("a", mx.nd.ones((4,)) * (rank + step))
    if rank:  # pulls are nobody else's business
        out = mx.nd.zeros((4,))
        kv.pull("a", out)
        assert out.asnumpy().tolist() == [25] * 4
    kv._barrier()


def test_several_pushes_before_a_pull_of_one_worker():
    run(2, _pushes_without_pull)


def _two_stores(rank):
    first, second = mx.kv.create("dist_sync"), mx.kv.create("dist_sync")
    out = mx.nd.zeros((2,))
    for kv, factor in ((first, 1), (second, 10)):
        kv.init(0, mx.nd.zeros((2,)))
        kv.push(0, mx.nd.ones((2,)) * (rank + 1) * factor)
    first.pull(0, out)
    assert out.asnumpy().tolist() == [3, 3]
    second.pull(0, out)
    assert out.asnumpy().tolist() == [30, 30]


def test_two_stores_in_a_process():
    run(2, _two_stores)


# What MXNet's own programs do -----------------------------------------------------------------------


def _accumulating(rank, n):
    """Adds multiples of the rank many times, to values of all shapes and storages."""
    rate, times = 2, 3
    kv = mx.kv.create("dist_sync")
    kv.set_optimizer(mx.optimizer.create("test", rescale_grad=rate))
    shapes = {"3": (2, 2), "99": (1200, 1100), "7": (20, 13)}
    kv.init(list(shapes), [mx.nd.ones(shape) for shape in shapes.values()])
    kv.init("rows", mx.nd.ones((20, 13)).tostype("row_sparse"))
    for _ in range(times):
        for key, shape in shapes.items():
            kv.push(key, mx.nd.ones(shape) * (rank + 1))
        kv.push("rows", (mx.nd.ones((20, 13)) * (rank + 1)).tostype("row_sparse"))
    expected = (n + 1) * n * rate / 2 * times + 1
    for key, shape in shapes.items():
        out = mx.nd.zeros(shape)
        kv.pull(key, out)
        assert (out.asnumpy() == expected).all()
    out = mx.nd.zeros((20, 13), stype="row_sparse")
    kv.row_sparse_pull("rows", out, row_ids=mx.nd.arange(20))
    assert (out.asnumpy() == expected).all()
    kv.row_sparse_pull("rows", out, row_ids=mx.nd.array([5]))
    assert out.asnumpy().sum() == 13 * expected


@pytest.mark.parametrize("n", [2, 4])
def test_values_accumulate(n):
    run(n, _accumulating, n)


def _half(rank):
    kv = mx.kv.create("dist_sync")
    optimizer = mx.optimizer.create("sgd", learning_rate=0.5, momentum=0.9, multi_precision=True)
    kv.set_optimizer(optimizer)
    kv.init("w", mx.nd.ones((30, 20), dtype="float16"))
    out = mx.nd.zeros((30, 20), dtype="float16")
    for _ in range(3):
        kv.push("w", mx.nd.ones((30, 20), dtype="float16") * 0.25)
        kv.pull("w", out)
    return out.asnumpy()


def test_half_precision_has_its_copies_at_owners():
    expected, velocity = 1.0, 0.0
    for _ in range(3):
        velocity = 0.9 * velocity - 0.5 * 0.5
        expected += velocity
    for result in run(2, _half, MXNET_KVSTORE_BIGARRAY_BOUND="100"):
        np.testing.assert_allclose(result, expected, rtol=1e-3)


# Training -----------------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-3},
    "adam": {"learning_rate": 0.01},
    "lamb": {"learning_rate": 0.01},
}


def _batches(n_steps=20, size=32, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n_steps):
        yield rng.random((size, 50), np.float32), rng.integers(0, 10, size)


def _scheduled(name):
    scheduler = mx.lr_scheduler.FactorScheduler(step=5, factor=0.7)
    return mx.optimizer.create(name, lr_scheduler=scheduler, **OPTIMIZERS[name])


def _trained_by_trainer(name, store, rank, n, on_store=None):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(64, activation="relu"), gluon.nn.Dense(32, activation="tanh"))
    net.add(gluon.nn.Dense(10))
    net.initialize()
    net(mx.nd.zeros((1, 50)))
    rng = np.random.default_rng(7)
    for param in net.collect_params().values():
        offset = rank if store else 0  # the first worker's values count
        param.set_data(mx.nd.array(rng.uniform(-0.3, 0.3, param.shape) + offset))
    trainer = gluon.Trainer(
        net.collect_params(), _scheduled(name), kvstore=store, update_on_kvstore=on_store
    )
    trainer._prepare()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for data, labels in _batches():
        with autograd.record():
            loss = loss_of(net(mx.nd.array(data[rank::n])), mx.nd.array(labels[rank::n]))
        loss.backward()
        trainer.step(len(data))
    values = [param.data().asnumpy() for param in net.collect_params().values()]
    return [*values, trainer.learning_rate]


def _trained_by_module(name, store, rank, n):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=32, name="first")
    symbol = mx.sym.FullyConnected(mx.sym.tanh(symbol), num_hidden=10, name="second")
    symbol = mx.sym.SoftmaxOutput(symbol, name="softmax")
    module = mx.mod.Module(symbol)
    size = 32 // n
    module.bind([("data", (size, 50))], [("softmax_label", (size,))])
    rng = np.random.default_rng(7)
    shapes = {"first_weight": (32, 50), "first_bias": (32,)}
    shapes |= {"second_weight": (10, 32), "second_bias": (10,)}
    module.init_params(
        arg_params={k: mx.nd.array(rng.uniform(-0.3, 0.3, s)) for k, s in shapes.items()}
    )
    module.init_optimizer(store, name, tuple(OPTIMIZERS[name].items()))
    for data, labels in _batches():
        batch = mx.io.DataBatch([mx.nd.array(data[rank::n])], [mx.nd.array(labels[rank::n])])
        module.forward_backward(batch)
        module.update()
    return [array.asnumpy() for _, array in sorted(module.get_params()[0].items())]


@functools.cache
def _alone(name, by_module):
    trained = _trained_by_module if by_module else _trained_by_trainer
    return trained(name, None, 0, 1)


def _training(rank, n, name, by_module, expected):
    for on_store in (True,) if by_module else (True, False):
        store = mx.kv.create("dist_sync")
        if by_module:
            values = _trained_by_module(name, store, rank, n)
        else:
            values = _trained_by_trainer(name, store, rank, n, on_store)
        for mine, alone in zip(values, expected):
            np.testing.assert_allclose(mine, alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("by_module", [False, True])
@pytest.mark.parametrize(
    "n, bound, names",
    [(2, 10**6, OPTIMIZERS), (2, 500, OPTIMIZERS), (4, 500, ["sgd", "adam"]), (8, 500, ["adam"])],
)
def test_training_gives_the_numbers_of_one_process_with_the_whole_batch(n, bound, names, by_module):
    for name in names:
        expected = _alone(name, by_module)
        run(n, _training, n, name, by_module, expected, MXNET_KVSTORE_BIGARRAY_BOUND=str(bound))


def _sparse_module(rank, n):
    def trained(store, rank, n):
        data = mx.sym.var("data", stype="csr")
        weight = mx.sym.var("weight", stype="row_sparse", shape=(30, 2))
        symbol = mx.sym.LinearRegressionOutput(mx.sym.sparse.dot(data, weight), name="out")
        module = mx.mod.Module(symbol, label_names=["out_label"])
        size = 8 // n
        module.bind([("data", (size, 30))], [("out_label", (size, 2))])
        value = np.random.default_rng(1).normal(size=(30, 2)).astype(np.float32)
        module.init_params(arg_params={"weight": mx.nd.array(value).tostype("row_sparse")})
        module.init_optimizer(store, "sgd", (("learning_rate", 0.3), ("momentum", 0.9)))
        for step in range(20):
            rng = np.random.default_rng([step, 3])
            dense = rng.random((8, 30)) * (rng.random((8, 30)) < 0.1)
            rows = mx.nd.array(dense[rank::n]).tostype("csr")
            batch = mx.io.DataBatch([rows], [mx.nd.array(rng.random((8, 2))[rank::n])])
            module.prepare(batch, sparse_row_id_fn=lambda b: {"weight": b.data[0].indices})
            module.forward_backward(batch)
            module.update()
        everything = mx.io.DataBatch([mx.nd.zeros((size, 30)).tostype("csr")])
        module.prepare(everything, sparse_row_id_fn=lambda _: {"weight": mx.nd.arange(30)})
        return module.get_params()[0]["weight"].asnumpy()

    alone = trained(mx.kv.create("local"), 0, 1)
    together = trained("dist_sync", rank, n)
    np.testing.assert_allclose(alone, together, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n", [2, 4])
def test_modules_with_sparse_weights(n):
    run(n, _sparse_module, n)


def _compressed_trainer(rank):
    net = gluon.nn.Dense(3, in_units=8)
    net.initialize()
    trainer = gluon.Trainer(
        net.collect_params(),
        "sgd",
        {"learning_rate": 0.1},
        kvstore="dist_sync",
        compression_params={"type": "2bit", "threshold": 0.1},
    )
    rng = np.random.default_rng(rank)
    goal = np.random.default_rng(9).normal(size=(8, 3))
    losses = []
    for _ in range(150):
        data = rng.normal(size=(16, 8))
        with autograd.record():
            loss = ((net(mx.nd.array(data)) - mx.nd.array(data @ goal)) ** 2).mean()
        loss.backward()
        trainer.step(2)
        losses.append(float(loss.asscalar()))
    return losses[0], losses[-1], net.weight.data().asnumpy().tolist()


def test_compressed_gradients_learn():
    (first, last, weight), (_, _, other) = run(2, _compressed_trainer)
    assert last < first / 10
    assert weight == other


def _kept(rank):
    """What an updater that keeps its sums has of them later."""
    kv, sums = mx.kv.create("dist_sync"), []
    kv.init(["a", "b"], [mx.nd.zeros((3,)), mx.nd.zeros((3,))])
    kv._set_updater(lambda key, total, value: sums.append(total))
    for step in range(4):
        kv.push(["a", "b"], [mx.nd.full((3,), step), mx.nd.full((3,), step)])
        kv._barrier()
    return [total.asnumpy().tolist() for total in sums]


def test_an_updater_may_keep_its_sums():
    for sums in run(2, _kept):  # each owns one of the keys
        assert sums == [[2.0 * step] * 3 for step in range(4)]
