# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""ONNX's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import onnxruntime
import torch
from onnx import TensorProto, helper
from torch import Tensor

from ..conversion.opset import Numbers, Opset, Window, bounds_of

__all__ = ["ONNXOpset"]

OPSET = 23
IR_VERSION = 10
_SMALL = 128  # numbers; constants beyond are handed over beside the model, instead of in it

_ELEMENTWISE = {
    "ceiling": "Ceil", "divide": "Div", "greater_equal": "GreaterOrEqual",
    "less_equal": "LessOrEqual", "maximum": "Max", "minimum": "Min", "multiply": "Mul",
    "negative": "Neg", "power": "Pow", "select": "Where", "subtract": "Sub",
}  # fmt: skip
_REDUCTIONS = {kind: f"Reduce{kind.capitalize()}" for kind in ("sum", "mean", "max", "min", "prod")}
_RECURRENT: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("LSTM", {}),
    "gru": ("GRU", {"linear_before_reset": 1}),
    "rnn_tanh": ("RNN", {"activations": ["Tanh"]}),
    "rnn_relu": ("RNN", {"activations": ["Relu"]}),
}


class ONNXOpset(Opset):
    """A model whose values are names.

    Attributes:
        inputs: names of its inputs.
        constants: values of large constants, which the model knows by name and shape only.
    """

    # Input, output, forget, cell; of a GRU update, reset, new.
    gates: ClassVar[dict[str, tuple[int, ...]]] = {
        "lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,),
    }  # fmt: skip

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._nodes: list[Any] = []
        self._initializers: list[Any] = []
        self._count = 0

    def model(self, outputs: Sequence[str]) -> bytes:
        """The model with these outputs, serialized; constants that nobody reads are dropped."""
        read = {name for node in self._nodes for name in node.input}
        self.constants = {n: value for n, value in self.constants.items() if n in read}
        kept = [tensor for tensor in self._initializers if tensor.name in read]
        kind = TensorProto.FLOAT
        results = [helper.make_tensor_value_info(name, kind, None) for name in outputs]
        graph = helper.make_graph(self._nodes, "mxnova", self._inputs, results, kept)
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        return bytes(made.SerializeToString())

    def output(self, value: str) -> str:
        """`value` as an output of the model, under a name of its own."""
        return str(self._node("Identity", value))

    def _name(self) -> str:
        self._count += 1
        return f"value{self._count}"

    def _nodes_of(self, kind: str, count: int, *inputs: str, **attributes: Any) -> list[str]:
        names = [self._name() for _ in range(count)]
        self._nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        (name,) = self._nodes_of(kind, 1, *inputs, **attributes)
        return name

    def parameter(self, name: str, shape: Numbers) -> str:
        self.inputs.append(self._name())
        kind = TensorProto.FLOAT
        self._inputs.append(helper.make_tensor_value_info(self.inputs[-1], kind, list(shape)))
        return self.inputs[-1]

    def floats(self, values: Any) -> str:
        if isinstance(values, Tensor):
            values = values.detach().numpy()
        array = np.ascontiguousarray(np.asarray(values, np.float32))
        return self._constant(array, TensorProto.FLOAT)

    def _integers(self, values: Numbers) -> str:
        return self._constant(np.asarray(values, np.int64), TensorProto.INT64)

    def _constant(self, values: np.ndarray, kind: int) -> str:
        name = self._name()
        if values.size <= _SMALL:
            made = helper.make_tensor(name, kind, values.shape, values.tobytes(), raw=True)
        else:
            self.constants[name] = onnxruntime.OrtValue.ortvalue_from_numpy(values)
            made = TensorProto(name=name, data_type=kind, dims=values.shape)
            made.data_location = TensorProto.EXTERNAL
            made.external_data.add(key="location", value=name)
        self._initializers.append(made)
        return name

    # Element by element

    def elementwise(self, name: str, *values: str) -> str:
        if name == "not_equal":
            return self._node("Not", self._node("Equal", *values))
        return self._node(_ELEMENTWISE.get(name, name.capitalize()), *values)

    def as_floats(self, condition: str) -> str:
        return self._node("Cast", condition, to=TensorProto.FLOAT)

    def clip(self, x: str, least: float, most: float) -> str:
        return self._node("Clip", x, self.floats(least), self.floats(most))

    def leaky_relu(self, x: str, slope: float) -> str:
        return self._node("LeakyRelu", x, alpha=slope)

    def prelu(self, x: str, slopes: str, rank: int) -> str:
        return self._node("PRelu", x, self.reshape(slopes, [-1, *[1] * (rank - 2)]))

    def elu(self, x: str, alpha: float) -> str:
        return self._node("Elu", x, alpha=alpha)

    def selu(self, x: str, alpha: float, scale: float) -> str:
        return self._node("Selu", x, alpha=alpha, gamma=scale)

    def gelu(self, x: str) -> str:
        return self._node("Gelu", x)

    # Where elements stand

    def reshape(self, x: str, shape: Numbers) -> str:
        return self._node("Reshape", x, self._integers(shape))

    def transpose(self, x: str, order: Numbers) -> str:
        return self._node("Transpose", x, perm=list(order))

    def slice(self, x: str, ranges: dict[int, range]) -> str:
        starts, stops, steps = bounds_of(ranges.values())
        return self._node("Slice", x, *map(self._integers, (starts, stops, list(ranges), steps)))

    def split(self, x: str, axis: int, count: int) -> list[str]:
        return self._nodes_of("Split", count, x, axis=axis, num_outputs=count)

    def concat(self, values: Sequence[str], axis: int) -> str:
        return self._node("Concat", *values, axis=axis)

    def broadcast(self, x: str, shape: Numbers) -> str:
        return self._node("Expand", x, self._integers(shape))

    def tile(self, x: str, counts: Numbers) -> str:
        return self._node("Tile", x, self._integers(counts))

    def pad(self, x: str, before: Numbers, behind: Numbers, mode: str, number: float) -> str:
        margins = self._integers([*before, *behind])
        return self._node("Pad", x, margins, self.floats(number), mode=mode)

    def repeat_pixels(self, x: str, shape: Numbers) -> str:
        return self._node(
            "Resize",
            x,
            "",
            "",
            self._integers(shape),
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )

    def rows(self, x: str, index: str, axis: int) -> str:
        return self._node("Gather", x, self._node("Cast", index, to=TensorProto.INT64), axis=axis)

    def reduce(self, kind: str, x: str, axes: Numbers, keep: bool = False) -> str:
        return self._node(_REDUCTIONS[kind], x, self._integers(axes), keepdims=int(keep))

    # Layers

    def convolution(
        self, x: str, weight: str, bias: str | None, window: Window, groups: int, shape: Numbers
    ) -> str:
        return self._convolution("Conv", x, weight, bias, window, groups, shape)

    def deconvolution(
        self,
        x: str,
        weight: str,
        bias: str | None,
        window: Window,
        groups: int,
        shape: Numbers,
        more: Numbers,
    ) -> str:
        return self._convolution(
            "ConvTranspose", x, weight, bias, window, groups, shape, output_padding=list(more)
        )

    def _convolution(
        self,
        kind: str,
        x: str,
        weight: str,
        bias: str | None,
        window: Window,
        groups: int,
        shape: Numbers,
        **more: Any,
    ) -> str:
        return self._node(
            kind,
            *(x, weight) if bias is None else (x, weight, bias),
            kernel_shape=list(shape[2:]),
            strides=list(window.stride),
            pads=[*window.pad, *window.pad],
            dilations=list(window.dilate),
            group=groups,
            **more,
        )

    def linear(self, x: str, weight: str, bias: str | None) -> str:
        return self._node("Gemm", *(x, weight) if bias is None else (x, weight, bias), transB=1)

    def matmul(
        self, x: str, y: str, rank: int, transpose_x: bool = False, transpose_y: bool = False
    ) -> str:
        order = [*range(rank - 2), rank - 1, rank - 2]
        x = self.transpose(x, order) if transpose_x else x
        y = self.transpose(y, order) if transpose_y else y
        return self._node("MatMul", x, y)

    def global_pool(self, kind: str, x: str, rank: int) -> str:
        if kind == "sum":
            return self.reduce("sum", x, range(2, rank), keep=True)
        return self._node("GlobalMaxPool" if kind == "max" else "GlobalAveragePool", x)

    def max_pool(
        self, x: str, kernel: Numbers, stride: Numbers, before: Numbers, behind: Numbers
    ) -> str:
        pads = [*before, *behind]
        window = {"kernel_shape": list(kernel), "strides": list(stride), "pads": pads}
        return self._node("MaxPool", x, **window)

    def mean_pool(
        self, x: str, kernel: Numbers, stride: Numbers, pad: Numbers, with_pad: bool
    ) -> str:
        window = {"kernel_shape": list(kernel), "strides": list(stride), "pads": [*pad, *pad]}
        return self._node("AveragePool", x, count_include_pad=int(with_pad), **window)

    def adaptive_mean(self, x: str, sizes: Numbers, wanted: Numbers) -> str:
        down, along = (_means(n, w) for n, w in zip(sizes, wanted, strict=True))
        narrow = self._node("MatMul", x, self.floats(along.T))
        return self._node("MatMul", self.floats(down), narrow)

    def batch_norm(self, x: str, scale: Tensor, shift: Tensor, axis: int, rank: int) -> str:
        if axis == 1:
            zeros, ones = torch.zeros_like(scale), torch.ones_like(scale)
            parts = map(self.floats, (scale, shift, zeros, ones))
            return self._node("BatchNormalization", x, *parts, epsilon=0.0)
        shape = [1] * rank
        shape[axis] = -1
        scaled = self._node("Mul", x, self.floats(scale.reshape(shape)))
        return self._node("Add", scaled, self.floats(shift.reshape(shape)))

    def layer_norm(self, x: str, gamma: str, beta: str, axis: int, rank: int, eps: float) -> str:
        if axis == rank - 1:
            return self._node("LayerNormalization", x, gamma, beta, epsilon=eps)
        order = [a for a in range(rank) if a != axis] + [axis]
        back = [order.index(a) for a in range(rank)]
        last = self.layer_norm(self.transpose(x, order), gamma, beta, rank - 1, rank, eps)
        return self.transpose(last, back)

    def instance_norm(self, x: str, gamma: str, beta: str, rank: int, eps: float) -> str:
        return self._node("InstanceNormalization", x, gamma, beta, epsilon=eps)

    def lrn(self, x: str, alpha: float, beta: float, bias: float, size: int) -> str:
        return self._node("LRN", x, alpha=alpha, beta=beta, bias=bias, size=size)

    def softmax(self, x: str, axis: int) -> str:
        return self._node("Softmax", x, axis=axis)

    def log_softmax(self, x: str, axis: int) -> str:
        return self._node("LogSoftmax", x, axis=axis)

    def attention(self, x: str, heads: int, shape: Numbers) -> str:
        length, batch, features = shape
        apart = self.split(self.reshape(x, (batch, length, heads, features // heads)), 3, 3)
        given = [self.reshape(part, (batch, length, features // 3)) for part in apart]
        return self._node("Attention", *given, q_num_heads=heads, kv_num_heads=heads)

    # Recurrent layers

    def time_turned(self, x: str) -> str:
        return x

    def recurrent(
        self, mode: str, x: str, states: Sequence[str], cells: list[list[Tensor]], sizes: Numbers
    ) -> list[str]:
        kind, attributes = _RECURRENT[mode]
        units = cells[0][1].shape[1]
        weights, recurrent, one, other = (torch.stack(parts) for parts in zip(*cells, strict=True))
        constants = map(self.floats, (weights, recurrent, torch.cat([one, other], 1)))
        if len(cells) == 2:
            attributes = {**attributes, "direction": "bidirectional"}
            if "activations" in attributes:
                attributes["activations"] = attributes["activations"] * 2
        given = (x, *constants, "", *states)
        outputs, *final = self._nodes_of(
            kind, 1 + len(states), *given, hidden_size=units, **attributes
        )
        if len(cells) == 2:
            outputs = self.transpose(outputs, (0, 2, 1, 3))  # (time, batch, directions, units)
        return [self.reshape(outputs, (*sizes, units * len(cells))), *final]


def _means(size: int, wanted: int) -> np.ndarray:
    """The matrix that averages `size` positions to `wanted`."""
    found = np.zeros((wanted, size), np.float32)
    for i in range(wanted):
        start, end = i * size // wanted, -(-(i + 1) * size // wanted)
        found[i, start:end] = 1 / (end - start)
    return found
