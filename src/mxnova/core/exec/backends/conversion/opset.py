# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: D102 - names say what the words do; the class says the rest
"""The words in which operators are said to a runtime."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

__all__ = ["Numbers", "Opset", "Statistics", "Window", "bounds_of"]

Numbers = Sequence[int]


class Window(NamedTuple):
    """How a window goes over images."""

    stride: Numbers
    pad: Numbers
    dilate: Numbers


class Statistics(NamedTuple):
    """What BatchNorm normalizes by."""

    gamma: Tensor
    beta: Tensor
    mean: Tensor
    variance: Tensor
    eps: float

    def folded(self) -> tuple[Tensor, Tensor]:
        """Factors and summands that do the same."""
        mean, variance = self.mean.double(), self.variance.double()
        scale = torch.rsqrt(variance + self.eps) * self.gamma
        return scale, self.beta - mean * scale


def bounds_of(ranges: Collection[range]) -> tuple[list[int], list[int], list[int]]:
    """Starts, stops and steps, as runtimes read them: -1 is the last item to them."""
    before_the_first = -(1 << 40)
    stops = [r.stop if r.stop >= 0 else before_the_first for r in ranges]
    return [r.start for r in ranges], stops, [r.step for r in ranges]


class Opset(ABC):
    """A model that is being written: each word adds to it and gives a value, or several.

    Values are whatever the runtime has. Arrays are float32 in models that backends run, of any type
    in files. Comparisons give conditions, which `as_floats` and the first input of ``select`` take.
    Axes are counted from the front.

    Attributes:
        dtype: what `floats`, `as_floats` and `parameter` give: the type in which the operator that
            is being said computes.
        gates: which of MXNet's gates is the first, second, … one of `recurrent`, by mode. MXNet has
            input, forget, cell, output; a GRU reset, update, new.
    """

    gates: ClassVar[dict[str, tuple[int, ...]]]
    dtype: torch.dtype = torch.float32

    @contextmanager
    def computing_in(self, dtype: torch.dtype) -> Iterator[None]:
        """With `dtype` as that in which the operator computes."""
        before, self.dtype = self.dtype, dtype
        try:
            yield
        finally:
            self.dtype = before

    @abstractmethod
    def parameter(self, name: str, shape: Numbers) -> Any:
        """The next input of the model."""

    @abstractmethod
    def floats(self, values: Any) -> Any:
        """A constant: a tensor, a number or numbers."""

    def constant(self, values: Tensor) -> Any:
        """An array that stays, of its own type."""
        return self.floats(values)

    def positions(self, count: int) -> Any:
        """A vector of as many numbers, from 0 on."""
        return self.floats(torch.arange(count))

    def within(self, index: Any, least: int, most: int) -> Any:
        """Indices that are kept between two ends of an axis."""
        return self.clip(index, least, most)

    def size(self, count: int) -> Any:
        """The size of an axis, as a number to compute with."""
        return self.floats(count)

    # Element by element ---------------------------------------------------------------------------

    @abstractmethod
    def elementwise(self, name: str, *values: Any) -> Any:
        """A function, by OpenVINO's name for it; shapes are broadcast as NumPy's are."""

    @abstractmethod
    def as_floats(self, condition: Any) -> Any:
        """1 where it holds, 0 elsewhere."""

    def cast(self, x: Any, dtype: torch.dtype) -> Any:
        """Numbers as those of another type; not needed where all are float32."""
        raise NotImplementedError(f"{type(self).__name__} knows one element type")

    @abstractmethod
    def clip(self, x: Any, least: float, most: float) -> Any: ...

    @abstractmethod
    def leaky_relu(self, x: Any, slope: float) -> Any: ...

    @abstractmethod
    def prelu(self, x: Any, slopes: Any, rank: int) -> Any:
        """`slopes`: one for all, or one for each channel; `rank`: of `x`."""

    @abstractmethod
    def elu(self, x: Any, alpha: float) -> Any: ...

    @abstractmethod
    def selu(self, x: Any, alpha: float, scale: float) -> Any: ...

    @abstractmethod
    def gelu(self, x: Any) -> Any: ...

    def quantized(self, x: Any, scale: Any, dtype: torch.dtype) -> Any:
        """Real numbers as the nearest integers, by a scale; only where there are int8 kernels."""
        raise NotImplementedError(f"{type(self).__name__} has no integers")

    def dequantized(
        self, x: Any, scale: Any, zero: Tensor | None, axis: int | None, stays: bool
    ) -> Any:
        """Integers as real numbers; only where there are int8 kernels.

        Args:
            x: the integers.
            scale: one for all, or one for each position along the axis.
            zero: what 0 is, of the shape of the scale; None for int32, which has no zero point.
            axis: the axis, None with one scale.
            stays: whether the integers do.
        """
        raise NotImplementedError(f"{type(self).__name__} has no integers")

    # Where elements stand -------------------------------------------------------------------------

    @abstractmethod
    def reshape(self, x: Any, shape: Numbers) -> Any: ...

    @abstractmethod
    def transpose(self, x: Any, order: Numbers) -> Any: ...

    @abstractmethod
    def slice(self, x: Any, ranges: dict[int, range]) -> Any:
        """What ranges of some axes select."""

    @abstractmethod
    def split(self, x: Any, axis: int, count: int) -> list[Any]: ...

    @abstractmethod
    def concat(self, values: Sequence[Any], axis: int) -> Any: ...

    @abstractmethod
    def broadcast(self, x: Any, shape: Numbers) -> Any: ...

    @abstractmethod
    def tile(self, x: Any, counts: Numbers) -> Any:
        """`counts`: one for each axis."""

    @abstractmethod
    def pad(self, x: Any, before: Numbers, behind: Numbers, mode: str, number: float) -> Any: ...

    @abstractmethod
    def repeat_pixels(self, x: Any, shape: Numbers) -> Any:
        """Images enlarged to a shape by whole factors."""

    @abstractmethod
    def rows(self, x: Any, index: Any, axis: int) -> Any:
        """Those at indices, whole numbers within the array as floats."""

    @abstractmethod
    def reduce(self, kind: str, x: Any, axes: Numbers, keep: bool = False) -> Any:
        """Its sum, mean, max, min or prod along axes, one at least."""

    # Layers ---------------------------------------------------------------------------------------

    @abstractmethod
    def convolution(
        self, x: Any, weight: Any, bias: Any | None, window: Window, groups: int, shape: Numbers
    ) -> Any:
        """`weight` has the given shape; `bias` may be None."""

    @abstractmethod
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
        """As `convolution`; `more`: what the output has beyond at the end of each axis."""

    @abstractmethod
    def linear(self, x: Any, weight: Any, bias: Any | None) -> Any:
        """The product of a matrix by rows of weights, and a bias, which may be None."""

    @abstractmethod
    def matmul(
        self, x: Any, y: Any, rank: int, transpose_x: bool = False, transpose_y: bool = False
    ) -> Any:
        """Of matrices, or of batches of them; `rank`: of both."""

    @abstractmethod
    def global_pool(self, kind: str, x: Any, rank: int) -> Any:
        """`kind`: max, avg or sum; spatial axes stay, with one position each."""

    @abstractmethod
    def max_pool(
        self, x: Any, kernel: Numbers, stride: Numbers, before: Numbers, behind: Numbers
    ) -> Any: ...

    @abstractmethod
    def mean_pool(
        self, x: Any, kernel: Numbers, stride: Numbers, pad: Numbers, with_pad: bool
    ) -> Any: ...

    @abstractmethod
    def adaptive_mean(self, x: Any, sizes: Numbers, wanted: Numbers) -> Any:
        """Images of some sizes averaged to others."""

    @abstractmethod
    def batch_norm(self, x: Any, scale: Tensor, shift: Tensor, axis: int, rank: int) -> Any:
        """``x * scale + shift`` along an axis."""

    def normalized(
        self, x: Any, vectors: Sequence[Any], statistics: Statistics, axis: int, rank: int
    ) -> Any:
        """BatchNorm of an array by statistics, whose vectors are values of the model, too."""
        return self.batch_norm(x, *statistics.folded(), axis, rank)

    @abstractmethod
    def layer_norm(
        self, x: Any, gamma: Any, beta: Any, axis: int, rank: int, eps: float
    ) -> Any: ...

    @abstractmethod
    def instance_norm(self, x: Any, gamma: Any, beta: Any, rank: int, eps: float) -> Any: ...

    def group_norm(
        self, x: Any, gamma: Any, beta: Any, groups: int, shape: Numbers, eps: float
    ) -> Any:
        """Each group of channels with mean 0 and variance 1, then scaled and shifted.

        Args:
            x: (batch, channels, …).
            gamma: scale, (groups,).
            beta: shift, (groups,).
            groups: number of groups.
            shape: of `x`.
            eps: added to the variance.
        """
        batch, channels, *spatial = shape
        parts = self.reshape(x, (batch, groups, channels // groups * prod(spatial)))
        centered = self.elementwise("subtract", parts, self.reduce("mean", parts, [2], keep=True))
        squares = self.elementwise("multiply", centered, centered)
        variance = self.reduce("mean", squares, [2], keep=True)
        deviation = self.elementwise("sqrt", self.elementwise("add", variance, self.floats(eps)))
        plain = self.elementwise("divide", centered, deviation)
        scale, shift = (self.reshape(vector, (1, groups, 1)) for vector in (gamma, beta))
        found = self.elementwise("add", self.elementwise("multiply", plain, scale), shift)
        return self.reshape(found, shape)

    @abstractmethod
    def lrn(self, x: Any, alpha: float, beta: float, bias: float, size: int) -> Any: ...

    @abstractmethod
    def softmax(self, x: Any, axis: int) -> Any: ...

    @abstractmethod
    def log_softmax(self, x: Any, axis: int) -> Any: ...

    def attention(self, x: Any, heads: int, shape: Numbers) -> Any:
        """Self-attention of projections that are interleaved: each head's query, key and value.

        Args:
            x: (batch, length, heads x 3 x size); the result is (batch, length, heads x size).
            heads: number of heads.
            shape: (length, batch, heads x 3 x size).
        """
        length, batch, features = shape
        size = features // (3 * heads)
        apart = self.reshape(x, (batch, length, heads, 3 * size))
        queries, keys, values = (
            self.transpose(self.slice(apart, {3: range(i, i + size)}), (0, 2, 1, 3))
            for i in range(0, 3 * size, size)
        )
        scaled = self.elementwise("multiply", queries, self.floats(size**-0.5))
        weights = self.softmax(self.matmul(scaled, keys, 4, False, True), 3)
        found = self.transpose(self.matmul(weights, values, 4), (0, 2, 1, 3))
        return self.reshape(found, (batch, length, heads * size))

    # Recurrent layers -----------------------------------------------------------------------------

    @abstractmethod
    def time_turned(self, x: Any) -> Any:
        """From MXNet's order of the first two axes to that of `recurrent`, or back."""

    @abstractmethod
    def recurrent(
        self, mode: str, x: Any, states: Sequence[Any], cells: list[list[Tensor]], sizes: Numbers
    ) -> list[Any]:
        """Outputs and final states of one layer.

        Args:
            mode: lstm, gru, rnn_tanh or rnn_relu.
            x: `time_turned`, as are `states` and what comes back.
            states: initial ones: hidden, for an LSTM also the cell's.
            cells: input weights, recurrent weights and the biases of both, of each direction, in
                the order of `gates`.
            sizes: (time, batch) of `x`.
        """
