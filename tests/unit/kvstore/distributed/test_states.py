# SPDX-License-Identifier: Apache-2.0
"""States of optimizers, which are with the owners of shares, in files."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.optimizer import load_states

from .workers import run

SHAPES = {"a": (3, 4), "b": (60, 20), "c": (2, 1000), "d": (1,)}


def _gradient(rank, step, key):
    shape = SHAPES[key]
    return np.random.default_rng([rank, step, ord(key)]).normal(size=shape).astype(np.float32)


def _stepped(kv, steps, gradient):
    outs = {key: mx.nd.zeros(shape) for key, shape in SHAPES.items()}
    for step in steps:
        for key, out in outs.items():
            kv.push(key, mx.nd.array(gradient(step, key)))
            kv.pull(key, out)
    return {key: out.asnumpy() for key, out in outs.items()}


def _made(kind, name):
    kv = mx.kv.create(kind)
    kv.set_optimizer(mx.optimizer.create(name, learning_rate=0.05))
    kv.init(list(SHAPES), [mx.nd.ones(shape) for shape in SHAPES.values()])
    return kv


def _saved_and_loaded(rank, n, name, dumped, folder):
    def mine(step, key):
        return _gradient(rank, step, key)

    kv = _made("dist_sync", name)
    _stepped(kv, range(3), mine)
    if rank == 0:  # nobody else has to
        kv.save_optimizer_states(f"{folder}/one.states")
    kv.save_optimizer_states(f"{folder}/{rank}.states", dump_optimizer=True)
    kv._barrier()
    kv.set_optimizer(mx.optimizer.create(name, learning_rate=77 if dumped else 0.05))
    kv.load_optimizer_states(f"{folder}/0.states" if dumped else f"{folder}/one.states")
    return _stepped(kv, range(3, 5), mine)


@pytest.mark.parametrize(
    ("name", "dumped"), [("adam", True), ("sgd", True), ("lamb", False), ("nadam", False)]
)
def test_states_are_those_of_one_process(name, dumped, tmp_path):
    def both(step, key):
        return _gradient(0, step, key) + _gradient(1, step, key)

    alone = _made("local", name)
    _stepped(alone, range(3), both)
    alone.save_optimizer_states(str(tmp_path / "alone.states"))
    expected = _stepped(alone, range(3, 5), both)
    arguments = 2, name, dumped, str(tmp_path)
    results = run(2, _saved_and_loaded, *arguments, MXNET_KVSTORE_BIGARRAY_BOUND="500")
    for result in results:
        for key, value in expected.items():
            np.testing.assert_allclose(result[key], value, rtol=0, atol=1e-5)
    saved = load_states(tmp_path / "alone.states")
    for file in ("one", "0", "1"):
        states = load_states(tmp_path / f"{file}.states")
        assert states.keys() == saved.keys()
        for key, state in saved.items():
            for mine, theirs in zip(_flat(states[key]), _flat(state), strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-5)


def _flat(state):
    if isinstance(state, (tuple, list)):
        return [array for each in state for array in _flat(each)]
    return [] if state is None else [state.asnumpy()]


def _without_optimizer(rank):
    kv = mx.kv.create("dist_sync")
    with pytest.raises(MXNetError, match="set_optimizer"):
        kv.save_optimizer_states("nowhere")


def test_without_optimizer_there_are_none():
    run(2, _without_optimizer)


def _another_file(rank, folder):
    kv = _made("dist_sync", "adam")
    _stepped(kv, range(1), lambda step, key: _gradient(0, step, key))
    kv.save_optimizer_states(f"{folder}/first", dump_optimizer=True)
    _stepped(kv, range(1), lambda step, key: _gradient(0, step, key))
    kv.save_optimizer_states(f"{folder}/second")
    kv._barrier()
    with pytest.raises(MXNetError, match=r"load_optimizer_states: workers differ"):
        kv.load_optimizer_states(f"{folder}/{'second' if rank else 'first'}")


def test_all_workers_load_the_same(tmp_path):
    run(2, _another_file, str(tmp_path))


def _trainer(rank, folder):
    from mxnova import autograd, gluon

    net = gluon.nn.Dense(2, in_units=3)
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(
        net.collect_params(), "adam", {"learning_rate": 0.1}, kvstore="dist_sync"
    )

    def step():
        with autograd.record():
            loss = (net(mx.nd.ones((2, 3))) ** 2).sum()
        loss.backward()
        trainer.step(4)
        return net.weight.data().asnumpy()

    step()
    trainer.save_states(f"{folder}/{rank}")
    before = step()
    trainer.load_states(f"{folder}/0")
    assert trainer.optimizer.num_update == 1
    step()
    return before


def test_trainers_save_and_load(tmp_path):
    first, second = run(2, _trainer, str(tmp_path))
    np.testing.assert_array_equal(first, second)
