# SPDX-License-Identifier: Apache-2.0
"""Files that nobody should trust."""

import os

import numpy as np
import pytest

import mxnova as mx
from mxnova.base import MXNetError

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper  # noqa: E402 - needs onnx

from .running import array  # noqa: E402

NUMBERS = np.arange(6, dtype="float32").reshape(2, 3)


def model(**facts):
    """x + w, where w is a tensor of these facts."""
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], name="sum")],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])],
        [TensorProto(name="w", **{"data_type": TensorProto.FLOAT, "dims": [2, 3], **facts})],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def imported(made, folder):
    (folder / "model.onnx").write_bytes(made.SerializeToString())
    return mx.onnx.import_model(folder / "model.onnx")


def beside(**facts):
    """A model whose numbers lie in another file."""
    made = model(data_location=TensorProto.EXTERNAL)
    for key, value in facts.items():
        made.graph.initializer[0].external_data.add(key=key, value=str(value))
    return made


@pytest.mark.parametrize(
    "facts",
    [
        {"raw_data": NUMBERS.tobytes()},
        {"float_data": range(6)},
        {"data_type": TensorProto.FLOAT16, "raw_data": NUMBERS.astype("float16").tobytes()},
        {"data_type": TensorProto.FLOAT16, "int32_data": NUMBERS.astype("float16").view("uint16").reshape(-1)},
        {"data_type": TensorProto.INT64, "int64_data": range(6)},
        {"data_type": TensorProto.UINT8, "int32_data": range(6)},
        {"data_type": TensorProto.DOUBLE, "double_data": range(6)},
    ],
)  # fmt: skip
def test_numbers_in_every_form(facts, tmp_path):
    made = model(**facts)
    made.graph.input[0].type.tensor_type.elem_type = made.graph.initializer[0].data_type
    symbol, arguments, _ = imported(made, tmp_path)
    assert arguments["w"].asnumpy().tolist() == NUMBERS.tolist()
    assert arguments["w"].dtype == helper.tensor_dtype_to_np_dtype(
        made.graph.initializer[0].data_type
    )
    assert symbol.list_arguments() == ["x", "w"]


def test_numbers_in_another_file(tmp_path):
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/w.bin").write_bytes(b"before" + NUMBERS.tobytes())
    made = beside(location="weights/w.bin", offset=6, length=24)
    assert imported(made, tmp_path)[1]["w"].asnumpy().tolist() == NUMBERS.tolist()


@pytest.mark.parametrize(
    "made, text",
    [
        (model(raw_data=b"1234"), "'w': shape \\(2, 3\\) needs 24 bytes, but there are 4"),
        (model(float_data=[1.0]), "'w': shape \\(2, 3\\) needs 6 numbers, but there are 1"),
        (model(dims=[1 << 40, 1 << 40], raw_data=b""), "needs 4835703278458516698824704 bytes"),
        (model(dims=[-1], raw_data=b""), "'w': shape \\(-1,\\)"),
        (model(dims=[1] * 40, raw_data=b"1234"), "'w': shape \\(1, 1, "),
        (model(data_type=TensorProto.STRING, string_data=[b"a"]), "'w': elements of type STRING"),
        (model(data_type=99, raw_data=b""), "'w': elements of type 99"),
        (beside(location="/etc/hostname"), "'/etc/hostname': it must lie in the model's folder"),
        (beside(location="../w.bin"), "'../w.bin': it must lie in the model's folder"),
        (beside(location="a/../../w.bin"), "it must lie in the model's folder"),
        (beside(location="linked"), "'linked': it must lie in the model's folder"),
        (beside(location=""), "location '': it must lie in the model's folder"),
        (beside(location="w.bin"), "No such file"),
        (beside(location="model.onnx", offset=1 << 40, length=24), "bytes 1099511627776 to "),
        (beside(location="model.onnx", offset=-1, length=24), "bytes -1 to 23"),
        (beside(location="model.onnx", offset=0, length=25), "needs 24 bytes, but there are 25"),
        (beside(location="model.onnx", offset="x"), "external data {"),
    ],
)  # fmt: skip
def test_numbers_that_are_not_there(made, text, tmp_path):
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(NUMBERS.tobytes())
    os.symlink(tmp_path / "w.bin", folder / "linked")
    with pytest.raises(MXNetError, match=text):
        imported(made, folder)


def test_what_is_no_model(tmp_path):
    path = tmp_path / "model.onnx"
    for content in (b"", b"text", b"\x08\x01", NUMBERS.tobytes()):
        path.write_bytes(content)
        with pytest.raises(MXNetError, match="model.onnx: this is no ONNX model"):
            mx.onnx.import_model(path)
    for function in (mx.onnx.import_model, mx.onnx.get_model_metadata):
        with pytest.raises(FileNotFoundError):
            function(tmp_path / "none.onnx")
        with pytest.raises(IsADirectoryError):
            function(tmp_path)


def test_every_part_of_a_file_is_refused_or_read(tmp_path):
    content = model(raw_data=NUMBERS.tobytes()).SerializeToString()
    for end in range(len(content)):
        (tmp_path / "model.onnx").write_bytes(content[:end])
        with pytest.raises(MXNetError):
            mx.onnx.import_model(tmp_path / "model.onnx")


def nodes(*made, opset=13, outputs=("y",), shape=(2, 3)):
    graph = helper.make_graph(
        made,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [helper.make_tensor("big", TensorProto.INT64, [2], [1 << 25, 1 << 25])],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def branching(depth):
    """Graphs in graphs."""
    made = helper.make_node("Relu", ["x"], ["y"])
    for _ in range(depth):
        inner = helper.make_graph([made], "g", [], [helper.make_empty_tensor_value_info("y")])
        empty = helper.make_graph([], "g", [], [helper.make_empty_tensor_value_info("x")])
        made = helper.make_node("If", ["t"], ["y"], then_branch=inner, else_branch=empty)
    return [
        helper.make_node("Constant", [], ["n"], value_int=1),
        helper.make_node("Cast", ["n"], ["t"], to=9),
        made,
    ]


RELU = helper.make_node("Relu", ["x"], ["y"])


@pytest.mark.parametrize(
    "made, text",
    [
        (nodes(RELU, opset=99), "opset 99: must be 1 to 28"),
        (nodes(helper.make_node("Relu", ["z"], ["y"])), r"\(Relu\): 'z' is read before anything gives"),
        (nodes(RELU, outputs=["z"]), "'z' is read before anything gives it"),
        (nodes(RELU, shape=None), "does not tell how many axes input 'x' has: say it by input_shapes="),
        (nodes(helper.make_node("SplitToSequence", ["x"], ["y"])), "output 'y' is no array"),
        (nodes(helper.make_node("Relu", ["x"], ["y", "z"])), "output 1: MXNet has no operator that gives it"),
        (nodes(helper.make_node("Expand", ["x", "big"], ["y"])), r"\(Expand\): shapes"),
        (nodes(*branching(17)), "graphs lie too deep in each other"),
    ],
)  # fmt: skip
def test_graphs_that_cannot_be(made, text, tmp_path):
    with pytest.raises(MXNetError, match=text):
        imported(made, tmp_path)


def test_nothing_large_is_made_while_a_file_is_read(tmp_path):
    filled = helper.make_node("ConstantOfShape", ["big"], ["a"])
    made = nodes(
        filled,
        helper.make_node("Tile", ["big", "n"], ["b"]),
        helper.make_node("ReduceMax", ["a"], ["y"]),
    )
    made.graph.initializer.append(helper.make_tensor("n", TensorProto.INT64, [1], [1 << 25]))
    symbol, arguments, _ = imported(made, tmp_path)
    assert arguments == {}
    (shape,) = symbol.infer_shape()[1]
    assert shape == (1, 1)


def test_shapes_and_names_may_be_given(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(nodes(RELU, shape=None).SerializeToString())
    symbol, *_ = mx.onnx.import_model(path, {"x": (2, None)})
    assert symbol.eval(x=array(-NUMBERS))[0].asnumpy().max() == 0
    with pytest.raises(MXNetError, match="input_shapes: the model has no input 'y'"):
        mx.onnx.import_model(path, {"x": (2, 3), "y": (1,)})
