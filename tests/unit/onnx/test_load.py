# SPDX-License-Identifier: Apache-2.0
"""The functions that read ONNX files, and the places where programs look for them."""

import importlib.util

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError

onnx = pytest.importorskip("onnx")

from mxnova.contrib.onnx import mx2onnx, onnx2mx  # noqa: E402 - needs onnx
from mxnova.contrib.onnx.onnx2mx.import_onnx import GraphProto  # noqa: E402

DATA = mx.nd.array(np.eye(3))


@pytest.fixture
def path(tmp_path):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="f")
    symbol = mx.sym.Group([symbol, mx.sym.sum(symbol, axis=1, name="s")])
    given = {"f_weight": mx.nd.array([[1, 2, 3], [4, 5, 6]]), "f_bias": mx.nd.array([7, 8])}
    facts = {"dynamic": True, "dynamic_input_shapes": [("N", 3)]}
    path = str(tmp_path / "net.onnx")
    return mx.onnx.export_model(symbol, given, [(3, 3)], onnx_file_path=path, **facts)


METADATA = {
    "input_tensor_data": [("data", (0, 3), 1)],
    "output_tensor_data": [("f", (0, 2)), ("s", (0,))],
}


def test_what_a_file_says_of_itself(path):
    assert mx.contrib.onnx.get_model_metadata(path) == METADATA


def test_outputs_and_parameters(path):
    symbol, arguments, states = mx.onnx.import_model(path)
    assert symbol.list_outputs() == ["f_output", "s_output"]
    assert (set(arguments), states) == ({"f_weight", "f_bias"}, {})
    rows, sums = symbol.eval(data=DATA, **arguments)
    assert rows.asnumpy().tolist() == [[8, 12], [9, 13], [10, 14]]
    assert sums.asnumpy().tolist() == [20, 22, 24]


def test_graphs_that_were_read_elsewhere(path):
    proto, graph = GraphProto(), onnx.load(path).graph
    symbol, arguments, _ = proto.from_onnx(graph, opset_version=13)
    assert proto.model_metadata == proto.get_graph_metadata(graph) == METADATA
    assert symbol.list_arguments() == ["data", "f_weight", "f_bias"]
    block = proto.graph_to_gluon(graph, [mx.cpu()], 13)
    assert block(DATA)[1].asnumpy().tolist() == [20, 22, 24]
    assert set(block.collect_params()) == set(arguments)


def test_places_where_programs_look():
    assert mx.contrib.onnx.import_model is mx.onnx.import_model
    assert onnx2mx.import_model.import_model is mx.onnx.import_model
    assert onnx2mx.import_to_gluon.import_to_gluon is mx.contrib.onnx.import_to_gluon
    assert mx2onnx is mx.onnx.mx2onnx
    assert mx2onnx.export_model is mx.onnx.export_model


@pytest.mark.parametrize("name", ["import_model", "get_model_metadata"])
def test_the_package_that_is_needed_is_named(name, monkeypatch, path):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnx" else find_spec(name)
    )
    with pytest.raises(MXNetError, match=f"{name}: the package onnx is not installed: pip install"):
        getattr(mx.onnx, name)(path)
