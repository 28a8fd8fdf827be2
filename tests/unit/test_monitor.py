# SPDX-License-Identifier: Apache-2.0
"""Monitors of executors and blocks: names, statistics, which batches."""

from __future__ import annotations

import pytest

import mxnova as mx

OUTER = ["data", "fc_weight", "fc_bias"]


@pytest.fixture
def executor():
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    executor = symbol.simple_bind(mx.cpu(), data=(1, 3))
    executor.arg_dict["data"][:] = 2
    executor.arg_dict["fc_weight"][:] = 1
    return executor


def watched(monitor, run):
    monitor.tic()
    run()
    return monitor.toc()


def test_every_so_many_batches(executor):
    monitor = mx.monitor.Monitor(2)
    monitor.install(executor)
    found = [watched(monitor, executor.forward) for _ in range(4)]
    assert [[name for _, name, _ in entries] for entries in found] == [
        ["fc_output", *OUTER], [], ["fc_output", *OUTER], []
    ]  # fmt: skip
    assert [{step for step, _, _ in entries} for entries in found] == [{1}, set(), {3}, set()]
    assert found[0][0] == (1, "fc_output", "6.0\t")
    executor.forward()
    assert monitor.queue == []


def test_inputs_of_operators_and_order(executor):
    monitor = mx.monitor.Monitor(1, monitor_all=True, sort=True)
    monitor.install(executor)
    names = [name for _, name, _ in watched(monitor, executor.forward)]
    assert names == sorted(names)
    assert {"fc_data", "fc_weight", "fc_bias", "fc_output", "data"} == set(names)


def test_patterns(executor):
    monitor = mx.monitor.Monitor(1, pattern=".*weight|.*output")
    monitor.install(executor)
    names = [name for _, name, _ in watched(monitor, executor.forward)]
    assert names == ["fc_output", "fc_weight"]


def test_states_are_told():
    symbol = mx.sym.BatchNorm(mx.sym.var("data"), name="bn")
    executor = symbol.simple_bind(mx.cpu(), data=(2, 3))
    monitor = mx.monitor.Monitor(1, pattern=".*moving.*")
    monitor.install(executor)
    names = [name for _, name, _ in watched(monitor, executor.forward)]
    assert names == ["bn_moving_mean", "bn_moving_var"]


def test_numbers_have_the_digits_of_their_type(executor):
    monitor = mx.monitor.Monitor(1, lambda a: a.max() / 7, pattern="fc_output")
    monitor.install(executor)
    assert watched(monitor, executor.forward) == [(1, "fc_output", "0.85714287\t")]


def test_own_statistics(executor, caplog):
    monitor = mx.monitor.Monitor(1, lambda a: [a.max(), a + 0], pattern="fc_output")
    monitor.install(executor)
    assert watched(monitor, executor.forward) == [(1, "fc_output", "6.0\t[[6. 6.]]\t")]
    monitor.tic()
    executor.forward()
    with caplog.at_level("INFO"):
        monitor.toc_print()
    assert caplog.messages == [f"Batch:       2 {'fc_output':30} 6.0\t[[6. 6.]]\t"]


def test_statistics_are_arrays(executor):
    monitor = mx.monitor.Monitor(1, lambda a: 3)
    monitor.install(executor)
    with pytest.raises(AssertionError, match="stat_func gave 3"):
        watched(monitor, executor.forward)


def test_only_what_computes_is_watched():
    with pytest.raises(TypeError, match="Executor or a Block"):
        mx.monitor.Monitor(1).install(3)


def test_blocks():
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Dense(2, activation="relu"))
    net.initialize(mx.init.One())
    net.hybridize()
    monitor = mx.monitor.Monitor(1)
    monitor.install(net)
    found = watched(monitor, lambda: net(mx.nd.ones((1, 3))))
    assert found == [
        (1, "net_dense0_fwd_output", "3.0\t"),
        (1, "net_dense0_relu_fwd_output", "3.0\t"),
        (1, "net_dense0_weight", "1.0\t"),
        (1, "net_dense0_bias", "0.0\t"),
    ]
