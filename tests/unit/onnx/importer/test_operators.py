# SPDX-License-Identifier: Apache-2.0
"""Operators as different opsets write them give what ONNX Runtime gives."""

import re

import numpy as np
import pytest

from mxnova.base import MXNetError

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402 - needs onnx

from .running import assert_equal, run  # noqa: E402

IMAGE = np.random.default_rng(0).normal(size=(2, 3, 8, 9)).astype("float32")
RNG = np.random.default_rng(1)


def weights(*shape):
    return RNG.uniform(-1, 1, shape).astype("float32")


def model_of(nodes, inputs, constants, opset, outputs=("y",)):
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
            for n, a in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(n) for n in outputs],
        [numpy_helper.from_array(np.asarray(a), n) for n, a in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def lone(kind, opset, *constants, x=IMAGE, **attributes):
    """A model of one node; constants that are None are left out."""
    given = {f"c{i}": a for i, a in enumerate(constants) if a is not None}
    names = [f"c{i}" if a is not None else "" for i, a in enumerate(constants)]
    return model_of(
        [helper.make_node(kind, ["x", *names], ["y"], **attributes)], {"x": x}, given, opset
    )


INTEGERS = np.array([[-7, 5, 9], [3, -2, 8]], "int64")
MATRIX = weights(4, 5)
BOXES = np.array([[0, 1, 1, 6, 5], [1, 0, 2, 7, 7]], "float32")
SAME = {"auto_pad": "SAME_UPPER"}
CASES = {
    "softmax before 13": lone("Softmax", 11, axis=1),
    "softmax": lone("Softmax", 13, axis=1),
    "log softmax before 13": lone("LogSoftmax", 9),
    "hardmax before 13": lone("Hardmax", 11, axis=2),
    "squeeze before 13": lone("Squeeze", 11, x=IMAGE[:1, :1], axes=[0, 1]),
    "squeeze": lone("Squeeze", 13, np.array([-4]), x=IMAGE[:1]),
    "unsqueeze before 13": lone("Unsqueeze", 11, axes=[0, 3]),
    "unsqueeze": lone("Unsqueeze", 13, np.array([-1, 1])),
    "sum before 13": lone("ReduceSum", 11, axes=[1, -1], keepdims=0),
    "sum of all": lone("ReduceSum", 13, keepdims=0),
    "mean before 18": lone("ReduceMean", 13, axes=[2]),
    "mean": lone("ReduceMean", 18, np.array([2, 3])),
    "clip before 11": lone("Clip", 6, min=-0.5, max=0.5),
    "clip": lone("Clip", 13, np.float32(-0.5), None),
    "clip above": lone("Clip", 13, None, np.float32(0.5)),
    "pow of an integer": lone("Pow", 13, np.array(2)),
    "integers divided": lone("Div", 14, np.array([[2, -2, 4]]), x=INTEGERS),
    "remainder of C": lone("Mod", 13, np.float32(0.7), fmod=1),
    "remainder": lone("Mod", 13, np.array(3), x=INTEGERS),
    "dropout before 12": lone("Dropout", 10, ratio=0.3),
    "batch norm before 9": lone("BatchNormalization", 8, *(abs(weights(3)) + 0.1 for _ in range(4)), epsilon=1e-3),
    "upsample before 9": lone("Upsample", 7, mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
    "upsample": lone("Upsample", 9, np.array([1, 1, 2, 3], "float32"), mode="nearest"),
    "resize before 11": lone("Resize", 10, np.array([1, 1, 2, 2], "float32"), mode="linear"),
    "resize to sizes": lone("Resize", 13, None, None, np.array([2, 3, 5, 12]), mode="linear"),
    "resize with corners": lone("Resize", 13, None, None, np.array([2, 3, 5, 12]), mode="linear", coordinate_transformation_mode="align_corners"),
    "resize cubic": lone("Resize", 13, None, np.array([1, 1, 1.5, 2], "float32"), mode="cubic", cubic_coeff_a=-0.5),
    "resize nearest": lone("Resize", 13, None, None, np.array([2, 3, 5, 20]), mode="nearest", nearest_mode="ceil", coordinate_transformation_mode="half_pixel"),
    "resize some axes": lone("Resize", 18, None, None, np.array([16, 18]), mode="nearest", axes=[2, 3]),
    "slice before 10": lone("Slice", 9, starts=[1, -3], ends=[100, -1], axes=[1, 3]),
    "slice": lone("Slice", 13, np.array([-1, 0]), np.array([-(1 << 62), 7]), np.array([2, 3]), np.array([-1, 3])),
    "pad before 11": lone("Pad", 10, pads=[0, 0, 1, 2, 0, 0, 3, 0], mode="reflect"),
    "pad": lone("Pad", 13, np.array([1, 0, 0, 2, 0, 1, 0, 0]), np.float32(3)),
    "pad cuts": lone("Pad", 13, np.array([0, 0, -1, 2, 0, 0, 1, -3])),
    "pad some axes": lone("Pad", 18, np.array([1, 2]), None, np.array([3]), mode="edge"),
    "pad around": lone("Pad", 19, np.array([0, 0, 1, 2, 0, 0, 3, 4]), mode="wrap"),
    "split before 13": model_of([helper.make_node("Split", ["x"], ["a", "y"], axis=3, split=[4, 5])], {"x": IMAGE}, {}, 11),
    "split": model_of([helper.make_node("Split", ["x", "s"], ["y", "b"], axis=3)], {"x": IMAGE}, {"s": np.array([4, 5])}, 13),
    "split unequal": model_of([helper.make_node("Split", ["x"], ["y", "b"], axis=3, num_outputs=2)], {"x": IMAGE}, {}, 18),
    "top before 10": model_of([helper.make_node("TopK", ["x"], ["y", "i"], k=3)], {"x": IMAGE}, {}, 9),
    "flatten": lone("Flatten", 13, axis=2),
    "convolution": lone("Conv", 13, weights(4, 3, 3, 2), weights(4), pads=[1, 0, 2, 1], strides=[2, 1], dilations=[1, 2]),
    "convolution, same": lone("Conv", 13, weights(4, 3, 3, 2), strides=[2, 2], **SAME),
    "convolution along lines": lone("Conv", 13, weights(4, 3, 3), x=IMAGE[:, :, 0], pads=[2, 0], group=1),
    "transposed": lone("ConvTranspose", 13, weights(3, 2, 3, 3), weights(2), strides=[2, 3], pads=[1, 0, 1, 0], output_padding=[1, 2]),
    "transposed, uneven": lone("ConvTranspose", 13, weights(3, 2, 3, 3), weights(2), strides=[2, 2], pads=[1, 0, 0, 1]),
    "transposed, grouped": lone("ConvTranspose", 13, weights(3, 2, 3, 3), group=3, dilations=[2, 1]),
    "transposed, same": lone("ConvTranspose", 13, weights(3, 2, 3, 3), strides=[2, 2], **SAME),
    "transposed to a shape": lone("ConvTranspose", 13, weights(3, 2, 3, 3), strides=[2, 2], output_shape=[17, 18]),
    "largest, full": lone("MaxPool", 13, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1),
    "largest, full with margins": lone("MaxPool", 13, kernel_shape=[2, 2], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1),
    "largest, uneven": lone("MaxPool", 13, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 0, 2]),
    "largest, spread": lone("MaxPool", 13, kernel_shape=[2, 3], dilations=[2, 2], strides=[1, 2], pads=[1, 0, 0, 1]),
    "largest, same": lone("MaxPool", 13, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER"),
    "mean of windows, full": lone("AveragePool", 19, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=1),
    "mean of windows with margins": lone("AveragePool", 13, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 0, 1], count_include_pad=1),
    "mean of windows, uneven": lone("AveragePool", 13, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 0, 1]),
    "lengths of windows": lone("LpPool", 13, kernel_shape=[2, 2], strides=[2, 2], p=3),
    "lengths": lone("GlobalLpPool", 13),
    "largest": lone("GlobalMaxPool", 13),
    "regions": lone("MaxRoiPool", 13, BOXES, pooled_shape=[2, 2], spatial_scale=0.5),
    "lrn": lone("LRN", 13, size=3, alpha=0.1, beta=0.5, bias=2.0),
    "gemm": lone("Gemm", 13, MATRIX, weights(5), x=weights(3, 4), alpha=0.5, beta=2.0),
    "gemm, turned": lone("Gemm", 13, weights(5, 3), weights(4, 1), x=weights(3, 4), transA=1, transB=1),
    "gemm of a layer": lone("Gemm", 13, weights(5, 4), weights(5), x=weights(3, 4), transB=1),
    "product with a vector": lone("MatMul", 13, weights(9)),
    "product with a matrix": lone("MatMul", 13, weights(9, 2)),
    "products": lone("MatMul", 13, weights(2, 3, 9, 2)),
    "products that are repeated": lone("MatMul", 13, weights(3, 9, 2)),
    "slopes of channels": lone("PRelu", 13, weights(3, 1, 1)),
    "slopes of pixels": lone("PRelu", 13, weights(8, 9)),
    "layer norm": lone("LayerNormalization", 17, weights(9), weights(9)),
    "layer norm of images": lone("LayerNormalization", 17, weights(3, 8, 9), weights(3, 8, 9), axis=1),
    "gelu": lone("Gelu", 20),
    "gelu by tanh": lone("Gelu", 20, approximate="tanh"),
    "depth to space": lone("DepthToSpace", 13, x=weights(2, 8, 3, 2), blocksize=2, mode="CRD"),
    "gather from the end": lone("Gather", 13, np.array([[-1, 0], [2, -3]]), axis=2),
    "gather one": lone("Gather", 13, np.array(-2), axis=3),
    "scatter": lone("ScatterElements", 13, np.array([[0, 2]]), np.array([[8, 9]], "float32"), x=weights(3, 4), axis=1),
    "where": model_of([helper.make_node("Greater", ["x", "c"], ["g"]), helper.make_node("Where", ["g", "x", "c"], ["y"])], {"x": IMAGE}, {"c": weights(9)}, 13),
    "truth": model_of([helper.make_node("Less", ["x", "c"], ["a"]), helper.make_node("Equal", ["i", "i"], ["b"]), helper.make_node("And", ["a", "b"], ["y"])], {"x": weights(2, 3), "i": INTEGERS}, {"c": np.float32(0)}, 13),
    "one sequence": model_of([helper.make_node("SplitToSequence", ["x", "n"], ["s"], axis=3), helper.make_node("SequenceAt", ["s", "i"], ["y"])], {"x": IMAGE}, {"n": np.array([4, 5]), "i": np.array(-1)}, 13),
    "sequences": model_of([helper.make_node("SequenceConstruct", ["x", "x"], ["s"]), helper.make_node("ConcatFromSequence", ["s"], ["y"], axis=1, new_axis=1)], {"x": IMAGE}, {}, 13),
    "quantized": model_of([helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1), helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1)], {"x": IMAGE}, {"s": np.array([0.1, 0.2, 0.3], "float32"), "z": np.array([3, 4, 5], "uint8")}, 13),
}  # fmt: skip


def inputs_of(model):
    arrays = {"x": IMAGE, "i": INTEGERS}
    made = np.random.default_rng(4)
    found = {}
    for entry in model.graph.input:
        shape = tuple(d.dim_value for d in entry.type.tensor_type.shape.dim)
        whole = entry.type.tensor_type.elem_type == TensorProto.INT64
        array = arrays["i" if whole else "x"]
        found[entry.name] = (
            array if array.shape == shape else made.normal(size=shape).astype(array.dtype)
        )
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_gives_what_onnx_runtime_gives(name, tmp_path):
    model = CASES[name]
    inputs = inputs_of(model)
    session = onnxruntime.InferenceSession(
        onnx.shape_inference.infer_shapes(model).SerializeToString(),
        providers=["CPUExecutionProvider"],
    )
    results = run(model, inputs, folder=tmp_path)
    for found, wanted in zip(results, session.run(None, inputs), strict=True):
        assert_equal(found, wanted, 1e-4)


LSTM_WEIGHTS = weights(1, 8, 9), weights(1, 8, 2)
REFUSED = {
    "(MaxPool): attribute auto_pad='SAME': MXNet has no operator for that": lone("MaxPool", 13, kernel_shape=[2, 2], auto_pad="SAME"),
    "(MaxPool): attribute kernel_shape is missing": lone("MaxPool", 13),
    "(MaxPool): attribute kernel: unknown here": lone("MaxPool", 13, kernel_shape=[2, 2], kernel=3),
    "(Relu): input 0 is missing": model_of([helper.make_node("Relu", [], ["y"], name="n")], {"x": IMAGE}, {}, 13),
    "(Softmax): axis 4 of 4 axes": lone("Softmax", 13, axis=4),
    "(Resize): attribute antialias=1": lone("Resize", 18, None, None, np.array([2, 3, 4, 4]), antialias=1),
    "(Pad): 1 margins for 4 axes": lone("Pad", 13, np.array([1])),
    "(LSTM): attribute clip=0.5": lone("LSTM", 13, *LSTM_WEIGHTS, x=IMAGE[0], hidden_size=2, clip=0.5),
    "(LSTM): attribute activations=['Relu']": lone("LSTM", 13, *LSTM_WEIGHTS, x=IMAGE[0], hidden_size=2, activations=["Relu"]),
    "(GRU): attribute linear_before_reset=0": lone("GRU", 13, *LSTM_WEIGHTS, x=IMAGE[0], hidden_size=2),
    "(LSTM): weights have the shapes": lone("LSTM", 13, *LSTM_WEIGHTS, x=IMAGE[0], hidden_size=3),
    "(Reshape): 432 items cannot have the shape (5, 7)": lone("Reshape", 13, np.array([5, 7])),
    "(BatchNormalization): attribute training_mode=1": lone("BatchNormalization", 15, *(weights(3) for _ in range(4)), training_mode=1),
    "(Cast): elements of type BFLOAT16": lone("Cast", 13, to=TensorProto.BFLOAT16),
    "(Softmax): attribute axis='one': expected int": lone("Softmax", 13, axis="one"),
}  # fmt: skip


def test_layers_that_caffe2_writes(tmp_path):
    weight, bias = weights(4, 9), weights(4)
    (found,) = run(lone("FC", 8, weight, bias, x=IMAGE[0, 0]), {"x": IMAGE[0, 0]}, folder=tmp_path)
    assert_equal(found, IMAGE[0, 0] @ weight.T + bias, 1e-5)
    vectors = [abs(weights(3)) + 0.1 for _ in range(4)]
    models = [lone(kind, 8, *vectors) for kind in ("SpatialBN", "BatchNormalization")]
    found, wanted = (run(model, {"x": IMAGE}, folder=tmp_path)[0] for model in models)
    np.testing.assert_array_equal(found, wanted)


def test_arrays_are_broadcast_from_an_axis_on_before_opset_7(tmp_path):
    numbers = weights(3)
    model = lone("Add", 6, numbers, broadcast=1, axis=1)
    (found,) = run(model, {"x": IMAGE}, folder=tmp_path)
    assert_equal(found, IMAGE + numbers.reshape(3, 1, 1), 1e-6)
    (found,) = run(lone("PRelu", 6, numbers), {"x": IMAGE}, folder=tmp_path)
    assert_equal(found, np.where(IMAGE > 0, IMAGE, IMAGE * numbers.reshape(3, 1, 1)), 1e-6)


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_said_is_named(text, tmp_path):
    with pytest.raises(MXNetError, match=rf"^import_model: node '\w' {re.escape(text)}"):
        run(REFUSED[text], {}, folder=tmp_path)


def test_all_unknown_operators_are_named_at_once(tmp_path):
    nodes = [
        helper.make_node("NonMaxSuppression", ["x", "x"], ["a"]),
        helper.make_node("Attention", ["a"], ["b"], domain="com.microsoft", name="own"),
        helper.make_node("NonMaxSuppression", ["b", "b"], ["y"]),
    ]
    text = "has no operators for NonMaxSuppression (node 'a'), com.microsoft.Attention (node 'own')"
    with pytest.raises(MXNetError, match=re.escape(text)):
        run(model_of(nodes, {"x": IMAGE}, {}, 13), {}, folder=tmp_path)
