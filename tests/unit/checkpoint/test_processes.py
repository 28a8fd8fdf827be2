# SPDX-License-Identifier: Apache-2.0
"""Workers that are processes, with a store that updates."""

from __future__ import annotations

import numpy as np
import pytest

import mxnova as mx
from mxnova.checkpoint import ownership

from ..kvstore.distributed.workers import run

pytestmark = pytest.mark.slow


def train(rank, folder, begin, end, optimizer):
    """Weights, and the bytes of states, after steps `begin` to `end`."""
    ownership._SLICED = 1 << 10
    store = mx.kv.create("dist_sync")
    mx.random.seed(rank)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(64, in_units=32), mx.gluon.nn.Dense(7, in_units=64))
    net.initialize(mx.init.Xavier())
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer, kvstore=store)
    if begin:
        found = mx.checkpoint.load(folder, net, trainer)
        assert found.step == begin
        assert trainer._kvstore.optimizer_states(dump_optimizer=True) == found.states()
    for step in range(begin, end):
        rows = mx.nd.array(np.random.default_rng(step).random((12, 32)))
        with mx.autograd.record():
            loss = (net(rows[rank :: store.num_workers]) ** 2).sum()
        loss.backward()
        trainer.step(12)
        saving = mx.checkpoint.save(folder, step + 1, net, trainer, keep=2)
    saving.wait()
    return {n: p.data().asnumpy() for n, p in net._collect_params_with_prefix().items()}


@pytest.mark.parametrize("optimizer", ["adam", pytest.param("lamb", marks=pytest.mark.huge)])
def test_three_go_on_where_two_were(optimizer, tmp_path):
    trained = run(2, train, tmp_path, 0, 4, optimizer)
    assert mx.checkpoint.steps(tmp_path) == [3, 4]
    found = mx.checkpoint.read(tmp_path)
    assert (found.world, len(found._files.arrays["optimizer.3.1"].pieces)) == (2, 2)
    parameters = found.parameters()
    for name, array in trained[1].items():
        np.testing.assert_array_equal(parameters[name].asnumpy(), array)
    gone_on = run(3, train, tmp_path, 4, 6, optimizer)
    assert mx.checkpoint.read(tmp_path).world == 3
    parameters = mx.checkpoint.read(tmp_path).parameters()
    for name, array in gone_on[2].items():
        np.testing.assert_array_equal(parameters[name].asnumpy(), array)
