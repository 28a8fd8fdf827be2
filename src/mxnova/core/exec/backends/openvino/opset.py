# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""OpenVINO's words."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np
import torch
from openvino import opset13 as ov
from torch import Tensor

from ..conversion.opset import Numbers, Opset, Window, bounds_of

__all__ = ["OpenVINOOpset"]

_POOLING = {"max": "max", "avg": "mean", "sum": "sum"}


_TYPES: dict[torch.dtype, Any] = {
    torch.float32: np.float32, torch.int8: np.int8, torch.uint8: np.uint8, torch.int32: np.int32,
}  # fmt: skip


def _constant_value(value: Any) -> Any:
    """The array that a value is known to be, None otherwise."""
    node = value.get_node()
    return node.data if node.get_type_name() == "Constant" else None


def _is_strided_point(window: Window, shape: Numbers) -> bool:
    return prod(shape[2:]) == 1 and max(window.stride) > 1 and not any(window.pad)


def _integers(values: Numbers | int) -> Any:
    return ov.constant(np.asarray(values, np.int64))


class OpenVINOOpset(Opset):
    """A model of opset 13, whose values are outputs of nodes.

    Attributes:
        parameters: its inputs.
    """

    # Forget, input, cell, output; of a GRU update, reset, new.
    gates: ClassVar[dict[str, tuple[int, ...]]] = {
        "lstm": (1, 0, 2, 3), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,),
    }  # fmt: skip

    def __init__(self) -> None:
        self.parameters: list[Any] = []
        self._has_parts = False  # of arrays: outputs of one node
        self._dequantized: set[Any] = set()
        self._skipped: dict[Any, Any] = {}  # dequantized images without the positions between

    def parameter(self, name: str, shape: Numbers) -> Any:
        self.parameters.append(ov.parameter(list(shape), _TYPES[self.dtype]))
        return self.parameters[-1].output(0)

    def constant(self, values: Tensor) -> Any:
        return ov.constant(values.detach().contiguous().numpy()).output(0)

    def floats(self, values: Any) -> Any:
        if isinstance(values, Tensor):
            values = values.detach().to(torch.float32).contiguous().numpy()
        return ov.constant(np.asarray(values, np.float32)).output(0)

    # Element by element

    def elementwise(self, name: str, *values: Any) -> Any:
        name = "relu" if name == "rectifier" else name  # 0 at NaN here, both
        return getattr(ov, name)(*values).output(0)

    def as_floats(self, condition: Any) -> Any:
        return ov.convert(condition, "f32").output(0)

    def clip(self, x: Any, least: float, most: float) -> Any:
        return ov.minimum(ov.maximum(x, self.floats(least)), self.floats(most)).output(0)

    def leaky_relu(self, x: Any, slope: float) -> Any:
        return ov.prelu(x, self.floats([slope])).output(0)

    def prelu(self, x: Any, slopes: Any, rank: int) -> Any:
        return ov.prelu(x, slopes).output(0)

    def elu(self, x: Any, alpha: float) -> Any:
        return ov.elu(x, alpha).output(0)

    def selu(self, x: Any, alpha: float, scale: float) -> Any:
        return ov.selu(x, self.floats(alpha), self.floats(scale)).output(0)

    def gelu(self, x: Any) -> Any:
        return ov.gelu(x, "ERF").output(0)

    # Integers: FakeQuantize behind which a Convert, and a Multiply behind a Convert, are what
    # OpenVINO's int8 transformations look for

    def quantized(self, x: Any, scale: Any, dtype: torch.dtype) -> Any:
        least, most = torch.iinfo(dtype).min, torch.iinfo(dtype).max
        ends = [self.floats(end) for end in (least, most)]
        reach = [self._times(scale, end) for end in ends]
        shape = list(x.get_shape())
        if len(shape) == 1:  # the only rank that FakeQuantize has no kernel for
            return self.reshape(self.quantized(self.reshape(x, [1, *shape]), scale, dtype), shape)
        return ov.convert(ov.fake_quantize(x, *reach, *ends, 256), _TYPES[dtype]).output(0)

    def dequantized(
        self, x: Any, scale: Any, zero: Tensor | None, axis: int | None, stays: bool
    ) -> Any:
        if axis is not None:
            scale = self._along(scale, axis, len(x.get_shape()))
        if zero is None:  # int32 has no int8 kernels
            return self._times(x, scale)
        found = ov.multiply(ov.convert(x, np.float32), scale).output(0)
        self._dequantized.add(found)
        return found

    def _times(self, x: Any, y: Any) -> Any:
        """The product as floats, a constant where both are."""
        one, other = _constant_value(x), _constant_value(y)
        if one is not None and other is not None:
            return self.floats(one * other)
        return ov.multiply(ov.convert(x, np.float32), y).output(0)

    # Where elements stand

    def reshape(self, x: Any, shape: Numbers) -> Any:
        return ov.reshape(x, _integers(shape), False).output(0)

    def transpose(self, x: Any, order: Numbers) -> Any:
        return ov.transpose(x, _integers(order)).output(0)

    def slice(self, x: Any, ranges: dict[int, range]) -> Any:
        self._has_parts = True
        bounds = bounds_of(ranges.values())
        return ov.slice(x, *map(_integers, (*bounds, list(ranges)))).output(0)

    def split(self, x: Any, axis: int, count: int) -> list[Any]:
        self._has_parts = True
        return list(ov.split(x, _integers(axis), count).outputs())

    def concat(self, values: Sequence[Any], axis: int) -> Any:
        return ov.concat(list(values), axis).output(0)

    def broadcast(self, x: Any, shape: Numbers) -> Any:
        return ov.broadcast(x, _integers(shape)).output(0)

    def tile(self, x: Any, counts: Numbers) -> Any:
        return ov.tile(x, _integers(counts)).output(0)

    def pad(self, x: Any, before: Numbers, behind: Numbers, mode: str, number: float) -> Any:
        margins = _integers(before), _integers(behind)
        return ov.pad(x, *margins, mode, self.floats(number)).output(0)

    def repeat_pixels(self, x: Any, shape: Numbers) -> Any:
        size, axes = _integers(shape[2:]), _integers((2, 3))
        return ov.interpolate(
            x, size, "nearest", "sizes", coordinate_transformation_mode="asymmetric",
            nearest_mode="floor", axes=axes,
        ).output(0)  # fmt: skip

    def rows(self, x: Any, index: Any, axis: int) -> Any:
        return ov.gather(x, ov.convert(index, "i64"), _integers(axis)).output(0)

    def reduce(self, kind: str, x: Any, axes: Numbers, keep: bool = False) -> Any:
        return getattr(ov, f"reduce_{kind}")(x, _integers(axes), keep).output(0)

    # Layers

    def convolution(
        self, x: Any, weight: Any, bias: Any | None, window: Window, groups: int, shape: Numbers
    ) -> Any:
        if x in self._dequantized and _is_strided_point(window, shape):
            x, window = self._without_strides(x, window)
        has_groups = groups > 1 or self._loses_strides(window, shape)
        run = ov.group_convolution if has_groups else ov.convolution
        stride, pad, dilate = map(list, window)
        kernel = self._apart(weight, groups, shape) if has_groups else weight
        return self._biased(run(x, kernel, stride, pad, pad, dilate), bias, len(shape))

    def _without_strides(self, x: Any, window: Window) -> tuple[Any, Window]:
        """Images without the positions that strides skip, and the window without strides.

        OpenVINO moves strides of kernels of one position in front of FakeQuantize, and convolves
        floats then.
        """
        key = x, tuple(window.stride)
        if key not in self._skipped:
            none = [0] * len(window.stride)
            self._skipped[key] = self.max_pool(x, [1] * len(none), window.stride, none, none)
        return self._skipped[key], window._replace(stride=[1] * len(window.stride))

    def _loses_strides(self, window: Window, shape: Numbers) -> bool:
        """Whether OpenVINO may convolve wrongly, unless in one group.

        It moves strides of kernels of one position to where their images are made. It forgets their
        padding then, and takes the first part of an array for any other.
        """
        moves = prod(shape[2:]) == 1 and max(window.stride) > 1
        return moves and (self._has_parts or any(window.pad))

    def deconvolution(
        self,
        x: Any,
        weight: Any,
        bias: Any | None,
        window: Window,
        groups: int,
        shape: Numbers,
        more: Numbers,
    ) -> Any:
        one = groups == 1
        run = ov.convolution_backprop_data if one else ov.group_convolution_backprop_data
        output = run(
            x,
            weight if one else self._apart(weight, groups, shape),
            list(window.stride),
            pads_begin=list(window.pad),
            pads_end=list(window.pad),
            dilations=list(window.dilate),
            auto_pad="EXPLICIT",
            output_padding=list(more),
        )
        return self._biased(output, bias, len(shape))

    def _apart(self, weight: Any, groups: int, shape: Numbers) -> Any:
        """The weights, with an axis for groups."""
        rows, *rest = shape
        return self.reshape(weight, (groups, rows // groups, *rest))

    def _biased(self, output: Any, bias: Any | None, rank: int) -> Any:
        if bias is None:
            return output.output(0)
        return ov.add(output, self._along(bias, 1, rank)).output(0)

    def _along(self, vector: Any, axis: int, rank: int) -> Any:
        """A vector in the shape that stands along an axis."""
        shape = [1] * rank
        shape[axis] = -1
        known = _constant_value(vector)
        return self.reshape(vector, shape) if known is None else self.floats(known.reshape(shape))

    def linear(self, x: Any, weight: Any, bias: Any | None) -> Any:
        product = ov.matmul(x, weight, False, True)
        return (product if bias is None else ov.add(product, bias)).output(0)

    def matmul(
        self, x: Any, y: Any, rank: int, transpose_x: bool = False, transpose_y: bool = False
    ) -> Any:
        return ov.matmul(x, y, transpose_x, transpose_y).output(0)

    def global_pool(self, kind: str, x: Any, rank: int) -> Any:
        return self.reduce(_POOLING[kind], x, range(2, rank), keep=True)

    def max_pool(
        self, x: Any, kernel: Numbers, stride: Numbers, before: Numbers, behind: Numbers
    ) -> Any:
        ones, window = [1] * len(kernel), (list(before), list(behind), list(kernel))
        return ov.max_pool(x, list(stride), ones, *window, "floor").output(0)

    def mean_pool(
        self, x: Any, kernel: Numbers, stride: Numbers, pad: Numbers, with_pad: bool
    ) -> Any:
        window = list(stride), list(pad), list(pad), list(kernel)
        return ov.avg_pool(x, *window, not with_pad, "floor").output(0)

    def adaptive_mean(self, x: Any, sizes: Numbers, wanted: Numbers) -> Any:
        return ov.adaptive_avg_pool(x, _integers(wanted)).output(0)

    def batch_norm(self, x: Any, scale: Tensor, shift: Tensor, axis: int, rank: int) -> Any:
        return self._scaled(x, self.floats(scale), self.floats(shift), axis, rank)

    def layer_norm(self, x: Any, gamma: Any, beta: Any, axis: int, rank: int, eps: float) -> Any:
        plain = ov.mvn(x, _integers([axis]), True, eps, "INSIDE_SQRT")
        return self._scaled(plain, gamma, beta, axis, rank)

    def instance_norm(self, x: Any, gamma: Any, beta: Any, rank: int, eps: float) -> Any:
        plain = ov.mvn(x, _integers(range(2, rank)), True, eps, "INSIDE_SQRT")
        return self._scaled(plain, gamma, beta, 1, rank)

    def _scaled(self, x: Any, scale: Any, shift: Any, axis: int, rank: int) -> Any:
        scaled = ov.multiply(x, self._along(scale, axis, rank))
        return ov.add(scaled, self._along(shift, axis, rank)).output(0)

    def lrn(self, x: Any, alpha: float, beta: float, bias: float, size: int) -> Any:
        return ov.lrn(x, _integers([1]), alpha, beta, bias, size).output(0)

    def softmax(self, x: Any, axis: int) -> Any:
        return ov.softmax(x, axis).output(0)

    def log_softmax(self, x: Any, axis: int) -> Any:
        return ov.log_softmax(x, axis).output(0)

    # Recurrent layers

    def time_turned(self, x: Any) -> Any:
        return self.transpose(x, (1, 0, 2))

    def recurrent(
        self, mode: str, x: Any, states: Sequence[Any], cells: list[list[Tensor]], sizes: Numbers
    ) -> list[Any]:
        time, batch = sizes
        parts = [(weight, recurrent, _bias(mode, *biases)) for weight, recurrent, *biases in cells]
        weights, recurrent, bias = (self.floats(torch.stack(p)) for p in zip(*parts, strict=True))
        units = cells[0][1].shape[1]
        direction = "bidirectional" if len(cells) == 2 else "forward"
        lengths = _integers([time] * batch)
        given = (x, *states, lengths, weights, recurrent, bias, units, direction)
        if mode == "lstm":
            made = ov.lstm_sequence(*given)
        elif mode == "gru":
            made = ov.gru_sequence(*given, linear_before_reset=True)
        else:
            made = ov.rnn_sequence(*given, activations=[mode.removeprefix("rnn_")])
        outputs, *final = made.outputs()
        apart = self.transpose(outputs, (0, 2, 1, 3))  # (batch, time, directions, units)
        return [self.reshape(apart, (batch, time, units * len(cells))), *final]


def _bias(mode: str, one: Tensor, other: Tensor) -> Tensor:
    """The sum of both; of a GRU's new gate, its last, each by itself."""
    total = one + other
    if mode != "gru":
        return total
    return torch.cat([total[: -len(one) // 3], one.chunk(3)[2], other.chunk(3)[2]])
