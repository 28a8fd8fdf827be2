# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as torch's."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert

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
