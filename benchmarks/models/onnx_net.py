# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Net documents the methods
"""Networks as ONNX models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from benchmarks.models.networks import INPUT_SHAPES, UNITS
from benchmarks.models.parameters import lstm_parts, parameters_of

__all__ = ["OnnxNet", "model_of", "session_of"]

OPSET = 18
IR_VERSION = 8


class OnnxNet:
    """A net whose values are names in an ONNX graph."""

    def __init__(self, parameters: Mapping[str, np.ndarray]) -> None:
        self.nodes: list[Any] = []
        self.constants = dict(parameters)

    def _node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        output = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def conv(
        self, x: str, name: str, filters: int, kernel: int, stride: int, pad: int, groups: int = 1
    ) -> str:
        return self._node(
            "Conv",
            x,
            f"{name}_weight",
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[pad] * 4,
            group=groups,
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

    def concat(self, x: str, y: str) -> str:
        return self._node("Concat", x, y, axis=1)

    def flat(self, x: str) -> str:
        return self._node("Flatten", x)

    def _constant(self, values: Any, dtype: Any = np.int64) -> str:
        name = f"constant{len(self.constants)}"
        self.constants[name] = np.asarray(values, dtype)
        return name

    def project(self, x: str, name: str, units: int) -> str:
        turned = f"{name}_turned"
        self.constants[turned] = np.ascontiguousarray(self.constants.pop(f"{name}_weight").T)
        return self._node("Add", self._node("MatMul", x, turned), f"{name}_bias")

    def gelu(self, x: str) -> str:
        root, one, half = (self._constant(n, np.float32) for n in (2**-0.5, 1, 0.5))
        grown = self._node("Add", self._node("Erf", self._node("Mul", x, root)), one)
        return self._node("Mul", self._node("Mul", x, grown), half)

    def layer_norm(self, x: str, name: str) -> str:
        return self._node("LayerNormalization", x, f"{name}_gamma", f"{name}_beta", epsilon=1e-5)

    def attention(self, x: str, heads: int) -> str:
        size = UNITS // heads
        apart = self._node("Reshape", x, self._constant([0, 0, heads, 3 * size]))
        split = [f"{apart}_{part}" for part in range(3)]
        self.nodes.append(helper.make_node("Split", [apart], split, axis=3, num_outputs=3))
        queries, values = (self._node("Transpose", split[i], perm=[0, 2, 1, 3]) for i in (0, 2))
        keys = self._node("Transpose", split[1], perm=[0, 2, 3, 1])
        scores = self._node("MatMul", queries, keys)
        scores = self._node("Mul", scores, self._constant(size**-0.5, np.float32))
        out = self._node("MatMul", self._node("Softmax", scores, axis=-1), values)
        out = self._node("Transpose", out, perm=[0, 2, 1, 3])
        return self._node("Reshape", out, self._constant([0, 0, UNITS]))

    def recurrent(self, x: str, name: str, units: int, layers: int) -> str:
        x = self._node("Transpose", x, perm=[1, 0, 2])
        packed = self.constants.pop(f"{name}_parameters")
        parts = lstm_parts(packed, UNITS, units, layers)
        for i in range(layers):
            weights, recurrent = (_ordered(parts[f"weight_{k}_l{i}"])[None] for k in ("ih", "hh"))
            bias = np.concatenate([_ordered(parts[f"bias_{k}_l{i}"]) for k in ("ih", "hh")])[None]
            given = [self._constant(a, np.float32) for a in (weights, recurrent, bias)]
            out = self._node("LSTM", x, *given, hidden_size=units)
            x = self._node("Squeeze", out, self._constant([1]))
        return self._node("Transpose", x, perm=[1, 0, 2])


def _ordered(gates: np.ndarray) -> np.ndarray:
    """Input, forget, cell, output as ONNX orders them: input, output, forget, cell."""
    parts = np.split(gates, 4)
    return np.concatenate([parts[i] for i in (0, 3, 1, 2)])


def model_of(network: Any, batch: int) -> bytes:
    """`network` as an ONNX file, with input ``data``."""
    net = OnnxNet(parameters_of(network))
    logits = network(net, "data")
    kind = TensorProto.FLOAT
    graph = helper.make_graph(
        net.nodes,
        network.__name__,
        [helper.make_tensor_value_info("data", kind, (batch, *INPUT_SHAPES[network]))],
        [helper.make_tensor_value_info(logits, kind, None)],
        [numpy_helper.from_array(a, name) for name, a in net.constants.items()],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    return model.SerializeToString()


def session_of(network: Any, batch: int, threads: int) -> Any:
    """An ONNX Runtime session of `network`, with input ``data``."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        model_of(network, batch), options, providers=["CPUExecutionProvider"]
    )
