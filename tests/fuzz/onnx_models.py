# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models, of every kind of node that reading decides about."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from mxnova.onnx.importer import Imported, parsed

__all__ = ["import_onnx", "onnx_seeds"]

FLOAT = TensorProto.FLOAT


def import_onnx(data: bytes) -> None:
    """Makes a symbol of a model."""
    Imported(parsed(data, "<bytes>"), {}).symbol.tojson()


def onnx_seeds() -> list[bytes]:
    """Models by their nodes and initializers."""
    return [model.SerializeToString() for model in (_layers(), _sizes(), _recurrent(), _branches())]


def _model(nodes, arrays, shape, opset=17, outputs=("y",)):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in arrays.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def _layers():
    arrays = {
        "w": np.ones((2, 3, 3, 3), "float32"), "v": np.ones((2, 1, 2, 2), "float32"),
        "c": np.ones(2, "float32"), "m": np.zeros(2, "float32"), "f": np.ones((4, 30), "float32"),
    }  # fmt: skip
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 0, 2], strides=[2, 2]),
        helper.make_node("BatchNormalization", ["a", "c", "c", "m", "c"], ["b"]),
        helper.make_node("MaxPool", ["b"], ["p"], kernel_shape=[2, 2], ceil_mode=1),
        helper.make_node("ConvTranspose", ["p", "v"], ["t"], group=2, strides=[2, 2]),
        helper.make_node("AveragePool", ["t"], ["q"], kernel_shape=[3, 3], pads=[1, 0, 0, 1]),
        helper.make_node("Flatten", ["q"], ["r"]),
        helper.make_node("Gemm", ["r", "f", "x0"], ["y"], transB=1, alpha=0.5),
    ]
    return _model(nodes, {**arrays, "x0": np.ones(4, "float32")}, [1, 3, 6, 6])


def _sizes():
    arrays = {
        "zero": np.array(0), "minus": np.array([-1]), "two": np.array([2]), "pads": np.array([0, 1, 1, 0]),
        "starts": np.array([1]), "ends": np.array([1 << 31]), "scales": np.array([1, 1.5], "float32"),
    }  # fmt: skip
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["n"]),
        helper.make_node("Unsqueeze", ["n", "zero1"], ["n1"]),
        helper.make_node("Concat", ["n1", "two", "minus"], ["t"], axis=0),
        helper.make_node("Reshape", ["x", "t"], ["a"]),
        helper.make_node("ConstantOfShape", ["s"], ["z"]),
        helper.make_node("Expand", ["z", "s"], ["e"]),
        helper.make_node("Tile", ["two", "two"], ["i"]),
        helper.make_node("Range", ["zero", "n", "one"], ["r"]),
        helper.make_node("Slice", ["x", "starts", "ends"], ["l"]),
        helper.make_node("Pad", ["l", "pads"], ["p"], mode="edge"),
        helper.make_node("Resize", ["p", "", "scales"], ["q"], mode="cubic"),
        helper.make_node("ReduceSum", ["a"], ["y"], keepdims=0),
    ]
    arrays = {**arrays, "zero1": np.array([0]), "one": np.array(1)}
    return _model(nodes, arrays, ["N", 8], outputs=("y", "e", "i", "r", "q"))


def _recurrent():
    arrays = {
        "w": np.ones((1, 8, 3), "float32"), "r": np.ones((1, 8, 2), "float32"),
        "k": np.array([1]),
    }  # fmt: skip
    nodes = [
        helper.make_node("LSTM", ["x", "w", "r"], ["a", "h", "c"], hidden_size=2),
        helper.make_node("Squeeze", ["a", "k"], ["b"]),
        helper.make_node("TopK", ["b", "k"], ["v", "i"]),
        helper.make_node("Softmax", ["v"], ["s"], axis=0),
        helper.make_node("Cast", ["s"], ["d"], to=TensorProto.DOUBLE),
        helper.make_node("Split", ["d"], ["d1", "d2"], axis=1),
        helper.make_node("Einsum", ["d1", "d2"], ["y"], equation="abc,abc->ab"),
    ]
    return _model(nodes, arrays, [4, 2, 3], opset=13)


def _branches():
    branches = {}
    for name, kind in (("then_branch", "Relu"), ("else_branch", "Neg")):
        inner = [helper.make_node(kind, ["x"], [name])]
        output = helper.make_tensor_value_info(name, FLOAT, None)
        branches[name] = helper.make_graph(inner, name, [], [output])
    nodes = [
        helper.make_node("If", ["t"], ["a"], **branches),
        helper.make_node("SplitToSequence", ["a"], ["s"], axis=1),
        helper.make_node("ConcatFromSequence", ["s"], ["b"], axis=0),
        helper.make_node("Constant", [], ["c"], value_floats=[1.0, 2.0]),
        helper.make_node("Where", ["t", "b", "c"], ["y"]),
    ]
    model = _model(nodes, {"t": np.array([True]), "w": np.ones(3, "float16")}, [2, 2])
    beside = model.graph.initializer.add(name="far", data_type=FLOAT, dims=[1])
    beside.data_location = TensorProto.EXTERNAL
    beside.external_data.add(key="location", value="README.md")
    beside.external_data.add(key="length", value="4")
    return model
