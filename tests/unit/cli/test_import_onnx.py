# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.cli.arguments import parse

pytest.importorskip("onnx")


@pytest.fixture
def path(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f")
    given = {"f_weight": mx.nd.ones((2, 3)), "f_bias": mx.nd.array([1, 2])}
    return mx.onnx.export_model(symbol, given, [(4, 3)], onnx_file_path=str(tmp_path / "net.onnx"))


def run(*argv):
    options = parse(["import-onnx", *argv])
    options.act(options)


def test_a_file_becomes_a_checkpoint(path, tmp_path, capsys):
    prefix = str(tmp_path / "net")
    run(path, prefix, "--epoch", "3", "-s", "data=N,3")
    assert capsys.readouterr().out == f"{prefix}-symbol.json\n{prefix}-0003.params\n"
    symbol, arguments, states = mx.model.load_checkpoint(prefix, 3)
    assert (set(arguments), states) == ({"f_weight", "f_bias"}, {})
    found = symbol.eval(data=mx.nd.array(np.eye(3)), **arguments)[0]
    assert found.asnumpy().tolist() == [[2, 3]] * 3


def test_inputs_that_there_are_not_are_named(path, tmp_path):
    with pytest.raises(MXNetError, match="input_shapes: the model has no input 'dta'"):
        run(path, str(tmp_path / "net"), "-s", "dta=4,3")
