# SPDX-License-Identifier: Apache-2.0
"""When graphs are rewritten around parameters, and when they are not."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.backends import BACKENDS

SHAPE = (1, 2, 4, 4)


class Counting:
    """A backend that counts what it compiles."""

    def __init__(self, backend):
        self.backend, self.compiled = backend, 0

    def supports(self, program):
        return self.backend.supports(program)

    def parameters(self, symbol):
        return self.backend.parameters(symbol)

    def compile(self, program, constants):
        self.compiled += 1
        return self.backend.compile(program, constants)


@pytest.fixture
def backend(monkeypatch):
    made = Counting(BACKENDS["aten"])
    monkeypatch.setitem(BACKENDS, "aten", made)
    return made


def network():
    x = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), pad=(1, 1), num_filter=2, name="c")
    return mx.sym.relu(mx.sym.BatchNorm(x, name="b", fix_gamma=False))


def bound():
    executor = network().simple_bind(mx.cpu(), data=SHAPE)
    rng = np.random.default_rng(0)
    for array in (*executor.arg_arrays, *executor.aux_arrays):
        array[:] = rng.uniform(0.5, 1.5, array.shape)
    return executor


def plain(executor):
    """The output as a graph gives it that was never rewritten."""
    fresh = network().bind(mx.cpu(), executor.arg_dict, aux_states=executor.aux_dict)
    return fresh.forward()[0].asnumpy()


@pytest.mark.onednn
def test_the_second_forward_rewrites_and_a_write_returns_to_the_plain_graph(backend):
    executor = bound()
    for expected in (0, 1, 1):
        np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)
        assert backend.compiled == expected
    for write in (
        lambda: executor.arg_dict["c_weight"].__setitem__(0, 3),
        lambda: executor.aux_dict["b_moving_var"].__imul__(2),
        lambda: mx.nd.sgd_update(
            executor.arg_dict["b_gamma"], mx.nd.ones(2), lr=0.1, out=executor.arg_dict["b_gamma"]
        ),
        lambda: executor.copy_params_from({"c_bias": mx.nd.array([5, 6])}),
    ):
        write()
        before = backend.compiled
        for expected in (0, 1, 1):
            np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)
            assert backend.compiled == before + expected


@pytest.mark.onednn
def test_other_data_is_no_reason_to_compile_again(backend):
    executor = bound()
    executor.optimize()
    for i in range(3):
        executor.forward(data=mx.nd.full(SHAPE, i))
    assert backend.compiled == 1


@pytest.mark.onednn
def test_optimize_does_it_at_once_and_later_writes_count(backend):
    executor = bound()
    executor.optimize()
    assert backend.compiled == 1
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)
    executor.arg_dict["c_weight"][:] = 0.25
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)


def test_a_training_step_is_seen(backend):
    executor = bound()
    executor.optimize()
    executor.forward(is_train=True)  # moves the statistics
    np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)


def test_memory_that_others_write_to_is_never_relied_on(backend):
    executor = bound()
    seen = executor.arg_dict["c_weight"].to_torch()
    executor.optimize()
    for value in (1.0, 2.0, 3.0):
        seen.fill_(value)
        np.testing.assert_allclose(executor.forward()[0].asnumpy(), plain(executor), rtol=1e-5)
    assert backend.compiled == 0


def test_the_switch(backend, monkeypatch):
    monkeypatch.setenv("MXNOVA_FUSE", "0")
    executor = bound()
    executor.optimize()
    for _ in range(3):
        executor.forward()
    assert backend.compiled == 0


@pytest.mark.onednn
def test_a_predictor_compiles_when_it_is_made(backend):
    executor = bound()
    parameters = {f"arg:{n}": a for n, a in executor.arg_dict.items() if n != "data"}
    parameters |= {f"aux:{n}": a for n, a in executor.aux_dict.items()}
    predictor = mx.Predictor(network(), parameters, {"data": SHAPE})
    assert backend.compiled == 1
    data = executor.arg_dict["data"]
    np.testing.assert_allclose(predictor.predict(data=data)[0], plain(executor), rtol=1e-5)
    other = predictor.reshape({"data": (3, 2, 5, 5)})
    assert other.predict(data=np.ones((3, 2, 5, 5)))[0].shape == (3, 2, 5, 5)
    assert backend.compiled == 1


def test_training_and_monitored_forwards_are_never_rewritten(backend):
    executor = bound()
    for _ in range(3):
        executor.forward(is_train=True)
    executor.set_monitor_callback(lambda name, array: None)
    for _ in range(3):
        executor.forward()
    assert backend.compiled == 0
