# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's backend does in its own way; its values: `test_model_backends`."""

import numpy as np
import pytest
import torch

import mxnova as mx

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from mxnova.core.base import inference_runtimes  # noqa: E402 - needs both
from mxnova.core.exec.backends.onnxruntime.opset import RuntimeOpset  # noqa: E402


def test_large_constants_stay_where_they_are():
    ops = RuntimeOpset()
    weight = torch.ones(1000, 10)
    x = ops.parameter("x", (2, 10))
    output = ops.output(ops.linear(x, ops.floats(weight), None))
    (value,) = ops.constants.values()
    assert value.data_ptr() == weight.data_ptr()
    model = ops.model({output: torch.float32})
    assert len(model) < 1000
    onnx.load_from_string(model)


def test_attention_is_one_node():
    ops = RuntimeOpset()
    x = ops.parameter("x", (2, 5, 24))
    found = ops.output(ops.attention(x, 2, (5, 2, 24)))
    model = onnx.load_from_string(ops.model({found: torch.float32}))
    assert [n.op_type for n in model.graph.node].count("Attention") == 1
    assert not [n for n in model.graph.node if n.op_type in ("MatMul", "Softmax")]


@pytest.mark.parametrize("busy, spins", [(True, "0"), (False, "1")])
def test_threads_wait_asleep_on_a_busy_machine(monkeypatch, busy, spins):
    monkeypatch.setattr(inference_runtimes, "is_busy", lambda: busy)
    options = inference_runtimes.onnxruntime_options(2)
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == spins
    assert options.get_session_config_entry("session.force_spinning_stop") == "1"
    assert options.intra_op_num_threads == 2


def test_float_layer_between_integers_stays_in_float():
    ends = {"min_calib_range": -1.0, "max_calib_range": 1.0}
    q = mx.sym.contrib.quantize_v2(mx.sym.var("data"), out_type="int8", **ends)
    layer = mx.sym.FullyConnected(mx.sym.contrib.dequantize(*q), num_hidden=8, name="fc")
    q = mx.sym.contrib.quantize_v2(layer, out_type="int8", **ends)
    net, draw = mx.sym.contrib.dequantize(*q), np.random.default_rng(0)
    arrays = {
        "arg:fc_weight": mx.nd.array(draw.uniform(-0.2, 0.2, (8, 64))),
        "arg:fc_bias": mx.nd.array(draw.uniform(-0.2, 0.2, 8)),
    }
    data = draw.uniform(-1, 1, (16, 64)).astype("float32")
    results = [
        mx.Predictor(net, arrays, {"data": data.shape}, backend=backend).predict(data=data)[0]
        for backend in ("aten", "onnxruntime")
    ]
    np.testing.assert_array_equal(*results)
