# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError
from mxnova.cli.arguments import parse

onnx = pytest.importorskip("onnx")


@pytest.fixture
def prefix(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f")
    given = {"f_weight": mx.nd.ones((2, 3)), "f_bias": mx.nd.array([1, 2])}
    mx.model.save_checkpoint(str(tmp_path / "net"), 3, mx.sym.SoftmaxOutput(symbol), given, {})
    return str(tmp_path / "net")


def run(*argv):
    options = parse(["export-onnx", *argv])
    options.act(options)


def input_sizes(path):
    (data,) = onnx.load(path).graph.input
    return [d.dim_param or d.dim_value for d in data.type.tensor_type.shape.dim]


def test_a_checkpoint_becomes_a_file(prefix, capsys):
    run(prefix, "--epoch", "3", "-s", "data=4,3")
    assert capsys.readouterr().out == f"{prefix}.onnx\n"
    assert input_sizes(f"{prefix}.onnx") == [4, 3]


def test_words_leave_sizes_open(prefix, tmp_path):
    path = str(tmp_path / "open.onnx")
    run(prefix, "--epoch", "3", "-s", "data=N,3", "-o", path)
    assert input_sizes(path) == ["N", 3]
    session = pytest.importorskip("onnxruntime").InferenceSession(path)
    assert session.run(None, {"data": np.zeros((5, 3), "float32")})[0].shape == (5, 2)


@pytest.mark.parametrize(
    "shape, text",
    [
        ("dta=4,3", "the model has no input 'dta'; did you mean 'data'"),
        ("data", "--shape data: must be NAME=1,3,224,224"),
        ("data=4,-1", "'-1' is neither a size nor a name of one"),
        ("data=0,3", "'0' is neither a size nor a name of one"),
    ],
)
def test_shapes_that_cannot_be_are_named(prefix, shape, text):
    with pytest.raises(MXNetError, match=text):
        run(prefix, "--epoch", "3", "-s", shape)
