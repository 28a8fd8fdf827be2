# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.gluon import rnn

T, N, C, H = 5, 3, 4, 6

LAYERS = {  # name -> layer for keyword arguments
    "rnn_relu": lambda **kw: rnn.RNN(H, **kw),
    "rnn_tanh": lambda **kw: rnn.RNN(H, activation="tanh", **kw),
    "lstm": lambda **kw: rnn.LSTM(H, **kw),
    "gru": lambda **kw: rnn.GRU(H, **kw),
}


def made(kind, **kwargs):
    mx.random.seed(3)
    layer = LAYERS[kind](**kwargs)
    layer.initialize(mx.init.Uniform(0.7))
    return layer


def data(layout="TNC", dtype="float32"):
    x = np.random.RandomState(5).uniform(-1, 1, (T, N, C)).astype(dtype)
    return mx.nd.array(x if layout == "TNC" else x.swapaxes(0, 1), dtype=dtype)


def gradients(layer, run):
    with mx.autograd.record():
        out = run()
        loss = (out * out).sum()
    loss.backward()
    grads = {n: p.grad().asnumpy() for n, p in layer.collect_params().items()}
    return out.asnumpy(), grads


@pytest.mark.parametrize("layout", ["TNC", "NTC"])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("num_layers", [1, 3])
@pytest.mark.parametrize("kind", LAYERS)
def test_layer_equals_its_cells(kind, num_layers, bidirectional, layout):
    layer = made(kind, num_layers=num_layers, bidirectional=bidirectional, layout=layout)
    x = data(layout)
    layer(x)
    cells = layer._unfuse()
    cells.hybridize()
    assert list(cells.collect_params()) == list(layer.collect_params())
    out, grads = gradients(layer, lambda: layer(x))
    again, cell_grads = gradients(
        cells, lambda: cells.unroll(T, x, layout=layout, merge_outputs=True)[0]
    )
    np.testing.assert_allclose(out, again, 1e-5, 1e-6)
    for name, grad in grads.items():
        np.testing.assert_allclose(cell_grads[name], grad, 1e-4, 1e-5, err_msg=name)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_lengths_end_sequences(kind, bidirectional, hybridize):
    settings = {"bidirectional": bidirectional, "num_layers": 2, "input_size": C}
    layer = made(kind, use_sequence_length=True, **settings)
    layer.hybridize(hybridize)
    x, lengths = data(), [2, T, 1]
    out, states = layer(x, layer.begin_state(N), mx.nd.array(lengths))
    short = LAYERS[kind](params=layer.params, prefix=layer.prefix, **settings)
    for i, length in enumerate(lengths):
        wanted, ends = short(x[:length, i : i + 1], short.begin_state(1))
        np.testing.assert_allclose(out[:length, i].asnumpy(), wanted[:, 0].asnumpy(), 1e-5, 1e-6)
        assert not out[length:, i].asnumpy().any()
        for state, end in zip(states, ends, strict=True):
            np.testing.assert_allclose(state[:, i].asnumpy(), end[:, 0].asnumpy(), 1e-5, 1e-6)
    with_zeros = layer(x, sequence_length=mx.nd.array(lengths))
    np.testing.assert_allclose(with_zeros.asnumpy(), out.asnumpy(), 1e-6)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("kind", LAYERS)
def test_states_are_returned_when_given(kind, hybridize):
    layer = made(kind, layout="NTC")
    layer.hybridize(hybridize)
    x = data("NTC")
    alone = layer(x)
    assert isinstance(alone, mx.nd.NDArray)
    out, states = layer(x, layer.begin_state(N))
    assert [s.shape for s in states] == [(1, N, H)] * (2 if kind == "lstm" else 1)
    np.testing.assert_array_equal(out.asnumpy(), alone.asnumpy())
    np.testing.assert_allclose(states[0][0].asnumpy(), out[:, -1].asnumpy(), 1e-6)
    np.testing.assert_array_equal(layer(x).asnumpy(), alone.asnumpy())


def test_one_state_needs_no_list():
    layer = made("gru")
    x, state = data(), mx.nd.ones((1, N, H))
    listed, single = layer(x, [state]), layer(x, state)
    np.testing.assert_array_equal(listed[0].asnumpy(), single[0].asnumpy())


def test_states_go_on_from_where_a_sequence_was_cut():
    layer = made("lstm", num_layers=2)
    x = data()
    whole = layer(x).asnumpy()
    first, states = layer(x[:2], layer.begin_state(N))
    rest, _ = layer(x[2:], states)
    np.testing.assert_allclose(np.concatenate([first.asnumpy(), rest.asnumpy()]), whole, 1e-5, 1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_element_types(dtype):
    layer = made("lstm", dtype=dtype, num_layers=2, bidirectional=True)
    out, states = layer(data(dtype=dtype), layer.begin_state(N))
    assert {a.dtype for a in (out, *states)} == {np.dtype(dtype).type}
    layer.cast("float32")
    out, states = layer(data(), layer.begin_state(N))
    assert {a.dtype for a in (out, *states)} == {np.float32}


def test_projection():
    layer = made("lstm", projection_size=2, num_layers=2, bidirectional=True)
    out, (hidden, memory) = layer(data(), layer.begin_state(N))
    assert (out.shape, hidden.shape, memory.shape) == ((T, N, 4), (4, N, 2), (4, N, H))
    cell = mx.gluon.contrib.rnn.LSTMPCell(H, 2, input_size=C, prefix="l0_")
    cell.initialize()
    for name, parameter in cell.collect_params().items():
        parameter.set_data(layer.collect_params()[layer.prefix + name].data())
    one = rnn.LSTM(H, projection_size=2, params=layer.params, prefix=layer.prefix)
    wanted, ends = cell.unroll(T, data(), layout="TNC", merge_outputs=True)
    out, states = one(data(), one.begin_state(N))
    np.testing.assert_allclose(out.asnumpy(), wanted.asnumpy(), 1e-5, 1e-6)
    for state, end in zip(states, ends, strict=True):
        np.testing.assert_allclose(state[0].asnumpy(), end.asnumpy(), 1e-5, 1e-6)


def test_clipping_bounds_the_memory():
    layer = made("lstm", state_clip_min=-0.05, state_clip_max=0.1)
    _, (_, memory) = layer(data(), layer.begin_state(N))
    assert (memory.min().asscalar(), memory.max().asscalar()) == pytest.approx((-0.05, 0.1))


def test_dropout_is_for_training_and_between_layers():
    layer, x = made("gru", num_layers=2, dropout=0.5), data()
    quiet = layer(x).asnumpy()
    np.testing.assert_array_equal(layer(x).asnumpy(), quiet)
    with mx.autograd.train_mode():
        assert not np.allclose(layer(x).asnumpy(), quiet)
    single = made("gru", dropout=0.5)
    with mx.autograd.train_mode():
        np.testing.assert_array_equal(single(x).asnumpy(), single(x).asnumpy())


def test_shapes_are_taken_from_the_first_input():
    layer = rnn.LSTM(H, 2, bidirectional=True)
    assert layer.l0_i2h_weight.shape == (4 * H, 0)
    layer.initialize()
    layer(data())
    assert (layer.l0_i2h_weight.shape, layer.r1_i2h_weight.shape) == ((4 * H, C), (4 * H, 2 * H))


class Model(mx.gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.encoder = rnn.LSTM(H, 2, "NTC")
            self.decoder = rnn.GRU(H, bidirectional=True)

    def hybrid_forward(self, F, x, state):
        out, _ = self.decoder(self.encoder(x), [state])
        return out


def test_layers_in_a_hybridized_block_are_exported(tmp_path):
    model = Model(prefix="model_")
    model.initialize()
    x, state = data("NTC"), mx.nd.ones((2, T, H))
    wanted = model(x, state).asnumpy()
    model.hybridize()
    np.testing.assert_allclose(model(x, state).asnumpy(), wanted, 1e-6)
    model.export(str(tmp_path / "model"))
    loaded = mx.gluon.SymbolBlock.imports(
        str(tmp_path / "model-symbol.json"), ["data0", "data1"], str(tmp_path / "model-0000.params")
    )
    np.testing.assert_allclose(loaded(x, state).asnumpy(), wanted, 1e-5, 1e-6)


def test_layer_and_cells_share_files(tmp_path):
    layer = made("lstm", num_layers=2, bidirectional=True, input_size=C)
    path = str(tmp_path / "layer.params")
    layer.save_parameters(path)
    assert "_unfused.1.r_cell.h2h_bias" in mx.nd.load(path)
    other = rnn.LSTM(H, 2, bidirectional=True)
    other.load_parameters(path)
    np.testing.assert_array_equal(other(data()).asnumpy(), layer(data()).asnumpy())


def test_begin_state_takes_any_function():
    layer = rnn.LSTM(H, prefix="p_")
    hidden, memory = layer.begin_state(N, mx.nd.uniform, low=1, high=2)
    assert hidden.shape == (1, N, H)
    assert memory.min().asscalar() >= 1
    assert [s.name for s in layer.begin_state(func=mx.sym.zeros)] == ["p_h0_0", "p_h0_1"]


@pytest.mark.parametrize(
    "run, kind, words",
    [
        (lambda: rnn.LSTM(H, layout="CNT"), AssertionError, "layout='CNT'"),
        (lambda: rnn.RNN(H, activation="tan"), KeyError, "rnn_tan"),
        (lambda: rnn.GRU(H, projection_size=2), TypeError, "projection_size"),
        (lambda: rnn.LSTM(H, projection_size=2)._unfuse(), AssertionError, "projection"),
        (lambda: made("lstm")(data(), mx.nd.ones((1, N, H))), ValueError, "1 states, 2"),
        (lambda: made("gru")(data(), mx.nd.ones((1, N, 1))), ValueError, "1, ?3, ?1"),
        (lambda: made("gru")(mx.nd.ones((2,))), ValueError, "layout TNC"),
        (lambda: made("gru", input_size=3)(data()), MXNetError, "parameters"),
    ],
)
def test_errors(run, kind, words):
    with pytest.raises(kind, match=words):
        run()
