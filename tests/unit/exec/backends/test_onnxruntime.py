# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's backend does in its own way; its values: `test_model_backends`."""

import pytest
import torch

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
