# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova.core.base.errors import FormatError
from mxnova.core.base.protobuf import message, number
from mxnova.predictor.graph_checks import check_ir_constants, check_ir_text, check_onnx_graph

GRAPH, FUNCTIONS = 7, 25  # fields of a ModelProto


def array(content):
    return np.frombuffer(content, np.uint8)


@pytest.mark.parametrize("content", [b"", message(GRAPH, b"g"), number(1, 8) + message(8, b"")])
def test_graphs_for_onnxruntime(content):
    check_onnx_graph(array(content))


@pytest.mark.parametrize(
    "content, fact",
    [
        (message(GRAPH, b"g") + message(FUNCTIONS, b""), "functions"),
        (number(FUNCTIONS, 1), "functions"),
        (b"\xca\x81\x80\x00" + b"\0", "functions"),  # a longer form of the same tag
        (b"\xca\x81\x80\x80\x10" + b"\0", "number 536870937"),  # one with bits that readers drop
        (message(GRAPH, b"graph")[:-1], "no ONNX file"),
        (b"\x0b", "wire type 3"),
        (bytes(9), "no ONNX file"),
    ],
)
def test_other_graphs_for_onnxruntime(content, fact):
    with pytest.raises(FormatError, match=fact):
        check_onnx_graph(array(content))


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
