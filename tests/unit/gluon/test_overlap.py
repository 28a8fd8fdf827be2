# SPDX-License-Identifier: Apache-2.0
"""Gradients that leave during the backward pass: the same bits, sooner."""

import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError
from mxnova.gluon.overlap import Overlap
from tests.unit.kvstore.distributed.workers import run

WIDTH, LAYERS = 600, 6  # 1.4 MB each: a bucket


def _trained(rank, overlap, hybridize, trace):
    mx.random.seed(1)
    net = mx.gluon.nn.HybridSequential()
    for _ in range(LAYERS):
        net.add(mx.gluon.nn.Dense(WIDTH, in_units=WIDTH, activation="relu"))
    net.initialize(mx.init.Xavier())
    if hybridize:
        net.hybridize()
    options = {"kvstore": "dist_sync", "update_on_kvstore": False, "overlap": overlap}
    learn = {"learning_rate": 0.01, "momentum": 0.9}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", learn, **options)
    x = mx.nd.array(np.random.default_rng(rank).standard_normal((64, WIDTH)))
    for step in range(6):
        if step == 3:  # arrays of their own from now on
            net[0].weight.set_data(net[0].weight.data() * 2)
            net[1].weight.grad_req = "add"
        if step == 4:
            net[1].weight.zero_grad()
        if step == 5 and trace and rank == 0:
            mx.profiler.set_config(profile_all=True, filename=trace)
            mx.profiler.set_state("run")
        for _ in range(2 if step == 2 else 1):  # the second pass overwrites the first
            with mx.autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
        trainer.step(2)
        mx.nd.waitall()
        if step == 5 and trace and rank == 0:
            mx.profiler.set_state("stop")
            mx.profiler.dump()
    parameters = net.collect_params().values()
    return [p.data().asnumpy().tobytes() + p.grad().asnumpy().tobytes() for p in parameters]


@pytest.mark.slow
@pytest.mark.parametrize("hybridize", [False, True])
def test_weights_and_gradients_are_the_same(hybridize, tmp_path):
    trace = str(tmp_path / "trace.json")
    plain = run(2, _trained, False, hybridize, None)
    for _ in range(4):  # on a busy machine the thread that pushes may be late
        assert plain == run(2, _trained, True, hybridize, trace)
        if begins_within_pass(json.loads((tmp_path / "trace.json").read_text())["traceEvents"]):
            return
    pytest.fail("no push began before the backward pass ended")


def begins_within_pass(events):
    begins = {e["id"]: e["ts"] for e in events if e["name"] == "push to all workers"}
    passes = [e for e in events if e["name"] == "_backward_FullyConnected"]
    assert len(begins) >= LAYERS - 1
    return min(begins.values()) < max(event["ts"] + event["dur"] for event in passes)


def test_changes_after_the_backward_pass_have_no_effect():
    net = mx.gluon.nn.Dense(1, in_units=2)
    net.initialize()
    learning = mx.gluon.Trainer(net.collect_params(), "sgd")._learning()
    store = mx.kv.create()
    overlap = Overlap(store)
    for key, _, (array,), _ in learning:
        store.init(key, array)
    overlap._hook(learning)
    with mx.autograd.record():
        loss = net(mx.nd.array([[3, 4]])).sum()
    loss.backward()
    for _, _, _, (grad,) in learning:
        grad *= 100
    overlap.finish(learning)
    assert [grad.asnumpy().tolist() for _, _, _, (grad,) in learning] == [[1], [[3, 4]]]


def test_a_store_that_updates_is_refused():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    with pytest.raises(ArgumentError, match="update_on_kvstore=True: must be False with overlap"):
        mx.gluon.Trainer(
            net.collect_params(), "sgd", {}, "dist_sync", update_on_kvstore=True, overlap=True
        )


def test_one_process_needs_none():
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize(mx.init.One())
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1}, overlap=True)
    with mx.autograd.record():
        loss = net(mx.nd.ones((1, 1))).sum()
    loss.backward()
    trainer.step(1)
    assert net.weight.data().asscalar() == 0
