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

from ..conversion.onnx_opset import KINDS, ONNXOpset, describe, raw_bytes
from ..conversion.opset import Numbers

__all__ = ["RuntimeOpset"]

IR_VERSION = 10
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

    # Words that files do not use

    def attention(self, x: str, heads: int, shape: Numbers) -> str:
        if self.version < 23:
            return str(super().attention(x, heads, shape))
        length, batch, features = shape
        apart = self.split(self.reshape(x, (batch, length, heads, features // heads)), 3, 3)
        given = [self.reshape(part, (batch, length, features // 3)) for part in apart]
        return self._node("Attention", *given, q_num_heads=heads, kv_num_heads=heads)
