# SPDX-License-Identifier: Apache-2.0
"""Small files that would become large arrays, long numbers or many operators are refused."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from mxnova.core.base.errors import MXNetError
from mxnova.onnx.importer import Imported, parsed

node = helper.make_node


def _model(nodes, arrays, shape=("N", 8)):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in arrays.items()],
    )
    opsets = [helper.make_opsetid("", 18)]
    return helper.make_model(graph, opset_imports=opsets).SerializeToString()


def _squares(first):
    chain = [node("Mul", [f"s{i}", f"s{i}"], [f"s{i + 1}"]) for i in range(20)]
    return [*first, *chain, node("Identity", ["s20"], ["y"])]


def _int32(number):
    return np.array(number, "int32")


CASES = {
    "products": (_squares([node("Shape", ["x"], ["s0"])]), {}, "more than 384 bits"),
    "products of real numbers": (
        _squares([node("Shape", ["x"], ["s"]), node("Cast", ["s"], ["s0"], to=1)]),
        {},
        "more than 384 bits",
    ),
    "outputs": ([node("Split", ["x"], ["y"], num_outputs=10**9)], {}, "1000000000 parts"),
    "a range": (
        [node("Range", ["a", "b", "c"], ["y"])],
        {"a": _int32(-(2**31)), "b": _int32(2**31 - 1), "c": _int32(1)},
        "node 'y' .Range.",
    ),
    "no copies of many": (
        [node("Tile", ["a", "n"], ["y"])],
        {"a": np.ones((1, 1)), "n": np.array([2**32, 0])},
        "node 'y' .Tile.",
    ),
    "parts": (
        [
            node("ConstantOfShape", ["n"], ["c"]),
            node("SplitToSequence", ["c"], ["s"]),
            node("ConcatFromSequence", ["s"], ["y"], axis=0),
        ],
        {"n": np.array([2**25])},
        "33554432 operators",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case):
    nodes, arrays, text = CASES[case]
    with pytest.raises(MXNetError, match=text):
        Imported(parsed(_model(nodes, arrays), "x.onnx"), {})


def test_an_array_that_is_joined_with_itself_counts_each_time():
    nodes = [node("ConstantOfShape", ["n"], ["c"]), node("Concat", ["c"] * 3000, ["y"], axis=0)]
    made = Imported(parsed(_model(nodes, {"n": np.array([200_000])}), "x.onnx"), {})
    assert sum(array.nbytes for array in made.parameters.values()) == 800_000
    assert made.symbol.get_internals()["y_output"].list_arguments() == ["c"]


def test_sizes_of_an_array_without_elements():
    model = helper.make_model(
        helper.make_graph([], "g", [], [helper.make_tensor_value_info("w", 1, None)]),
        opset_imports=[helper.make_opsetid("", 18)],
    )
    model.graph.initializer.add(name="w", data_type=1, dims=[0, 2**62])
    with pytest.raises(MXNetError, match="too many elements"):
        Imported(parsed(model.SerializeToString(), "x.onnx"), {})
