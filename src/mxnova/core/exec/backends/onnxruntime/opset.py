# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""ONNX's words as ONNX Runtime takes them: operators of its latest opset, constants beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnxruntime
import torch
from onnx import TensorProto, helper
from torch import Tensor

from ..conversion.onnx_opset import ONNXOpset
from ..conversion.onnx_tensors import KINDS, describe, raw_bytes
from ..conversion.opset import Numbers

__all__ = ["RuntimeOpset"]

IR_VERSION = 10
# Operators whose outputs are never NaN, and operators that pass elements on.
_WITHOUT_NAN = {"DequantizeLinear", "GlobalMaxPool", "MaxPool", "ThresholdedRelu"}
_MOVING = {"Concat", "Identity", "Reshape", "Slice", "Split", "Transpose"}
_SMALL = 128  # numbers; constants beyond are handed over beside the model, instead of in it


class RuntimeOpset(ONNXOpset):
    """A model for a session.

    Args:
        has_integers: whether it quantizes.

    Attributes:
        inputs: names of its inputs.
        constants: values of large constants, which the model knows by name and shape only.
    """

    def __init__(self, has_integers: bool = False) -> None:
        super().__init__()
        # From 21 on QuantizeLinear has output_dtype, which ONNX Runtime 1.31 leaves at int8 when it
        # makes int8 activations uint8.
        self.version = 20 if has_integers else 23
        self.inputs: list[str] = []
        self.constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._initializers: list[Any] = []
        self._has_integers = has_integers
        self._numbers: set[str] = set()  # Names of values that are never NaN.

    def model(self, outputs: Mapping[str, torch.dtype]) -> bytes:
        """The model with these outputs, serialized; constants that nobody reads are dropped."""
        read = self.read()
        self.constants = {n: value for n, value in self.constants.items() if n in read}
        kept = [tensor for tensor in self._initializers if tensor.name in read]
        results = [helper.make_tensor_value_info(n, KINDS[d], None) for n, d in outputs.items()]
        graph = helper.make_graph(self.nodes, "mxnova", self._inputs, results, kept)
        opsets = [helper.make_opsetid("", self.version)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        return bytes(made.SerializeToString())

    def output(self, value: str) -> str:
        """`value` as an output of the model, under a name of its own."""
        return self._node("Identity", value)

    def parameter(self, name: str, shape: Numbers) -> str:
        self.inputs.append(self._name("input"))
        kind = KINDS[self.dtype]
        self._inputs.append(helper.make_tensor_value_info(self.inputs[-1], kind, list(shape)))
        return self.inputs[-1]

    def _constant(self, values: Tensor) -> str:
        name = self._name("Constant")
        made = describe(TensorProto(), name, values)
        if values.numel() <= _SMALL:
            made.raw_data = bytes(raw_bytes(values))
        else:
            self.constants[name] = onnxruntime.OrtValue.ortvalue_from_numpy(values.numpy())
            made.data_location = TensorProto.EXTERNAL
            made.external_data.add(key="location", value=name)
        self._initializers.append(made)
        return name

    def _nodes_of(self, kind: str, count: int, *inputs: str, **attributes: Any) -> list[str]:
        names = super()._nodes_of(kind, count, *inputs, **attributes)
        read = inputs if kind == "Concat" else inputs[:1]  # The others are shapes and indices.
        if kind in _WITHOUT_NAN or (kind in _MOVING and self._numbers.issuperset(read)):
            self._numbers.update(names)
        return names

    # Words that files do not use

    def elementwise(self, name: str, *values: str) -> str:
        # ONNX Runtime's Relu propagates NaN. It fuses no other one with integer products.
        if name == "rectifier" and self.dtype is torch.float32 and not self._has_integers:
            return self._node("ThresholdedRelu", *values, alpha=0.0)
        return super().elementwise(name, *values)

    def max_pool(
        self, x: str, kernel: Numbers, stride: Numbers, before: Numbers, behind: Numbers
    ) -> str:
        is_window = max(kernel) > 1
        return super().max_pool(
            self._without_nan(x) if is_window else x, kernel, stride, before, behind
        )

    def global_pool(self, kind: str, x: str, rank: int) -> str:
        return super().global_pool(kind, self._without_nan(x) if kind == "max" else x, rank)

    def _without_nan(self, x: str) -> str:
        """Return `x` with the lowest number where it is NaN or -infinity.

        Where NaN leaves ONNX Runtime's maxima depends on its place in the window.
        """
        if x in self._numbers or self._has_integers or not self.dtype.is_floating_point:
            return x
        lowest = self.floats(torch.finfo(self.dtype).min)
        return self._node("Where", self._node("GreaterOrEqual", x, lowest), x, lowest)

    def attention(self, x: str, heads: int, shape: Numbers) -> str:
        if self.version < 23:
            return str(super().attention(x, heads, shape))
        length, batch, features = shape
        apart = self.split(self.reshape(x, (batch, length, heads, features // heads)), 3, 3)
        given = [self.reshape(part, (batch, length, features // 3)) for part in apart]
        return self._node("Attention", *given, q_num_heads=heads, kv_num_heads=heads)
