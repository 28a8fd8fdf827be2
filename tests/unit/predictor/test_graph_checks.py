# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova.core.base.errors import FormatError
from mxnova.core.base.protobuf import message, number
from mxnova.predictor import graph_checks
from mxnova.predictor.graph_checks import check_ir_constants, check_ir_text, check_onnx_graph

GRAPH, FUNCTIONS = 7, 25  # fields of a ModelProto
NODE, SPARSE_INITIALIZER = 1, 15  # of a GraphProto
ATTRIBUTE = 5  # of a NodeProto
BODY, BODIES, SPARSE, SPARSES = 6, 11, 22, 23  # of an AttributeProto


def nested(content, *numbers):
    """A message within messages of these numbers, the outermost first."""
    for field in reversed(numbers):
        content = message(field, content)
    return content


def array(content):
    return np.frombuffer(content, np.uint8)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        number(1, 8) + message(8, b""),
        nested(b"name", GRAPH, NODE, ATTRIBUTE, 1),
        nested(b"a tensor's values", GRAPH, NODE, ATTRIBUTE, 5, 9),
        nested(b"a weight's values", GRAPH, 5, 9),
    ],
)
def test_graphs_for_onnxruntime(content):
    check_onnx_graph(array(content))


@pytest.mark.parametrize(
    "content, fact",
    [
        (message(GRAPH, b"") + message(FUNCTIONS, b""), "functions"),
        (number(FUNCTIONS, 1), "functions"),
        (b"\xca\x81\x80\x00" + b"\0", "functions"),  # a longer form of the same tag
        (b"\xca\x81\x80\x80\x10" + b"\0", "number 536870937"),  # one with bits that readers drop
        (nested(b"", GRAPH, SPARSE_INITIALIZER), "sparse tensors"),
        (message(GRAPH, b"") + nested(b"", GRAPH, SPARSE_INITIALIZER), "sparse tensors"),
        (nested(b"", GRAPH, NODE, ATTRIBUTE, SPARSE), "sparse tensors"),
        (nested(b"", GRAPH, NODE, ATTRIBUTE, SPARSES), "sparse tensors"),
        (nested(b"", GRAPH, NODE, ATTRIBUTE, BODY), "graphs within"),
        (nested(b"", GRAPH, *[NODE, ATTRIBUTE, BODIES] * 999), "graphs within"),
        (message(GRAPH, b"graph")[:-1], "no ONNX file"),
        (message(GRAPH, b"graph"), "no ONNX file"),
        (b"\x0b", "wire type 3"),
        (bytes(9), "no ONNX file"),
    ],
)
def test_other_graphs_for_onnxruntime(content, fact):
    with pytest.raises(FormatError, match=fact):
        check_onnx_graph(array(content))


@pytest.mark.parametrize("numbers", [(), (GRAPH,), (GRAPH, NODE), (GRAPH, NODE, ATTRIBUTE)])
@pytest.mark.parametrize("field", [number(8, 0), message(1, b"")])
def test_fields_are_counted(monkeypatch, numbers, field):
    monkeypatch.setattr(graph_checks, "_MOST_FIELDS", 104)  # messages included
    check_onnx_graph(array(nested(field * 48, *numbers) * 2))
    with pytest.raises(FormatError, match="too many fields"):
        check_onnx_graph(array(nested(field * 53, *numbers) * 2))


@pytest.mark.parametrize("text", [b'<?xml version="1.0"?><net/>', b"<net><bodywork/></net>"])
def test_graphs_for_openvino(text):
    check_ir_text(text)


@pytest.mark.parametrize(
    "text, fact",
    [
        (b"", "no XML"),
        (b"\x08\x08", "no XML"),
        (b"\xff\xfe<\0n\0e\0t\0", "no XML"),
        (b"<net><body></body></net>", "graphs within"),
        (b"<net><then_body id='1'/></net>", "graphs within"),
        (b"<net><else_body/></net>", "graphs within"),
    ],
)
def test_other_graphs_for_openvino(text, fact):
    with pytest.raises(FormatError, match=fact):
        check_ir_text(text)


def model_of(shape, dtype, factor):
    """A sum of its input and a constant that is spread over a shape, then repeated."""
    openvino = pytest.importorskip("openvino")
    from openvino import opset13 as ov

    x = ov.parameter([1], dtype)
    spread = ov.broadcast(ov.constant(np.ones(1, dtype)), ov.constant(np.array(shape, np.int64)))
    repeated = ov.tile(spread, ov.constant(np.array([factor] * len(shape), np.int64)))
    return openvino.Model([ov.result(ov.add(x, repeated))], [x], "m")


@pytest.mark.parametrize(
    "shape, dtype, factor, n_bytes, taken",
    [
        ([1 << 20], np.float32, 1, 0, True),  # 4 MB, twice
        ([1 << 20], np.float32, 7, 0, True),  # 32 MB
        ([1 << 20], np.float32, 8, 0, False),
        ([1 << 20], np.float32, 8, 1 << 16, True),  # beside weights of 64 KB
        ([1 << 20], np.int8, 8, 0, True),
        ([1 << 40], np.int8, 1, 1 << 20, False),
        ([1 << 32, 1 << 32], np.float32, 1, 1 << 20, False),
    ],
)
def test_constants_that_are_computed(shape, dtype, factor, n_bytes, taken):
    model = model_of(shape, dtype, factor)
    if taken:
        check_ir_constants(model, n_bytes)
    else:
        with pytest.raises(FormatError, match="constants of the graph take over"):
            check_ir_constants(model, n_bytes)


def test_what_inputs_decide_is_no_constant():
    openvino = pytest.importorskip("openvino")
    from openvino import opset13 as ov

    x = ov.parameter([-1], np.float32)
    twice = ov.tile(x, ov.constant(np.array([1 << 30])))
    check_ir_constants(openvino.Model([ov.result(ov.non_zero(twice))], [x], "m"), 0)


@pytest.mark.parametrize(
    "shape, axis, taken",
    [([1], 0, False), ([-1], 0, True), ([-1, 1], 1, False), ([-1, 1], 0, True)],
)
def test_shapes_that_are_known_are_constants(shape, axis, taken):
    openvino = pytest.importorskip("openvino")
    from openvino import opset13 as ov

    x = ov.parameter(shape, np.float32)
    size = ov.gather(ov.shape_of(x), ov.constant(np.array([axis])), ov.constant(np.int64(0)))
    many = ov.multiply(size, ov.constant(np.array([1 << 30])))
    total = ov.reduce_sum(ov.broadcast(ov.constant(np.float32(0)), many), ov.constant([0]))
    model = openvino.Model([ov.result(total)], [x], "m")
    if taken:
        check_ir_constants(model, 0)
    else:
        with pytest.raises(FormatError, match="constants of the graph take over"):
            check_ir_constants(model, 0)
