# SPDX-License-Identifier: Apache-2.0
"""Networks as forecasting and translation packages build them, as torch modules and Python files."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova import sym
from mxnova.convert import convert

BATCH, STEPS, LAGS, CELLS = 3, 4, 2, 8
HEADS, WIDTH, WORDS, SOURCE, TARGET = 2, 8, 11, 7, 5


def forecaster():
    """An unrolled LSTM on scaled lags; parameters and likelihood of Student's t."""
    past, seen, category = (sym.var(n) for n in ("past", "seen", "category"))
    count = sym.sum(seen, axis=1, keepdims=True)
    mean = sym.sum(sym.abs(past) * seen, axis=1, keepdims=True) / sym.maximum(count, 1)
    scale = sym.maximum(mean, 1e-10)
    scaled = sym.broadcast_div(past, scale)
    ends = [(LAGS - i - 1, STEPS + LAGS - i - 1) for i in range(LAGS)]
    lags = sym.stack(*[sym.slice_axis(scaled, axis=1, begin=b, end=e) for b, e in ends], axis=2)
    embedded = sym.Embedding(category, sym.var("embedding"), input_dim=5, output_dim=4)
    static = sym.expand_dims(sym.concat(embedded, sym.log(scale), dim=1), axis=1)
    data = sym.concat(lags, sym.repeat(static, repeats=STEPS, axis=1), dim=2)
    cells = mx.rnn.SequentialRNNCell()
    cells.add(mx.rnn.LSTMCell(CELLS, prefix="l0_"))
    cells.add(mx.rnn.ResidualCell(mx.rnn.LSTMCell(CELLS, prefix="l1_")))
    begin = [sym.zeros_like(sym.tile(scale, (1, CELLS))) for _ in range(4)]
    out, _ = cells.unroll(STEPS, data, begin_state=begin, layout="NTC", merge_outputs=True)

    def projected(name):
        return sym.squeeze(sym.FullyConnected(out, num_hidden=1, flatten=False, name=name), axis=-1)

    mu = sym.broadcast_mul(projected("mu"), scale)
    sigma = sym.broadcast_mul(sym.Activation(projected("sigma"), act_type="softrelu"), scale)
    nu = 2 + sym.Activation(projected("nu"), act_type="softrelu")
    error = (sym.slice_axis(past, axis=1, begin=LAGS, end=None) - mu) / sigma
    half = (nu + 1) / 2
    loss = sym.gammaln(nu / 2) - sym.gammaln(half) + 0.5 * sym.log(np.pi * nu) + sym.log(sigma)
    loss = loss + half * sym.log1p(sym.square(error) / nu)
    rng = np.random.RandomState(0)
    fed = {
        "past": rng.uniform(1, 9, (BATCH, STEPS + LAGS)),
        "seen": rng.rand(BATCH, STEPS + LAGS) > 0.2,
        "category": np.array([0, 4, 2]),
    }
    return sym.Group([mu, sigma, nu, loss]), fed


def _linear(data, size, name):
    return sym.FullyConnected(data, num_hidden=size, flatten=False, no_bias=True, name=name)


def _heads(data):
    apart = sym.reshape(data, (0, 0, -4, HEADS, -1))
    return sym.reshape(sym.transpose(apart, (0, 2, 1, 3)), (-3, -2))


def _attention(queries, keys, name, lengths=None):
    """Without lengths, later positions are masked."""
    scaled = _linear(queries, WIDTH, f"{name}_q") * (WIDTH // HEADS) ** -0.5
    key, value = (_heads(_linear(keys, WIDTH, f"{name}_{kind}")) for kind in "kv")
    scores = sym.batch_dot(_heads(scaled), key, transpose_b=True)
    if lengths is None:
        place = sym.arange(TARGET)
        later = sym.broadcast_greater(sym.reshape(place, (1, -1)), sym.reshape(place, (-1, 1)))
        scores = sym.broadcast_add(scores, sym.expand_dims(later * -1e8, axis=0))
    else:
        masked = sym.SequenceMask(
            sym.transpose(scores, (2, 0, 1)),
            sequence_length=sym.repeat(lengths, repeats=HEADS, axis=0),
            use_sequence_length=True,
            value=-1e8,
        )
        scores = sym.transpose(masked, (1, 2, 0))
    context = sym.batch_dot(sym.softmax(scores, axis=-1), value)
    apart = sym.transpose(sym.reshape(context, (-4, -1, HEADS, 0, -2)), (0, 2, 1, 3))
    return _linear(sym.reshape(apart, (0, 0, -3)), WIDTH, f"{name}_o")


def translator():
    """A layer of a Transformer's encoder, one of its decoder, and the best words."""
    source, target, lengths = (sym.var(n) for n in ("source", "target", "lengths"))
    words, places = sym.var("words"), sym.var("places", shape=(1, 9, WIDTH))

    def embedded(ids, count):
        found = sym.Embedding(ids, words, input_dim=WORDS, output_dim=WIDTH) * WIDTH**0.5
        return sym.broadcast_add(found, sym.slice_axis(places, axis=1, begin=0, end=count))

    def forward(data, name):
        inner = sym.Activation(_linear(data, 16, f"{name}_i"), act_type="relu")
        return data + _linear(inner, WIDTH, f"{name}_o")

    memory = embedded(source, SOURCE)
    normal = sym.LayerNorm(memory, name="e0")
    memory = forward(memory + _attention(normal, normal, "encoder", lengths), "encoder_ff")
    state = embedded(target, TARGET)
    normal = sym.LayerNorm(state, name="d0")
    state = state + _attention(normal, normal, "decoder")
    state = state + _attention(sym.LayerNorm(state, name="d1"), memory, "across", lengths)
    state = sym.LayerNorm(forward(state, "decoder_ff"), name="d2")
    scores = sym.FullyConnected(state, words, num_hidden=WORDS, flatten=False, no_bias=True)
    rng = np.random.RandomState(0)
    fed = {
        "source": rng.randint(0, WORDS, (BATCH, SOURCE)),
        "target": rng.randint(0, WORDS, (BATCH, TARGET)),
        "lengths": np.array([7, 4, 2]),
    }
    return sym.Group([scores, sym.log_softmax(scores)]), fed


@pytest.mark.parametrize("build", [forecaster, translator])
def test_networks_of_packages_are_equal_in_both_exits(build, tmp_path):
    symbol, fed = build()
    fed = {name: values.astype("float32") for name, values in fed.items()}
    shapes = {name: values.shape for name, values in fed.items()}
    names, rng = symbol.list_arguments(), np.random.RandomState(1)
    sizes = dict(zip(names, symbol.infer_shape(**shapes)[0], strict=True))
    given = {
        name: mx.nd.array(rng.uniform(-0.3, 0.3, sizes[name])) for name in names if name not in fed
    }
    gradients = {name: mx.nd.zeros(array.shape) for name, array in given.items()}
    inputs = {name: mx.nd.array(values) for name, values in fed.items()}
    requests = {name: "write" if name in given else "null" for name in names}
    executor = symbol.bind(mx.cpu(), {**given, **inputs}, gradients, requests)
    wanted = executor.forward(is_train=True)
    executor.backward([mx.nd.ones_like(array) for array in wanted])

    module = mx.to_torch(symbol, given, shapes=shapes).train()
    found = module(**{name: torch.from_numpy(values) for name, values in fed.items()})
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a.detach().numpy(), b.asnumpy())
    sum(tensor.sum() for tensor in found).backward()
    for key, parameter in module.named_parameters():
        gradient = gradients[module.name_map[key]].asnumpy()
        scale = abs(gradient).max()
        np.testing.assert_allclose(parameter.grad.numpy(), gradient, atol=1e-5 * scale, rtol=0)

    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, given, {})
    opened = {name: ("N", *shape[1:]) for name, shape in shapes.items()}
    done = convert(tmp_path / "net", tmp_path / "m.py", shapes=opened)  # raises where they differ
    assert max(row.max_abs for row in done.proof.outputs) < 1e-6
