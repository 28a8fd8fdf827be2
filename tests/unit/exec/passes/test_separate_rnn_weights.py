# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers give the same outputs and gradients when they read their weights one by one."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.exec.passes import separate_rnn_weights
from mxnova.gluon import rnn

LAYERS = {
    "lstm": lambda: rnn.LSTM(5, 2, bidirectional=True, input_size=4),
    "lstm of batches first": lambda: rnn.LSTM(5, layout="NTC", input_size=4),
    "projected": lambda: rnn.LSTM(5, projection_size=3, input_size=4),
    "clipped": lambda: rnn.LSTM(5, input_size=4, state_clip_min=-0.1, state_clip_max=0.1),
    "lengths": lambda: rnn.LSTM(5, input_size=4, use_sequence_length=True),
    "gru": lambda: rnn.GRU(5, 2, input_size=4, dropout=0.5),
    "gru of lengths": lambda: rnn.GRU(5, input_size=4, use_sequence_length=True),
    "vanilla": lambda: rnn.RNN(5, input_size=4),
}


class Network(mx.gluon.HybridBlock):
    """A layer of each kind, with lengths whether it takes them or not."""

    def __init__(self, layer, **kwargs):
        super().__init__(**kwargs)
        self.layer = layer

    def hybrid_forward(self, F, x, lengths):
        if self.layer._use_sequence_length:
            return F.tanh(self.layer(x, sequence_length=lengths))
        return F.broadcast_mul(F.tanh(self.layer(x)), lengths.sum().reshape((1, 1, 1)))


def passed(name):
    """(output, gradients) of a training pass and of one after a step."""
    layer = LAYERS[name]()
    net = Network(layer)
    net.initialize()
    rng = np.random.default_rng(1)
    learned = sorted(net.collect_params().items())
    for _, parameter in learned:
        parameter.set_data(mx.nd.array(rng.normal(size=parameter.shape)))
    net.hybridize()
    batch = 3
    shape = (batch, 6, 4) if layer._layout == "NTC" else (6, batch, 4)
    x, lengths = mx.nd.array(rng.normal(size=shape)), mx.nd.array([6, 2, 4])
    x.attach_grad()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    found = []
    for seed in (1, 2):
        mx.random.seed(seed)
        with mx.autograd.record():
            output = net(x, lengths)
        output.backward()
        found += [output.asnumpy(), x.grad.asnumpy(), *(p.grad().asnumpy() for _, p in learned)]
        trainer.step(1)
    return found


@pytest.mark.parametrize("name", LAYERS)
def test_outputs_and_gradients_stay(name, monkeypatch):
    taken = []
    own = separate_rnn_weights.with_weights_apart

    def watched(symbol, facts):
        rewritten = own(symbol, facts)
        taken.append(rewritten is not symbol)
        return rewritten

    monkeypatch.setattr(separate_rnn_weights, "with_weights_apart", watched)
    found = passed(name)
    assert taken == [True]
    monkeypatch.setenv("MXNOVA_PASSES", "-separate_rnn_weights")
    for mine, expected in zip(found, passed(name), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-6)


def test_a_vector_that_is_cut_elsewhere_stays_whole():
    x, start = mx.sym.var("x", shape=(2, 1, 3)), mx.sym.var("start", shape=(1, 1, 2))
    parts = [mx.sym.var("first", shape=(4,)), mx.sym.var("second", shape=(10,))]
    vector = mx.sym._internal._rnn_param_concat(*parts, dim=0)
    output = mx.sym.RNN(x, vector, start, state_size=2, num_layers=1, mode="rnn_tanh")
    executor = output.simple_bind(mx.cpu())
    for array in executor.arg_arrays:
        array[:] = 0.5
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 1, 2)))
    assert np.abs(executor.grad_dict["second"].asnumpy()).min() > 0
