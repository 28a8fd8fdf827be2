# SPDX-License-Identifier: Apache-2.0
import pytest

import mxnova as mx
from mxnova.quantization.options import METHODS, Options, kind_and_method

GIVEN = {
    "calibration": None, "per_channel": None, "asymmetric": None, "samples": 1, "measured": 1,
    "batch": None, "max_drop": None, "metric": None, "seed": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "output, method, expected",
    [
        (None, None, ("a/net-quantized", "mxnet", "mxnet")),
        (None, "ort", ("a/net-quantized.onnx", "onnx", "ort")),
        (None, "nncf", ("a/net-quantized.xml", "openvino", "nncf")),
        ("x", None, ("x", "mxnet", "mxnet")),
        ("x.v2", None, ("x.v2", "mxnet", "mxnet")),
        ("x.onnx", None, ("x.onnx", "onnx", "ort")),
        ("x.xml", None, ("x.xml", "openvino", "nncf")),
        ("x.mxnova", None, ("x.mxnova", "compiled", "ort")),
        ("x.mxnova", "nncf", ("x.mxnova", "compiled", "nncf")),
    ],
)
def test_endings_choose_methods_and_methods_endings(output, method, expected):
    assert kind_and_method(output, method, "a/net") == expected


@pytest.mark.parametrize(
    "output, method, text",
    [
        (None, "orc", "--with orc; did you mean 'ort'"),
        ("x.onnx", "mxnet", "--with mxnet writes a prefix"),
        ("x", "ort", "--with ort writes .onnx or .mxnova"),
        ("x.onnx", "nncf", "--with nncf writes .xml or .mxnova"),
    ],
)
def test_files_that_a_method_does_not_write(output, method, text):
    with pytest.raises(mx.MXNetError, match=text):
        kind_and_method(output, method, "net")


def test_defaults_are_the_methods():
    made = {m: Options.checked(method=m, **GIVEN) for m in METHODS}
    assert [(o.calibration, o.per_channel, o.asymmetric) for o in made.values()] == [
        ("entropy", False, False),
        ("mean", True, True),
        ("naive", True, True),
    ]


@pytest.mark.parametrize(
    "method, given, text",
    [
        ("mxnet", {"asymmetric": True}, "symmetric ranges"),
        ("mxnet", {"calibration": "entropi"}, "did you mean 'entropy'"),
        ("nncf", {"calibration": "entropy"}, "--with nncf has mean, naive"),
        ("ort", {"samples": 0}, "--samples=0: must be 1 or more"),
        ("ort", {"batch": -1}, "--batch=-1"),
        ("ort", {"max_drop": -0.5}, "--max-drop=-0.5"),
        ("ort", {"max_drop": float("nan")}, "--max-drop=nan"),
        ("ort", {"metric": "acuracy"}, "did you mean 'accuracy'"),
    ],
)
def test_values_that_a_method_does_not_take(method, given, text):
    with pytest.raises(mx.MXNetError, match=text):
        Options.checked(method=method, **{**GIVEN, **given})
