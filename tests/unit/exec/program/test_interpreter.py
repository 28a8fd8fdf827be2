# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx


def told(symbol, monitor_all=True, is_train=False, **shapes):
    """Names that a monitor is told, in order."""
    executor = symbol.simple_bind(mx.cpu(), **shapes)
    names = []
    executor.set_monitor_callback(lambda name, array: names.append(name), monitor_all)
    executor.forward(is_train=is_train)
    return names


def network():
    x = mx.sym.var("data")
    x = mx.sym.Convolution(x, kernel=(1, 1), num_filter=2, name="conv0")
    return mx.sym.Activation(mx.sym.BatchNorm(x, name="bn0"), act_type="relu", name="act0")


OUTPUTS = ["conv0_output", "bn0_output", "bn0_mean", "bn0_var", "act0_output"]
ALL = [
    "data", "conv0_data", "conv0_weight", "conv0_weight", "conv0_bias", "conv0_bias",
    "conv0_output",
    "bn0_data", "bn0_gamma", "bn0_gamma", "bn0_beta", "bn0_beta",
    "bn0_moving_mean", "bn0_moving_mean", "bn0_moving_var", "bn0_moving_var",
    "bn0_output", "bn0_mean", "bn0_var",
    "act0_input0", "act0_output",
]  # fmt: skip


@pytest.mark.parametrize("is_train", [False, True])
def test_monitors_are_told_what_mxnet_tells_in_its_order(is_train):
    assert told(network(), False, is_train, data=(1, 2, 2, 2)) == OUTPUTS
    assert told(network(), True, is_train, data=(1, 2, 2, 2)) == ALL


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda x: mx.sym.relu(x, name="n"), ["n_input0"]),
        (lambda x: mx.sym.sum(x, name="n"), ["n_input0"]),
        (lambda x: mx.sym.reshape(x, shape=(-1,), name="n"), ["n_input0"]),
        (lambda x: mx.sym.Pooling(x, kernel=(1, 1), name="n"), ["n_data"]),
        (lambda x: mx.sym.Dropout(x, name="n"), ["n_data"]),
        (lambda x: mx.sym.LeakyReLU(x, name="n"), ["n_data"]),
        (lambda x: mx.sym.softmax(x, name="n"), ["n_data"]),
        (lambda x: mx.sym.concat(x, x, name="n"), ["n_arg0", "n_arg1"]),
        (lambda x: mx.sym.stack(x, x, name="n"), ["n_arg0", "n_arg1"]),
        (lambda x: mx.sym.broadcast_add(x, x, name="n"), ["n_lhs", "n_rhs"]),
        (lambda x: mx.sym.split(x, num_outputs=2, name="n"), ["n_data"]),
    ],
)
def test_inputs_are_called_what_mxnet_calls_them(make, names):
    inner = mx.sym.abs(mx.sym.var("x"), name="a")
    found = told(make(inner), x=(1, 2, 2, 2))
    assert found[: 3 + len(names)] == ["x", "a_input0", "a_output", *names]


def test_callbacks_written_for_bytes_work():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    seen = {}

    def callback(name, array):
        seen[mx.base.py_str(name)] = array.asnumpy().tolist()
        assert name == name.decode("utf-8")

    executor.set_monitor_callback(callback)
    executor.forward(x=mx.nd.array([1, 2]))
    assert list(seen.values()) == [[2, 4]]
    executor.set_monitor_callback(None)
    seen.clear()
    executor.forward()
    assert seen == {}
    with pytest.raises(TypeError, match="no function"):
        executor.set_monitor_callback(3)


def test_what_a_callback_raises_is_not_taken_for_an_operators_error():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))

    def callback(name, array):
        raise LookupError(name)

    executor.set_monitor_callback(callback)
    with pytest.raises(LookupError):
        executor.forward()


def test_a_monitor_sees_what_runs_not_what_was_rewritten():
    executor = network().simple_bind(mx.cpu(), data=(1, 2, 2, 2))
    executor.optimize()
    names = []
    executor.set_monitor_callback(lambda name, array: names.append(name))
    executor.forward()
    assert names == OUTPUTS
