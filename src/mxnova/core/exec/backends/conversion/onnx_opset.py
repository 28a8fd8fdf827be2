# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""ONNX's words, in operators of one of its opsets; 13 is what whatever reads ONNX knows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar

import torch
from onnx import helper
from torch import Tensor

from .onnx_tensors import KINDS
from .opset import Numbers, Opset, Window, bounds_of

__all__ = ["ONNXOpset"]

_ELEMENTWISE = {
    "ceiling": "Ceil", "divide": "Div", "greater_equal": "GreaterOrEqual",
    "less_equal": "LessOrEqual", "maximum": "Max", "minimum": "Min", "multiply": "Mul",
    "negative": "Neg", "power": "Pow", "rectifier": "Relu", "select": "Where", "subtract": "Sub",
}  # fmt: skip
_REDUCTIONS = {kind: f"Reduce{kind.capitalize()}" for kind in ("sum", "mean", "max", "min", "prod")}
# The opset from which on there is an operator, or an attribute or input of one.
_SINCE = {
    "LayerNormalization": 17,
    "axes as input": 18,  # of all reductions; of ReduceSum they were one before
    "Gelu": 20,
    "GridSample linear": 20,  # which was called bilinear
    "GroupNormalization": 21,  # with a scale for each channel
    "RoiAlign.coordinate_transformation_mode": 16,  # whose default is another one
    "Split.num_outputs": 18,
}
_RECURRENT: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("LSTM", {}),
    "gru": ("GRU", {"linear_before_reset": 1}),
    "rnn_tanh": ("RNN", {"activations": ["Tanh"]}),
    "rnn_relu": ("RNN", {"activations": ["Relu"]}),
}


class ONNXOpset(Opset):
    """A model whose values are names.

    Attributes:
        nodes: its operators so far.
        version: of the opset that they are of.
    """

    version: int = 13

    # Input, output, forget, cell; of a GRU update, reset, new.
    gates: ClassVar[dict[str, tuple[int, ...]]] = {
        "lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,),
    }  # fmt: skip

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self._count = 0

    def read(self) -> set[str]:
        """Names of values that operators read."""
        return {name for node in self.nodes for name in node.input}

    def _has(self, what: str) -> bool:
        """Whether the opset has something that not all opsets have."""
        return self.version >= _SINCE[what]

    def _name(self, kind: str) -> str:
        """A new one, for an output of an operator or a constant."""
        self._count += 1
        return f"value{self._count}"

    def _nodes_of(self, kind: str, count: int, *inputs: str, **attributes: Any) -> list[str]:
        names = [self._name(kind) for _ in range(count)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        (name,) = self._nodes_of(kind, 1, *inputs, **attributes)
        return name

    def floats(self, values: Any) -> str:
        return self._constant(torch.as_tensor(values).detach().to(self.dtype).contiguous())

    def _integers(self, values: Numbers) -> str:
        return self._constant(torch.tensor(values, dtype=torch.int64))

    def _sizes(self, values: Numbers) -> str:
        """Numbers that are sizes of arrays."""
        return self._integers(values)

    @abstractmethod
    def _constant(self, values: Tensor) -> str:
        """An array that the model has."""

    def _own_constant(self, values: Tensor) -> str:
        """The same, which nothing else reads."""
        return self._constant(values)

    # Element by element

    def elementwise(self, name: str, *values: str) -> str:
        if name == "not_equal":
            return self._node("Not", self._node("Equal", *values))
        return self._node(_ELEMENTWISE.get(name, name.capitalize()), *values)

    def as_floats(self, condition: str) -> str:
        return self.cast(condition, self.dtype)

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
        if self._has("Gelu"):
            return self._node("Gelu", x)
        half = self.elementwise("multiply", x, self.floats(0.5))
        normal = self.elementwise("erf", self.elementwise("multiply", x, self.floats(sqrt(0.5))))
        return self.elementwise("multiply", half, self.elementwise("add", normal, self.floats(1.0)))

    def cast(self, x: str, dtype: torch.dtype) -> str:
        return self._node("Cast", x, to=KINDS[dtype])

    # Where elements stand

    def reshape(self, x: str, shape: Numbers) -> str:
        return self._node("Reshape", x, self._sizes(shape))

    def transpose(self, x: str, order: Numbers) -> str:
        return self._node("Transpose", x, perm=list(order))

    def slice(self, x: str, ranges: dict[int, range]) -> str:
        starts, stops, steps = bounds_of(ranges.values())
        return self._node("Slice", x, *map(self._integers, (starts, stops, list(ranges), steps)))

    def split(self, x: str, axis: int, count: int) -> list[str]:
        facts = {"num_outputs": count} if self._has("Split.num_outputs") else {}
        return self._nodes_of("Split", count, x, axis=axis, **facts)

    def concat(self, values: Sequence[str], axis: int) -> str:
        return self._node("Concat", *values, axis=axis)

    def broadcast(self, x: str, shape: Numbers) -> str:
        return self._node("Expand", x, self._sizes(shape))

    def tile(self, x: str, counts: Numbers) -> str:
        return self._node("Tile", x, self._integers(counts))

    def pad(self, x: str, before: Numbers, behind: Numbers, mode: str, number: float) -> str:
        margins = self._integers([*before, *behind])
        return self._node("Pad", x, margins, self.floats(number), mode=mode)

    def repeat_pixels(self, x: str, shape: Numbers) -> str:
        facts = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self._resize(x, shape, mode="nearest", **facts)

    def _resize(self, x: str, shape: Numbers, **facts: str) -> str:
        return self._node("Resize", x, "", "", self._sizes(shape), **facts)

    def rows(self, x: str, index: str, axis: int) -> str:
        return self._node("Gather", x, self.cast(index, torch.int64), axis=axis)

    def reduce(self, kind: str, x: str, axes: Numbers, keep: bool = False) -> str:
        if kind == "sum" or self._has("axes as input"):
            return self._node(_REDUCTIONS[kind], x, self._integers(axes), keepdims=int(keep))
        return self._node(_REDUCTIONS[kind], x, axes=list(axes), keepdims=int(keep))

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
        # LayerNormalization computes mean and variance in float32.
        if not self._has("LayerNormalization") or self.dtype is torch.float64:
            return self._layer_norm_in_parts(x, gamma, beta, axis, rank, eps)
        if axis == rank - 1:
            return self._node("LayerNormalization", x, gamma, beta, epsilon=eps)
        order = [a for a in range(rank) if a != axis] + [axis]
        back = [order.index(a) for a in range(rank)]
        last = self.layer_norm(self.transpose(x, order), gamma, beta, rank - 1, rank, eps)
        return self.transpose(last, back)

    def _layer_norm_in_parts(
        self, x: str, gamma: str, beta: str, axis: int, rank: int, eps: float
    ) -> str:
        centered = self._node("Sub", x, self.reduce("mean", x, [axis], keep=True))
        variance = self.reduce("mean", self._node("Mul", centered, centered), [axis], keep=True)
        deviation = self._node("Sqrt", self._node("Add", variance, self.floats(eps)))
        shape = [1] * rank
        shape[axis] = -1
        scaled = self._node(
            "Mul", self._node("Div", centered, deviation), self.reshape(gamma, shape)
        )
        return self._node("Add", scaled, self.reshape(beta, shape))

    def instance_norm(self, x: str, gamma: str, beta: str, rank: int, eps: float) -> str:
        return self._node("InstanceNormalization", x, gamma, beta, epsilon=eps)

    def group_norm(
        self, x: str, gamma: str, beta: str, groups: int, shape: Numbers, eps: float
    ) -> str:
        if not self._has("GroupNormalization") or self.dtype is torch.float64:
            return str(super().group_norm(x, gamma, beta, groups, shape, eps))
        each = (groups, shape[1] // groups)
        vectors = [
            self.reshape(self.broadcast(self.reshape(v, (groups, 1)), each), (shape[1],))
            for v in (gamma, beta)
        ]
        return self._node("GroupNormalization", x, *vectors, num_groups=groups, epsilon=eps)

    def lrn(self, x: str, alpha: float, beta: float, bias: float, size: int) -> str:
        return self._node("LRN", x, alpha=alpha, beta=beta, bias=bias, size=size)

    def softmax(self, x: str, axis: int) -> str:
        return self._node("Softmax", x, axis=axis)

    def log_softmax(self, x: str, axis: int) -> str:
        return self._node("LogSoftmax", x, axis=axis)

    # Words that other runtimes need not have

    def truncated_remainder(self, x: str, y: str) -> str:
        """Of a division whose result is rounded toward zero."""
        return self._node("Mod", x, y, fmod=1)

    def extreme_index(self, x: str, axis: int, is_largest: bool) -> str:
        """Where the first largest item along an axis is, or the first smallest, as int64."""
        return self._node("ArgMax" if is_largest else "ArgMin", x, axis=axis, keepdims=0)

    def top(self, x: str, count: int, axis: int, is_largest: bool) -> list[str]:
        """The largest or smallest items along an axis in order, and their indices, as int64."""
        return self._nodes_of(
            "TopK", 2, x, self._sizes([count]), axis=axis, largest=int(is_largest)
        )

    def items(self, x: str, index: str) -> str:
        """Those at indices along the first axes, which lie along the last axis of `index`."""
        return self._node("GatherND", x, self.cast(index, torch.int64))

    def steps_reversed(self, x: str, lengths: str) -> str:
        """Sequences along the first axis, turned round; the second is the batch."""
        count = self.cast(lengths, torch.int64)
        return self._node("ReverseSequence", x, count, time_axis=0, batch_axis=1)

    def running_sum(self, x: str, axis: int) -> str:
        """Sums of the items up to each along an axis."""
        place = self._constant(torch.tensor(axis))
        if self.dtype is not torch.float16:  # which CumSum does not have
            return self._node("CumSum", x, place)
        return self.cast(self._node("CumSum", self.cast(x, torch.float32), place), self.dtype)

    def batch_rows(self, x: str, index: str) -> str:
        """Those at indices (batch, n) along the second axis, of each item of the batch its own."""
        apart = self._node("Unsqueeze", index, self._integers([2]))
        return self._node("GatherND", x, apart, batch_dims=1)

    def resized(self, x: str, shape: Numbers, align_corners: bool) -> str:
        """Images interpolated linearly, whose corner pixels or whose outer edges stay."""
        where = "align_corners" if align_corners else "half_pixel"
        return self._resize(x, shape, mode="linear", coordinate_transformation_mode=where)

    def region_maxima(self, x: str, regions: str, rows: int, columns: int, scale: float) -> str:
        """Maxima of parts of regions, which are rows of an image's number and four corners."""
        return self._node(
            "MaxRoiPool", x, regions, pooled_shape=[rows, columns], spatial_scale=scale
        )

    def region_means(
        self,
        x: str,
        boxes: str,
        image: str,
        rows: int,
        columns: int,
        scale: float,
        samples: int,
        is_aligned: bool,
    ) -> str:
        """Means of samples in parts of boxes.

        Args:
            x: images.
            boxes: corners (boxes, 4).
            image: of which a box is.
            rows: number of parts along the height.
            columns: number of parts along the width.
            scale: pixels by one unit of the corners.
            samples: in a part, along an axis; 0: as many as there are pixels.
            is_aligned: whether corners are half a pixel further, which opsets from 16 on know.
        """
        number = self.cast(image, torch.int64)
        facts: dict[str, Any] = {"output_height": rows, "output_width": columns}
        if self._has("RoiAlign.coordinate_transformation_mode"):
            where = "half_pixel" if is_aligned else "output_half_pixel"
            facts["coordinate_transformation_mode"] = where
        return self._node(
            "RoiAlign", x, boxes, number, sampling_ratio=samples, spatial_scale=scale, **facts
        )

    def sampled(self, x: str, places: str) -> str:
        """Images at places (batch, rows, columns, 2), -1 to 1 from first to last pixel."""
        mode = "linear" if self._has("GridSample linear") else "bilinear"
        return self._node("GridSample", x, places, mode=mode, align_corners=1)

    def not_suppressed(self, boxes: str, scores: str, overlap: float, least: float) -> str:
        """1 for boxes that no better one overlaps too much, as (batch, boxes); 0 for others.

        Args:
            boxes: corners (batch, boxes, 4).
            scores: (batch, boxes).
            overlap: intersection over union that is too much.
            least: boxes with scores up to this are 0.
        """
        apart = self._node("Unsqueeze", scores, self._integers([1]))
        most = self._integers([1 << 31])
        limits = most, self.floats([overlap]), self.floats([least])
        chosen = self._node("NonMaxSuppression", boxes, apart, *limits)
        places = self._node("Gather", chosen, self._integers([0, 2]), axis=1)
        first = self._node("Gather", chosen, self._constant(torch.tensor(0)), axis=1)
        ones = self.as_floats(self._node("Equal", first, first))
        zeros = self.as_floats(self._node("Less", scores, scores))
        return self._node("ScatterND", zeros, places, ones)

    def shape_of(self, x: str) -> str:
        """The sizes of an array, as int64."""
        return self._node("Shape", x)

    def count_of(self, x: str) -> str:
        """The number of its items, as int64."""
        return self._node("Size", x)

    def constant(self, values: Tensor) -> str:
        return self._constant(values.detach().contiguous())

    def random(self, kind: str, shape: Numbers, dtype: torch.dtype, **facts: float) -> str:
        """Numbers of a distribution, drawn in each run: in float32 where runtimes lack the type."""
        drawn = dtype if dtype is torch.float64 else torch.float32
        found = self._node(kind, shape=list(shape), dtype=KINDS[drawn], **facts)
        return found if drawn is dtype else self.cast(found, dtype)

    def draws(self, chances: str, count: int) -> str:
        """Numbers of classes, drawn by logarithms of their chances (batch, classes)."""
        return self._node("Multinomial", chances, sample_size=count, dtype=KINDS[torch.int32])

    # Integers

    def quantized(self, x: str, scale: str, dtype: torch.dtype) -> str:
        zero = self._constant(torch.zeros((), dtype=dtype))
        return self._node("QuantizeLinear", x, scale, zero)

    def dequantized(
        self, x: str, scale: str, zero: Tensor | None, axis: int | None, stays: bool
    ) -> str:
        facts = {} if axis is None else {"axis": axis}
        if zero is None:
            return self._node("DequantizeLinear", x, scale, **facts)
        # ONNX Runtime changes zero points of weights (session.x64quantprecision), each once.
        point = self._own_constant(zero) if stays else self._constant(zero)
        return self._node("DequantizeLinear", x, scale, point, **facts)

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


def _means(size: int, wanted: int) -> Tensor:
    """The matrix that averages `size` positions to `wanted`."""
    found = torch.zeros(wanted, size)
    for i in range(wanted):
        start, end = i * size // wanted, -(-(i + 1) * size // wanted)
        found[i, start:end] = 1 / (end - start)
    return found
