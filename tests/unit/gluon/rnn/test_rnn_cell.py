# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.gluon import rnn
from mxnova.gluon.rnn.rnn_cell import _format_sequence, _get_begin_state

T, N, C, H = 4, 3, 5, 5

CELLS = {
    "rnn": lambda **kw: rnn.RNNCell(H, **kw),
    "lstm": lambda **kw: rnn.LSTMCell(H, **kw),
    "gru": lambda **kw: rnn.GRUCell(H, **kw),
    "residual": lambda **kw: rnn.ResidualCell(rnn.GRUCell(H, **kw)),
    "zoneout": lambda **kw: rnn.ZoneoutCell(rnn.LSTMCell(H, **kw), 0.3, 0.3),
    "bidirectional": lambda **kw: rnn.BidirectionalCell(rnn.RNNCell(H, **kw), rnn.GRUCell(H, **kw)),
    "variational": lambda **kw: mx.gluon.contrib.rnn.VariationalDropoutCell(
        rnn.LSTMCell(H, **kw), 0.3, 0.3, 0.3
    ),
    "projected": lambda **kw: mx.gluon.contrib.rnn.LSTMPCell(H, 2, **kw),
}


def data(layout="NTC", n=N):
    x = np.random.RandomState(2).uniform(-1, 1, (n, T, C)).astype("float32")
    return mx.nd.array(x if layout == "NTC" else x.swapaxes(0, 1))


def made(kind, **kwargs):
    cell = CELLS[kind](**kwargs)
    cell.initialize(mx.init.Uniform(0.7))
    return cell


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("layout", ["NTC", "TNC"])
@pytest.mark.parametrize("merge", [None, False, True])
@pytest.mark.parametrize("kind", CELLS)
def test_valid_length_is_as_if_sequences_ended(kind, merge, layout, hybridize):
    cell = made(kind)
    cell.hybridize(hybridize)
    x, lengths = data(layout), [2, T, 1]
    out, states = cell.unroll(T, x, None, layout, merge, mx.nd.array(lengths))
    if merge is False:
        assert len(out) == T
        out = mx.nd.stack(*out, axis=layout.find("T"))
    out = out if layout == "NTC" else out.swapaxes(0, 1)
    for i, length in enumerate(lengths):
        steps = data()[i : i + 1, :length]
        wanted, ends = cell.unroll(length, steps, merge_outputs=True)
        np.testing.assert_allclose(out[i, :length].asnumpy(), wanted[0].asnumpy(), 1e-5, 1e-6)
        assert not out[i, length:].asnumpy().any()
        for state, end in zip(states, ends, strict=True):
            np.testing.assert_allclose(state[i].asnumpy(), end[0].asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("kind", sorted({*CELLS} - {"bidirectional"}))
def test_steps_are_what_unroll_takes(kind):
    cell, x = made(kind), data()
    states, outputs = cell.begin_state(func=mx.nd.zeros, batch_size=N), []
    cell.reset()
    for t in range(T):
        output, states = cell(x[:, t], states)
        outputs.append(output.asnumpy())
    wanted, ends = cell.unroll(T, x, merge_outputs=True)
    np.testing.assert_allclose(np.stack(outputs, 1), wanted.asnumpy(), 1e-5, 1e-6)
    for state, end in zip(states, ends, strict=True):
        np.testing.assert_allclose(state.asnumpy(), end.asnumpy(), 1e-5, 1e-6)


@pytest.mark.parametrize("kind", CELLS)
def test_shapes_are_taken_from_the_first_input(kind):
    cell = made(kind)
    weights = [p for n, p in cell.collect_params().items() if n.endswith("i2h_weight")]
    assert {p.shape[1] for p in weights} == {0}
    cell.hybridize()
    cell.unroll(T, data())
    assert {p.shape[1] for p in weights} == {C}


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_begin_states_have_the_precision_of_inputs(dtype):
    cell = made("lstm")
    cell.cast(dtype)
    out, states = cell.unroll(T, data().astype(dtype))
    assert {a.dtype for a in (*out, *states)} == {np.dtype(dtype).type}


def test_sequences_of_tokens_are_steps_too():
    class Counter(rnn.HybridRecurrentCell):
        def state_info(self, batch_size=0):
            return [{"shape": (batch_size,), "__layout__": "N"}]

        def hybrid_forward(self, F, inputs, states):
            total = states[0] + inputs
            return total, [total]

    out, (total,) = Counter().unroll(3, mx.nd.array([[1, 2, 3], [4, 5, 6]]), merge_outputs=True)
    np.testing.assert_array_equal(out.asnumpy(), [[1, 3, 6], [4, 9, 15]])
    np.testing.assert_array_equal(total.asnumpy(), [6, 15])


def test_sequential_cells_are_a_list():
    cell = rnn.SequentialRNNCell()
    for width in (2, 3):
        cell.add(rnn.GRUCell(width))
    assert (len(cell), cell[0]._hidden_size, cell[-1]._hidden_size) == (2, 2, 3)
    assert [s["shape"] for s in cell.state_info(7)] == [(7, 2), (7, 3)]


class Same(rnn.HybridRecurrentCell):
    """Gives its input, so that what modifiers do to it can be counted."""

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, 1000), "__layout__": "NC"}]

    def hybrid_forward(self, F, inputs, states):
        output = inputs + 0 * states[0]
        return output, [output]


@pytest.mark.parametrize("hybridize", [False, True])
def test_zoneout_keeps_the_last_output(hybridize):
    cell = rnn.ZoneoutCell(Same(), 0.25, 0.5)
    cell.hybridize(hybridize)
    one = mx.nd.ones((1, 1000))
    states = cell.begin_state(func=mx.nd.zeros, batch_size=1)
    with mx.autograd.train_mode():
        first, states = cell(one, states)
        second, states = cell(2 * one, states)
    first, second = first.asnumpy(), second.asnumpy()
    assert {*np.unique(first)} == {0, 1}
    assert first.mean() == pytest.approx(0.75, abs=0.06)
    assert {*np.unique(second)} == {0, 1, 2}
    assert (second[first == 0] != 1).all()
    assert (states[0].asnumpy() == 2).mean() == pytest.approx(0.5, abs=0.06)
    cell.reset()
    with mx.autograd.train_mode():
        again, _ = cell(2 * one, cell.begin_state(func=mx.nd.zeros, batch_size=1))
    assert {*np.unique(again.asnumpy())} == {0, 2}


@pytest.mark.parametrize("hybridize", [False, True])
def test_variational_dropout_keeps_its_masks(hybridize):
    cell = mx.gluon.contrib.rnn.VariationalDropoutCell(Same(), drop_inputs=0.5)
    cell.hybridize(hybridize)
    states = cell.begin_state(func=mx.nd.zeros, batch_size=1)
    with mx.autograd.train_mode():
        outputs = [cell(mx.nd.ones((1, 1000)), states)[0].asnumpy() for _ in range(3)]
    assert (outputs[0] == 0).mean() == pytest.approx(0.5, abs=0.06)
    np.testing.assert_array_equal(outputs[0], outputs[1])
    np.testing.assert_array_equal(outputs[0], outputs[2])
    cell.reset()
    with mx.autograd.train_mode():
        assert (cell(mx.nd.ones((1, 1000)), states)[0].asnumpy() != outputs[0]).any()


@pytest.mark.parametrize("inputs", ["one", "list"])
def test_variational_dropout_without_states_masks_whole_sequences(inputs):
    cell = mx.gluon.contrib.rnn.VariationalDropoutCell(Same(), 0.5, 0, 0.5)
    x = mx.nd.ones((2, 3, 1000))
    with mx.autograd.train_mode():
        out, _ = cell.unroll(
            3, x if inputs == "one" else list(x.swapaxes(0, 1)), merge_outputs=True
        )
    out = out.asnumpy()
    assert (out == out[:, :1]).all()
    assert (out == 0).mean() == pytest.approx(0.75, abs=0.05)


def test_a_cell_is_modified_once():
    cell = rnn.GRUCell(3)
    rnn.ZoneoutCell(cell)
    with pytest.raises(AssertionError, match="another modifier"):
        rnn.ResidualCell(cell)
    with pytest.raises(AssertionError, match="call the modifier"):
        cell.begin_state(2)


def test_a_modifier_that_is_refused_leaves_the_cell_alone():
    stack = rnn.SequentialRNNCell()
    with pytest.raises(ValueError, match="HybridBlock"):
        rnn.ResidualCell(stack)
    assert stack.begin_state(batch_size=1) == []


def modified_twice():
    stack = rnn.HybridSequentialRNNCell()
    stack.add(made("bidirectional"))
    return rnn.ZoneoutCell(stack)


@pytest.mark.parametrize(
    "run, kind, words",
    [
        (lambda: rnn.DropoutCell("much"), AssertionError, "rate='much'"),
        (lambda: made("rnn").unroll(3, data()), AssertionError, "4 steps, length=3"),
        (lambda: made("rnn").unroll(3, [data()[:, 0]]), AssertionError, "1 steps, length=3"),
        (lambda: made("rnn").unroll(0, []), AssertionError, "0 steps"),
        (lambda: made("rnn").unroll(3, "abc"), TypeError, "a list of them"),
        (lambda: made("rnn").unroll(1, ["a"]), TypeError, "not 'a'"),
        (lambda: made("rnn").unroll(4, data(), layout="NC"), ValueError, "no time axis"),
        (lambda: made("rnn").unroll(4, mx.nd.ones((4,))), ValueError, "layout NTC"),
        (
            lambda: made("rnn").unroll(2, mx.sym.Group([mx.sym.var("a"), mx.sym.var("b")])),
            AssertionError,
            "group of symbols",
        ),
        (lambda: made("bidirectional")(data(), []), NotImplementedError, "unroll"),
        (lambda: rnn.ZoneoutCell(made("bidirectional")), AssertionError, "single steps"),
        (modified_twice, AssertionError, "single steps"),
        (lambda: rnn.RecurrentCell().state_info(), NotImplementedError, "state_info"),
        (
            lambda: made("rnn", activation="tan")(data()[:, 0], [mx.nd.ones((N, H))]),
            MXNetError,
            "tan",
        ),
    ],
)
def test_errors(run, kind, words):
    with pytest.raises(kind, match=words):
        run()


def test_sequences_change_their_form():
    x = data()
    steps, axis, F, n = _format_sequence(T, x, "NTC", False)
    assert (len(steps), axis, F, n) == (T, 1, mx.nd, N)
    again, _, _, n = _format_sequence(T, steps, "NTC", True)
    np.testing.assert_array_equal(again.asnumpy(), x.asnumpy())
    turned, axis, _, _ = _format_sequence(T, x, "TNC", None, in_layout="NTC")
    np.testing.assert_array_equal(turned.asnumpy(), data("TNC").asnumpy())
    (single,), _, _, _ = _format_sequence(1, x[:, :1], "NTC", False)
    assert single.shape == (N, C)
    states = _get_begin_state(made("lstm"), mx.nd, None, steps, n)
    assert [s.shape for s in states] == [(N, H)] * 2
