# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.gluon.contrib.rnn.rnn_cell import dynamic_unroll

T, N, C, H = 4, 3, 5, 6


def cell_and_data(layout):
    cell = mx.gluon.rnn.LSTMCell(H, input_size=C)
    cell.initialize(mx.init.Uniform(0.7))
    x = mx.nd.random.uniform(-1, 1, (N, T, C))
    return cell, x if layout == "NTC" else x.swapaxes(0, 1)


@pytest.mark.parametrize("lengths", [None, [2, 4, 1]])
@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_a_loop_equals_unrolling(layout, lengths):
    cell, x = cell_and_data(layout)
    valid = None if lengths is None else mx.nd.array(lengths)
    begin = [mx.nd.ones((N, H)), mx.nd.ones((N, H))]
    wanted, ends = cell.unroll(T, x, begin, layout, True, valid)
    out, states = dynamic_unroll(cell, x, begin, layout=layout, valid_length=valid)
    np.testing.assert_allclose(out.asnumpy(), wanted.asnumpy(), 1e-5, 1e-6)
    for state, end in zip(states, ends, strict=True):
        np.testing.assert_allclose(state.asnumpy(), end.asnumpy(), 1e-5, 1e-6)


class Loop(mx.gluon.HybridBlock):
    def __init__(self, cell, lengths):
        super().__init__()
        self.cell, self.lengths = cell, lengths

    def hybrid_forward(self, F, x, h, c, *lengths):
        valid = lengths[0] if lengths else None
        return dynamic_unroll(self.cell, x, [h, c], valid_length=valid)


@pytest.mark.parametrize("lengths", [None, [2, 4, 1]])
def test_a_hybridized_loop_takes_sequences_of_any_length(lengths):
    cell, x = cell_and_data("TNC")
    loop = Loop(cell, lengths)
    loop.hybridize()
    state = mx.nd.ones((N, H))
    args = [] if lengths is None else [mx.nd.array(lengths)]
    for steps in (T, 2):
        if lengths is not None:
            args = [mx.nd.minimum(args[0], steps)]
        out, states = loop(x[:steps], state, state, *args)
        wanted, ends = cell.unroll(steps, x[:steps], [state] * 2, "TNC", True, *args)
        np.testing.assert_allclose(out.asnumpy(), wanted.asnumpy(), 1e-5, 1e-6)
        np.testing.assert_allclose(states[1].asnumpy(), ends[1].asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("layout", ["TNC", "NTC"])
def test_dropout_is_the_same_at_every_step(layout):
    class Same(mx.gluon.rnn.HybridRecurrentCell):
        def hybrid_forward(self, F, inputs, states):
            return inputs, states

    x = mx.nd.ones((20, 30, 40))
    with mx.autograd.train_mode():
        out, _ = dynamic_unroll(Same(), x, [mx.nd.zeros((1,))], 0.5, 0.5, layout)
    out = out.asnumpy() if layout == "TNC" else out.asnumpy().swapaxes(0, 1)
    assert (out == out[:1]).all()
    assert (out == 0).mean() == pytest.approx(0.75, abs=0.05)


def test_a_layout_without_time_is_refused():
    with pytest.raises(ValueError, match="layout='NC'"):
        dynamic_unroll(mx.gluon.rnn.RNNCell(2), mx.nd.ones((2, 3)), [], layout="NC")
