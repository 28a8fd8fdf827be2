# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's backend does in its own way; its values: `test_model_backends`."""

import pytest
import torch

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from mxnova.core.exec.backends.onnxruntime.opset import ONNXOpset  # noqa: E402 - needs both


def test_large_constants_stay_where_they_are():
    ops = ONNXOpset()
    weight = torch.ones(1000, 10)
    x = ops.parameter("x", (2, 10))
    output = ops.output(ops.linear(x, ops.floats(weight), None))
    (value,) = ops.constants.values()
    assert value.data_ptr() == weight.data_ptr()
    model = ops.model([output])
    assert len(model) < 1000
    onnx.load_from_string(model)
