# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from mxnova.onnx.signed_weights import make_weights_signed  # noqa: E402 - needs onnx

WEIGHT = np.array([[0, 128, 255, 127], [1, 2, 3, 200]], "uint8")


def save_model(path, zero, *more):
    """Save a layer with uint8 weights and a zero point for each row; `more` are further nodes."""
    make, arrays = onnx.helper.make_node, onnx.numpy_helper.from_array
    nodes = [
        make("DequantizeLinear", ["weight", "scale", "zero"], ["real"], axis=0),
        make("Gemm", ["data", "real"], ["layer"], transB=1),
        *more,
    ]
    constants = {
        "weight": WEIGHT,
        "scale": np.array([0.5, 0.25], "float32"),
        "zero": np.full(2, zero, "uint8"),
    }
    describe = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes,
        "net",
        [describe("data", onnx.TensorProto.FLOAT, [1, 4])],
        [onnx.ValueInfoProto(name=nodes[-1].output[0]), onnx.ValueInfoProto(name="layer")],
        [arrays(values, name) for name, values in constants.items()],
    )
    opsets = [onnx.helper.make_opsetid("", 13)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def run(path):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"data": np.array([[1, -2, 3, 4]], "float32")})


def weight_type(path):
    (weight,) = [t for t in onnx.load(path).graph.initializer if t.name == "weight"]
    return weight.data_type


FURTHER = {
    "the weight is dequantized alone": (),
    "the weight is dequantized twice": (
        ("DequantizeLinear", ["weight", "scale", "zero"], ["again"], {"axis": 0}),
    ),
}


@pytest.mark.parametrize("name", FURTHER)
def test_make_weights_signed_keeps_results(name, tmp_path):
    path = str(tmp_path / "net.onnx")
    further = [onnx.helper.make_node(k, i, o, **a) for k, i, o, a in FURTHER[name]]
    save_model(path, 128, *further)
    wanted = run(path)
    make_weights_signed(path)
    assert weight_type(path) == onnx.TensorProto.INT8
    for found, expected in zip(run(path), wanted, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("zero", "further"), [(127, ()), (128, (("Identity", ["weight"], ["bytes"], {}),))]
)
def test_make_weights_signed_leaves_other_weights(zero, further, tmp_path):
    path = str(tmp_path / "net.onnx")
    save_model(path, zero, *(onnx.helper.make_node(k, i, o, **a) for k, i, o, a in further))
    content = (tmp_path / "net.onnx").read_bytes()
    make_weights_signed(path)
    assert (tmp_path / "net.onnx").read_bytes() == content
