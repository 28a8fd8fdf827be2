# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as torch's."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert

from ..in_process import check
from .test_writer import load

KINDS = [
    ("lstm", "nn.LSTM(3, 4)", {}),
    ("lstm", "nn.LSTM(3, 4, num_layers=2, bidirectional=True)", {"num_layers": 2, "bidirectional": True}),
    ("gru", "nn.GRU(3, 4, bidirectional=True)", {"bidirectional": True}),
    ("rnn_relu", 'nn.RNN(3, 4, nonlinearity="relu")', {}),
    ("rnn_tanh", "nn.RNN(3, 4)", {}),
]  # fmt: skip


@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("mode, text, more", KINDS)
def test_layers(mode, text, more, states, tmp_path):
    names = ["data", "parameters", "state", *["cell"] * (mode == "lstm")]
    settings = {"state_size": 4, "num_layers": 1, "mode": mode, "state_outputs": states, **more}
    symbol = mx.sym.RNN(*map(mx.sym.var, names), name="layer", **settings)
    shapes = dict(zip(symbol.list_arguments(), symbol.infer_shape(data=(5, 2, 3))[0]))
    rng = np.random.default_rng(0)
    values = {n: rng.normal(size=s).astype("float32") for n, s in shapes.items()}
    arrays = {"parameters": mx.nd.array(values.pop("parameters"))}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    sizes = {n: (s[0], "N", s[2]) for n, s in shapes.items() if n != "parameters"}
    done = convert(tmp_path / "net", tmp_path / "model.py", shapes=sizes)
    assert done.proof.is_equal
    assert text in (tmp_path / "model.py").read_text()
    wanted = symbol.eval(**arrays, **{n: mx.nd.array(v) for n, v in values.items()})
    for found, want in zip(load(tmp_path / "model.py")(values), wanted, strict=True):
        np.testing.assert_allclose(found, want.asnumpy(), rtol=1e-5, atol=1e-6)


SYM = mx.sym
DATA = SYM.var("data")


def rnn(mode="lstm", bidirectional=False, projection=None, data=DATA, name="r"):
    """RNN with outputs of its states: a symbol of two outputs, or three."""
    count = 1 + bidirectional
    options = {"state_cell": SYM.zeros((count, 2, 8))} if mode == "lstm" else {}
    if projection:
        options["projection_size"] = projection
    return SYM.RNN(
        data, SYM.var(f"{name}_parameters"), SYM.zeros((count, 2, projection or 8)), state_size=8,
        num_layers=1, mode=mode, bidirectional=bidirectional, state_outputs=True, name=name, **options,
    )  # fmt: skip


def dense(x):
    return SYM.FullyConnected(x, num_hidden=3, name="fc")


def one_step(x):
    return SYM.SliceChannel(x, num_outputs=5, axis=0, squeeze_axis=True)[4]


HALVES = SYM.SliceChannel(DATA, num_outputs=2, axis=2, name="halves")
NORM = SYM.BatchNorm(DATA, name="norm", output_mean_var=True)
GROUPS = SYM.GroupNorm(
    SYM.transpose(DATA, (1, 2, 0)), num_groups=2, name="groups", output_mean_var=True
)
STACK = rnn(data=rnn()[0], name="upper")
CONSUMERS = {
    **{f"{mode} {both} into SliceChannel": dense(one_step(rnn(mode, both)[0])) for mode, *_ in KINDS for both in (False, True)},
    **{f"{mode} into FullyConnected": dense(rnn(mode)[0]) for mode in ("lstm", "gru", "rnn_tanh")},
    "only the sequence": rnn()[0],
    "only the state": rnn("gru")[1],
    "only the cell": rnn()[2],
    "the state into FullyConnected": dense(SYM.transpose(rnn("gru", True)[1], axes=(1, 0, 2))),
    "projection": dense(rnn(projection=4)[0]),
    "projection, bidirectional": SYM.Group([rnn(bidirectional=True, projection=4)[0]]),
    "the cell of a projection": dense(rnn(projection=4)[2]),
    "stacked": dense(STACK[0]),
    "the cell of the upper layer": dense(STACK[2]),
    "the first half": dense(HALVES[0]),
    "the second half": HALVES[1],
    "both halves": dense(HALVES[0] * SYM.sigmoid(HALVES[1])),
    "values of topk": dense(SYM.topk(DATA, k=2, ret_typ="both", axis=2)[0]),
    "normalized values": one_step(NORM[0]),
    "a mean": NORM[1],
    "GroupNorm of transposed data": dense(GROUPS[0]),
    "a variance": SYM.moments(DATA, axes=(0,))[1],
}  # fmt: skip


@pytest.mark.parametrize("name", CONSUMERS)
def test_convert_passes_one_of_several_outputs_on(name, tmp_path):
    symbol, shapes = CONSUMERS[name], {"data": (5, 2, 4)}
    arguments, _, states = symbol.infer_shape(**shapes)
    rng = np.random.default_rng(0)
    rows = dict(zip(symbol.list_arguments(), arguments, strict=True))
    arrays = {n: mx.nd.array(rng.normal(size=s)) for n, s in rows.items() if n != "data"}
    aux = {n: mx.nd.ones(s) for n, s in zip(symbol.list_auxiliary_states(), states, strict=True)}
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, aux)
    check(tmp_path / "net", tmp_path / "model.py", shapes)
