# SPDX-License-Identifier: Apache-2.0
import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon.contrib import rnn

SIZES = {1: (6,), 2: (6, 5), 3: (4, 5, 3)}
KINDS = [(f"Conv{d}D{kind}Cell", d) for d in SIZES for kind in ("RNN", "LSTM", "GRU")]


@pytest.mark.parametrize("name, dims", KINDS)
def test_states_keep_their_size(name, dims):
    cell = getattr(rnn, name)((0, *SIZES[dims]), 4, 3, 5, i2h_pad=1, h2h_dilate=1)
    assert cell.i2h_weight.shape[1] == 0
    cell.initialize()
    cell.hybridize()
    x = mx.nd.random.uniform(shape=(2, 3, 3, *SIZES[dims]))
    out, states = cell.unroll(3, x, merge_outputs=True)
    assert out.shape == (2, 3, 4, *SIZES[dims])
    assert {s.shape for s in states} == {(2, 4, *SIZES[dims])}
    assert cell.i2h_weight.shape[1] == 3


def test_kernels_of_one_element_are_matrix_products():
    conv = rnn.Conv1DLSTMCell((3, 1), 4, 1, 1)
    dense = mx.gluon.rnn.LSTMCell(4, input_size=3)
    conv.initialize()
    dense.initialize()
    for name, parameter in dense._reg_params.items():
        parameter.set_data(conv._reg_params[name].data().reshape(parameter.shape))
    x = mx.nd.random.uniform(-1, 1, (2, 5, 3))
    wanted, _ = dense.unroll(5, x, merge_outputs=True)
    out, _ = conv.unroll(5, x.expand_dims(3), merge_outputs=True)
    np.testing.assert_allclose(out.asnumpy()[..., 0], wanted.asnumpy(), 1e-5, 1e-6)


def test_channels_may_come_last():
    first = rnn.Conv2DGRUCell((3, 6, 5), 4, (3, 1), 3, conv_layout="NCHW")
    last = rnn.Conv2DGRUCell((6, 5, 3), 4, (3, 1), 3, conv_layout="NHWC")
    assert last.state_info(2) == [{"shape": (2, 4, 5, 4), "__layout__": "NHWC"}]
    first.initialize()
    last.initialize()
    for name, parameter in first._reg_params.items():
        value = parameter.data()
        moved = value.transpose((0, 2, 3, 1)) if "weight" in name else value
        last._reg_params[name].set_data(moved)
    x = mx.nd.random.uniform(-1, 1, (2, 3, 3, 6, 5))
    wanted, _ = first.unroll(3, x, merge_outputs=True)
    out, _ = last.unroll(3, x.transpose((0, 1, 3, 4, 2)), merge_outputs=True)
    np.testing.assert_allclose(
        out.transpose((0, 1, 4, 2, 3)).asnumpy(), wanted.asnumpy(), 1e-5, 1e-6
    )


def test_activation_may_be_a_block():
    cell = rnn.Conv1DRNNCell((1, 4), 2, 1, 1, activation=mx.gluon.nn.LeakyReLU(0.5))
    cell.initialize(mx.init.One())
    out, _ = cell.unroll(1, [-mx.nd.ones((1, 1, 4))])
    np.testing.assert_allclose(out[0].asnumpy(), np.full((1, 2, 4), -0.5))


class _Sum(rnn.Conv1DRNNCell):
    """A cell of another package, with two gates, by MXNet's names for subclasses."""

    _gate_names = ("_a", "_b")

    def hybrid_forward(self, F, inputs, states, i2h_weight, h2h_weight, i2h_bias, h2h_bias):
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._conv_forward(F, inputs, states, *weights, f"t{self._counter}_")
        a, b = F.split(i2h + h2h, num_outputs=self._num_gates, axis=self._channel_axis)
        return a * b, [a]


def test_subclasses_have_gates_of_their_own():
    cell = _Sum((2, 5), 3, 3, 3, i2h_pad=1, i2h_bias_initializer="ones")
    cell.initialize(mx.init.Zero())
    assert cell.h2h_weight.shape == (6, 3, 3)
    out, _ = cell(mx.nd.ones((1, 2, 5)), cell.begin_state(1))
    np.testing.assert_array_equal(out.asnumpy(), np.ones((1, 3, 5)))


def test_classes_have_names():
    assert rnn.Conv2DLSTMCell.__name__ == "Conv2DLSTMCell"
    assert pickle.loads(pickle.dumps(rnn.Conv3DGRUCell)) is rnn.Conv3DGRUCell
    assert "hidden_channels: channels" in rnn.Conv1DRNNCell.__doc__
    assert "dims:" not in rnn.Conv1DRNNCell.__doc__


@pytest.mark.parametrize(
    "kwargs, kind, words",
    [
        ({"h2h_kernel": 2}, AssertionError, "h2h_kernel=2: must be odd"),
        ({"i2h_kernel": (1, 2, 3)}, AssertionError, "i2h_kernel=.*2 are expected"),
        ({"i2h_pad": (1,)}, AssertionError, "i2h_pad"),
        ({"input_shape": (3, 7)}, ValueError, "input_shape"),
        ({"conv_layout": "NCW"}, ValueError, "conv_layout='NCW'"),
    ],
)
def test_errors(kwargs, kind, words):
    settings = {"input_shape": (3, 7, 7), "hidden_channels": 2, "i2h_kernel": 3, "h2h_kernel": 3}
    with pytest.raises(kind, match=words):
        rnn.Conv2DRNNCell(**{**settings, **kwargs})
