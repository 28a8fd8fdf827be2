# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx

T, N, C, H = 4, 3, 5, 6


def outputs(symbol, weights, is_train=False):
    executor = symbol.simple_bind(mx.cpu(), data=(T, N, C))
    executor.copy_params_from(weights, allow_extra_params=True)
    executor.arg_dict["data"][:] = np.random.RandomState(1).uniform(-1, 1, (T, N, C))
    return [o.asnumpy() for o in executor.forward(is_train=is_train)]


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("mode", ["rnn_tanh", "rnn_relu", "lstm", "gru"])
def test_fused_cell_equals_its_cells(mode, bidirectional):
    fused = mx.rnn.FusedRNNCell(H, 2, mode, bidirectional, prefix="f_")
    symbol, _ = fused.unroll(T, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    size = dict(zip(symbol.list_arguments(), symbol.infer_shape(data=(T, N, C))[0]))
    vector = mx.nd.random.uniform(-0.5, 0.5, size["f_parameters"])
    stack = fused.unfuse()
    cells, _ = stack.unroll(T, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    weights = stack.pack_weights(fused.unpack_weights({"f_parameters": vector}))
    np.testing.assert_allclose(
        outputs(symbol, {"f_parameters": vector})[0], outputs(cells, weights)[0], 1e-5, 1e-6
    )
    again = fused.pack_weights(stack.unpack_weights(weights))
    np.testing.assert_array_equal(again["f_parameters"].asnumpy(), vector.asnumpy())


def test_packing_leaves_arguments_alone():
    cell = mx.rnn.LSTMCell(2, prefix="p_")
    args = {f"p_{p}_{k}": mx.nd.ones((8, 2)) for p in ("i2h", "h2h") for k in ("weight", "bias")}
    parts = cell.unpack_weights({**args, "other": mx.nd.ones((1,))})
    parts["p_i2h_i_weight"][:] = 5
    assert args["p_i2h_weight"].sum().asscalar() == 16
    assert "other" in parts
    with pytest.raises(ValueError, match="p_i2h_weight"):
        cell.unpack_weights({})


def test_zoneout_in_training():
    cell = mx.rnn.ZoneoutCell(mx.rnn.RNNCell(H), 0.5, 0.5)
    symbol, _ = cell.unroll(T, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    sizes = dict(zip(symbol.list_arguments(), symbol.infer_shape(data=(T, N, C))[0]))
    weights = {n: mx.nd.ones(s) * 0.1 for n, s in sizes.items() if n != "data"}
    (quiet,), (noisy,) = outputs(symbol, weights), outputs(symbol, weights, is_train=True)
    assert quiet.all()
    assert not noisy[0].all()


def test_weights_are_given_to_cells_or_to_what_holds_them():
    stack = mx.rnn.SequentialRNNCell(params=mx.rnn.RNNParams("shared_"))
    with pytest.raises(AssertionError, match="params="):
        stack.add(mx.rnn.RNNCell(H, prefix="b_"))


def test_cells_share_weights():
    shared = mx.rnn.RNNParams("shared_")
    one, other = mx.rnn.RNNCell(H, params=shared), mx.rnn.RNNCell(H, params=shared, prefix="o_")
    stack = mx.rnn.SequentialRNNCell()
    stack.add(one)
    stack.add(other)
    symbol, _ = stack.unroll(2, mx.sym.var("data"), merge_outputs=True)
    assert symbol.list_arguments()[1:] == [
        f"shared_{n}" for n in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")
    ]


def test_begin_states_may_be_variables():
    cell = mx.rnn.SequentialRNNCell()
    cell.add(mx.rnn.LSTMCell(H, prefix="a_"))
    cell.add(mx.rnn.ZoneoutCell(mx.rnn.GRUCell(H, prefix="b_"), 0.1))
    states = cell.begin_state(func=mx.sym.Variable)
    names = ["a_begin_state_0", "a_begin_state_1", "b_begin_state_0"]
    assert [s.name for s in states] == names
    symbol, _ = cell.unroll(2, mx.sym.var("data"), begin_state=states)
    assert {*names} <= {*mx.sym.Group(symbol).list_arguments()}


@pytest.mark.parametrize(
    "run, kind, words",
    [
        (lambda r: r.RNNCell(2).unroll(3, [mx.sym.var("a")]), AssertionError, "1 steps, length=3"),
        (lambda r: r.RNNCell(2).unroll(3, "abc"), TypeError, "list of symbols"),
        (lambda r: r.RNNCell(2).unroll(3, mx.sym.var("a"), layout="NC"), ValueError, "time axis"),
        (
            lambda r: r.GRUCell(2).unroll(2, mx.sym.Group([mx.sym.var("a"), mx.sym.var("b")])),
            AssertionError,
            "group",
        ),
        (lambda r: r.FusedRNNCell(2, mode="lstms"), ValueError, "mode='lstms'"),
        (lambda r: r.FusedRNNCell(2)(None, []), NotImplementedError, "unroll"),
        (lambda r: r.ZoneoutCell(r.FusedRNNCell(2)), AssertionError, "unfuse"),
        (
            lambda r: r.ZoneoutCell(r.BidirectionalCell(r.RNNCell(2), r.RNNCell(2))),
            AssertionError,
            "single steps",
        ),
        (lambda r: r.DropoutCell("some"), AssertionError, "dropout='some'"),
        (lambda r: r.BaseRNNCell()(None, []), NotImplementedError, "BaseRNNCell"),
        (lambda r: r.BaseRNNCell().state_info, NotImplementedError, "state_info"),
        (lambda r: r.ConvRNNCell((1, 2, 3, 3), 2, (2, 3)), AssertionError, "must be odd"),
        (
            lambda r: r.FusedRNNCell(2, prefix="f_").unpack_weights(
                {"f_parameters": mx.nd.ones((5,))}
            ),
            ValueError,
            "5 elements",
        ),
    ],
)
def test_errors(run, kind, words):
    with pytest.raises(kind, match=words):
        run(mx.rnn)


def test_a_modified_cell_is_called_through_its_modifier():
    cell = mx.rnn.RNNCell(2)
    modifier = mx.rnn.ResidualCell(cell)
    with pytest.raises(AssertionError, match="call the modifier"):
        cell.begin_state()
    assert len(modifier.begin_state()) == 1
    stack = mx.rnn.SequentialRNNCell()
    stack.add(mx.rnn.BidirectionalCell(mx.rnn.RNNCell(2, prefix="l_"), mx.rnn.RNNCell(2)))
    with pytest.raises(AssertionError, match="single steps"):
        stack(mx.sym.var("x"), stack.begin_state())


@pytest.mark.parametrize("inputs", [None, mx.nd.ones((N, T, C))])
def test_steps_are_symbols(inputs):
    with pytest.raises(AssertionError, match="a symbol or a list of symbols"):
        mx.rnn.LSTMCell(H).unroll(T, inputs)


class _Sum(mx.rnn.LSTMCell):
    """A cell of another package, which reads what MXNet's cells keep."""

    def __call__(self, inputs, states):
        self._counter += 1
        name = f"{self._prefix}t{self._counter}_"
        rows = self._num_hidden * len(self._gate_names)
        i2h = mx.sym.FullyConnected(inputs, self._iW, self._iB, num_hidden=rows, name=name + "i2h")
        h2h = mx.sym.FullyConnected(
            states[0], self._hW, self._hB, num_hidden=rows, name=name + "h2h"
        )
        output = mx.sym.slice_axis(i2h + h2h, axis=1, begin=0, end=self._num_hidden)
        return output, [output, states[1]]


def test_subclasses_read_weights():
    symbol, _ = _Sum(H).unroll(2, mx.sym.var("data"))
    names = [f"lstm_{n}" for n in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")]
    assert mx.sym.Group(symbol).list_arguments() == ["data", *names]


@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell", "ConvLSTMCell"])
def test_weights_may_be_exchanged(kind):
    shape = (1, C, 8, 8)
    cell = getattr(mx.rnn, kind)(*[shape] * kind.startswith("Conv"), H, prefix="a_")
    assert [v.name for v in (cell._iW, cell._iB, cell._hW, cell._hB)] == [
        f"a_{n}" for n in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")
    ]
    cell._hW = mx.sym.var("other")
    output, _ = cell(mx.sym.var("data"), cell.begin_state())
    assert {"a_i2h_weight", "other"} < {*output.list_arguments()}


def test_convolutions_of_subclasses():
    cell = mx.rnn.ConvGRUCell((1, C, 8, 8), H, h2h_kernel=(5, 3), h2h_dilate=(1, 2))
    assert (cell._h2h_kernel, cell._h2h_pad, cell._num_gates) == ((5, 3), (2, 2), 3)
    pair = cell._conv_forward(mx.sym.var("x"), [mx.sym.var("h")], "t_")
    assert [s.name for s in pair] == ["t_i2h", "t_h2h"]
    assert [s[0] for s in mx.sym.Group(pair).infer_shape(x=(2, C, 8, 8), h=(2, H, 8, 8))[1:2]] == [
        (2, 3 * H, 8, 8)
    ]


def test_slices_of_fused_weights_share_memory():
    cell = mx.rnn.FusedRNNCell(2, prefix="f_")
    vector = mx.nd.zeros((4 * 2 * (3 + 2 + 2),))
    cell._slice_weights(vector, 3, 2)["f_l0_i2h_i_weight"][:] = 1
    assert vector.sum().asscalar() == 6
