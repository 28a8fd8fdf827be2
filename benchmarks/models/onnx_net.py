# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as ONNX models."""

from __future__ import annotations

from typing import Any

import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from benchmarks.models.networks import INPUT_SHAPES
from benchmarks.models.parameters import parameters_of

__all__ = ["OnnxNet", "session_of"]

OPSET = 17
IR_VERSION = 8


class OnnxNet:
    """A net whose values are names in an ONNX graph."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def conv(self, x: str, name: str, filters: int, kernel: int, stride: int, pad: int) -> str:
        return self._node(
            "Conv",
            x,
            f"{name}_weight",
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[pad] * 4,
        )

    def batch_norm(self, x: str, name: str) -> str:
        parts = [f"{name}_{part}" for part in ("gamma", "beta", "moving_mean", "moving_var")]
        return self._node("BatchNormalization", x, *parts, epsilon=1e-5)

    def dense(self, x: str, name: str, units: int) -> str:
        return self._node("Gemm", x, f"{name}_weight", f"{name}_bias", transB=1)

    def relu(self, x: str) -> str:
        return self._node("Relu", x)

    def max_pool(self, x: str, kernel: int, stride: int, pad: int) -> str:
        return self._node(
            "MaxPool", x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[pad] * 4
        )

    def global_pool(self, x: str) -> str:
        return self._node("Flatten", self._node("GlobalAveragePool", x))

    def add(self, x: str, y: str) -> str:
        return self._node("Add", x, y)


def session_of(network: Any, batch: int, threads: int) -> Any:
    """An ONNX Runtime session of `network`, with input ``data``."""
    net = OnnxNet()
    logits = network(net, "data")
    kind = TensorProto.FLOAT
    graph = helper.make_graph(
        net.nodes,
        network.__name__,
        [helper.make_tensor_value_info("data", kind, (batch, *INPUT_SHAPES[network]))],
        [helper.make_tensor_value_info(logits, kind, None)],
        [numpy_helper.from_array(a, name) for name, a in parameters_of(network).items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
