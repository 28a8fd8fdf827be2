# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - Opset documents the methods
"""PyTorch's words, on tensors."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from ..conversion.opset import Numbers, Opset, Window

__all__ = ["TorchOpset"]


def _of_tensors(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, which takes no numbers, for tensors and numbers."""
    return lambda *values: function(*(torch.as_tensor(v, dtype=torch.float32) for v in values))


# Of tensors and numbers; words that are missing here are torch's.
_ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "power": operator.pow, "negative": torch.neg,
    "equal": operator.eq, "not_equal": operator.ne, "greater": operator.gt,
    "greater_equal": operator.ge, "less": operator.lt, "less_equal": operator.le,
    "rectifier": torch.relu,
    "maximum": _of_tensors(torch.maximum), "minimum": _of_tensors(torch.minimum),
    "select": torch.where, "ceiling": torch.ceil, "softsign": F.softsign, "softplus": F.softplus,
}  # fmt: skip
_REDUCTIONS: dict[str, Any] = {
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.amax,
    "min": torch.amin,
}
_CONVOLUTIONS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_DECONVOLUTIONS = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
_MAX_POOLS = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_MEAN_POOLS: dict[int, Any] = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
_RECURRENT: dict[str, Any] = {
    "lstm": torch.lstm, "gru": torch.gru, "rnn_tanh": torch.rnn_tanh, "rnn_relu": torch.rnn_relu,
}  # fmt: skip
_PADDINGS = {"edge": "replicate", "reflect": "reflect"}


class TorchOpset(Opset):
    """Values as they are computed, of the given inputs; plain calls, for tracing.

    Args:
        inputs: what the model's inputs are.
    """

    gates: ClassVar[dict[str, tuple[int, ...]]] = {
        "lstm": (0, 1, 2, 3), "gru": (0, 1, 2), "rnn_tanh": (0,), "rnn_relu": (0,),
    }  # fmt: skip

    def __init__(self, inputs: Iterable[Tensor]) -> None:
        self._inputs = iter(inputs)
        self._sums: list[Any] = []  # Outputs of layers, whose rectifiers oneDNN fuses.
        self._rectified: list[Tensor] = []

    def parameter(self, name: str, shape: Numbers) -> Tensor:
        return next(self._inputs)

    def floats(self, values: Any) -> Any:
        if isinstance(values, Tensor):
            return values.detach().to(torch.float32).contiguous()
        return float(values) if isinstance(values, (int, float)) else torch.tensor(values)

    # Element by element

    def elementwise(self, name: str, *values: Any) -> Any:
        result = (_ELEMENTWISE.get(name) or getattr(torch, name))(*values)
        is_of_layer = any(map(self._is_of_layer, values))
        if name == "add" and is_of_layer:
            self._sums.append(result)
        if name == "rectifier":
            # oneDNN's rectifier is 0 at NaN. ATen runs those that no layer fuses.
            result = result if is_of_layer else result.nan_to_num(0.0, math.inf)
            self._rectified.append(result)
        return result

    def _is_of_layer(self, x: Any) -> bool:
        """Return True if oneDNN computes `x`, a product or a sum, and its rectifier with it."""
        return any(x is value for value in self._sums)

    def as_floats(self, condition: Tensor) -> Tensor:
        return condition.to(torch.float32)

    def clip(self, x: Tensor, least: float, most: float) -> Tensor:
        return torch.clamp(x, least, most)

    def leaky_relu(self, x: Tensor, slope: float) -> Tensor:
        return F.leaky_relu(x, slope)

    def prelu(self, x: Tensor, slopes: Tensor, rank: int) -> Tensor:
        return F.prelu(x, slopes)

    def elu(self, x: Tensor, alpha: float) -> Tensor:
        return F.elu(x, alpha)

    def selu(self, x: Tensor, alpha: float, scale: float) -> Tensor:
        return F.selu(x)  # of these very numbers

    def gelu(self, x: Tensor) -> Tensor:
        return F.gelu(x)

    # Where elements stand

    def reshape(self, x: Tensor, shape: Numbers) -> Tensor:
        return x.reshape(tuple(shape))

    def transpose(self, x: Tensor, order: Numbers) -> Tensor:
        return x.permute(tuple(order))

    def slice(self, x: Tensor, ranges: dict[int, range]) -> Tensor:
        for axis, chosen in ranges.items():
            if chosen.step > 0:
                x = x[(slice(None),) * axis + (slice(chosen.start, chosen.stop, chosen.step),)]
            else:
                x = x.index_select(axis, torch.tensor(list(chosen)))
        return x

    def split(self, x: Tensor, axis: int, count: int) -> list[Tensor]:
        return list(x.chunk(count, axis))

    def concat(self, values: Sequence[Tensor], axis: int) -> Tensor:
        return torch.cat(list(values), axis)

    def broadcast(self, x: Any, shape: Numbers) -> Tensor:
        return torch.as_tensor(x, dtype=torch.float32).expand(tuple(shape))

    def tile(self, x: Tensor, counts: Numbers) -> Tensor:
        return x.repeat(tuple(counts))

    def pad(self, x: Tensor, before: Numbers, behind: Numbers, mode: str, number: float) -> Tensor:
        pairs = zip(reversed(before), reversed(behind), strict=True)
        margins = [n for pair in pairs for n in pair]
        if mode == "constant":
            return F.pad(x, margins, value=number)
        return F.pad(x, margins[: 2 * (x.dim() - 2)], _PADDINGS[mode])  # of spatial axes only

    def repeat_pixels(self, x: Tensor, shape: Numbers) -> Tensor:
        return F.interpolate(x, tuple(shape[2:]))

    def rows(self, x: Tensor, index: Tensor, axis: int) -> Tensor:
        chosen = x.index_select(axis, index.reshape(-1).to(torch.int64))
        return chosen.reshape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))

    def reduce(self, kind: str, x: Tensor, axes: Numbers, keep: bool = False) -> Any:
        if kind == "prod":
            for axis in sorted(axes, reverse=True):
                x = x.prod(axis, keepdim=keep)
            return x
        return _REDUCTIONS[kind](x, tuple(axes), keepdim=keep)

    # Layers

    def convolution(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        window: Window,
        groups: int,
        shape: Numbers,
    ) -> Tensor:
        stride, pad, dilate = map(tuple, window)
        run = _CONVOLUTIONS[len(stride)]
        result: Tensor = run(x, weight, bias, stride, pad, dilate, groups)
        self._sums.append(result)
        return result

    def deconvolution(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        window: Window,
        groups: int,
        shape: Numbers,
        more: Numbers,
    ) -> Tensor:
        stride, pad, dilate = map(tuple, window)
        run = _DECONVOLUTIONS[len(stride)]
        return run(x, weight, bias, stride, pad, tuple(more), groups, dilate)

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        result = F.linear(x, weight, bias)
        self._sums.append(result)
        return result

    def matmul(
        self, x: Tensor, y: Tensor, rank: int, transpose_x: bool = False, transpose_y: bool = False
    ) -> Tensor:
        x = x.transpose(-1, -2) if transpose_x else x
        y = y.transpose(-1, -2) if transpose_y else y
        return torch.matmul(x, y)

    def _without_nan(self, x: Tensor) -> Tensor:
        """Return `x` with the lowest number where it is NaN or -infinity."""
        if not x.is_floating_point() or any(x is r for r in self._rectified):
            return x
        lowest = torch.finfo(x.dtype).min
        return x.nan_to_num(lowest, math.inf, lowest)

    def global_pool(self, kind: str, x: Tensor, rank: int) -> Any:
        if kind == "max":
            x = self._without_nan(x)
        return self.reduce({"avg": "mean"}.get(kind, kind), x, range(2, rank), keep=True)

    def max_pool(
        self, x: Tensor, kernel: Numbers, stride: Numbers, before: Numbers, behind: Numbers
    ) -> Tensor:
        full = tuple(before) != tuple(behind)  # the last windows reach beyond
        x = self._without_nan(x)
        window = tuple(kernel), tuple(stride), tuple(before)
        return _MAX_POOLS[len(kernel)](x, *window, ceil_mode=full)

    def mean_pool(
        self, x: Tensor, kernel: Numbers, stride: Numbers, pad: Numbers, with_pad: bool
    ) -> Any:
        window = tuple(kernel), tuple(stride), tuple(pad)
        return _MEAN_POOLS[len(kernel)](x, *window, count_include_pad=with_pad)

    def adaptive_mean(self, x: Tensor, sizes: Numbers, wanted: Numbers) -> Tensor:
        return F.adaptive_avg_pool2d(x, (wanted[0], wanted[1]))

    def batch_norm(self, x: Tensor, scale: Tensor, shift: Tensor, axis: int, rank: int) -> Any:
        if axis == 1:
            gamma, beta = self.floats(scale), self.floats(shift)
            plain = torch.zeros_like(gamma), torch.ones_like(gamma)
            # 1 + eps is 1 in float32; torch 2.11 refuses 0.
            result = F.batch_norm(x, *plain, gamma, beta, eps=1e-12)
            if self._is_of_layer(x):
                self._sums.append(result)
            return result
        shape = [1] * rank
        shape[axis] = -1
        return x * self.floats(scale).reshape(shape) + self.floats(shift).reshape(shape)

    def layer_norm(
        self, x: Tensor, gamma: Tensor, beta: Tensor, axis: int, rank: int, eps: float
    ) -> Tensor:
        last = x.movedim(axis, -1) if axis < rank - 1 else x
        found = F.layer_norm(last, gamma.shape, gamma, beta, eps)
        return found.movedim(-1, axis) if axis < rank - 1 else found

    def instance_norm(
        self, x: Tensor, gamma: Tensor, beta: Tensor, rank: int, eps: float
    ) -> Tensor:
        return F.instance_norm(x, weight=gamma, bias=beta, eps=eps)

    def lrn(self, x: Tensor, alpha: float, beta: float, bias: float, size: int) -> Tensor:
        return F.local_response_norm(x, size, alpha, beta, bias)

    def softmax(self, x: Tensor, axis: int) -> Tensor:
        return torch.softmax(x, axis)

    def log_softmax(self, x: Tensor, axis: int) -> Tensor:
        return torch.log_softmax(x, axis)

    def attention(self, x: Tensor, heads: int, shape: Numbers) -> Tensor:
        length, batch, _ = shape
        parts = x.reshape(batch, length, heads, 3, -1).permute(3, 0, 2, 1, 4)
        queries, keys, values = parts.unbind(0)
        found = F.scaled_dot_product_attention(queries, keys, values)
        return found.permute(0, 2, 1, 3).reshape(batch, length, -1)

    # Recurrent layers

    def time_turned(self, x: Tensor) -> Tensor:
        return x

    def recurrent(
        self,
        mode: str,
        x: Tensor,
        states: Sequence[Tensor],
        cells: list[list[Tensor]],
        sizes: Numbers,
    ) -> list[Tensor]:
        weights = [self.floats(part) for cell in cells for part in cell]
        initial = tuple(states) if mode == "lstm" else states[0]
        given = (x, initial, weights, True, 1, 0.0, False, len(cells) == 2, False)
        return list(_RECURRENT[mode](*given))
