# SPDX-License-Identifier: Apache-2.0
"""Layers of networks on 8-bit integers.

Where numbers are multiplied, sums are integers of 32 bits: their range is what 2**31 - 1 stands for
when 1 stands for the product of the inputs' steps.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any, Literal

import torch
from torch import Tensor

from ...base.params import Double, PosInt, Shape, ULong
from ..constants import divided
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..nn.convolution import Convolution, CudnnTune
from ..nn.fully_connected import FullyConnected
from ..nn.pooling import Pooling
from ..nn.window import PosUInt
from ..schema import Op
from .products import convolution, linear
from .ranges import (
    EIGHT_BITS,
    LEVELS,
    WIDE_LEVELS,
    calibrated_range,
    check_type,
    magnitude,
    quantized,
    ranges,
    step,
)


class Layer(Op):
    """An operator that returns quantized integers and their range.

    Attributes:
        keeps_range: whether the range is that of its input.
    """

    differentiable = False
    keeps_range = False

    def outputs(self) -> tuple[str, ...]:
        return ("output", "min_output", "max_output")

    def plain_attrs(self) -> dict[str, object]:
        """The parameters, for the operator on floats that has the same ones."""
        return {f.name: self.attr(f.name) for f in self.type.fields}

    def infer_ranges(self, s: Shapes) -> None:
        """States that ends of ranges are one number each."""
        ranges(s, *(n for n in (*s.inputs, *s.outputs) if n.startswith(("min_", "max_"))))

    def infer_as(self, plain: Op, s: Shapes) -> None:
        """States what the operator on floats does, of the arrays that both have."""
        names = (*plain.inputs(), *plain.outputs())
        facts = [s.known(name) if name in s else None for name in names]
        inner = Shapes(self.name, plain.inputs(), plain.outputs(), facts)
        try:
            plain.infer_shape(inner)
        finally:
            for name in names:
                if name in s:
                    s[name] = inner.known(name)


class _Product(Layer):
    """A linear layer: data of 8 bits, int8 weight and bias, 32-bit result."""

    no_bias: bool

    @property
    def plain(self) -> Op:
        """The operator on floats."""
        raise NotImplementedError

    def inputs(self) -> tuple[str, ...]:
        names = ["data", "weight", "min_data", "max_data", "min_weight", "max_weight"]
        if not self.no_bias:
            names[2:2] = ["bias"]
            names += ["min_bias", "max_bias"]
        return tuple(names)

    def infer_shape(self, s: Shapes) -> None:
        self.infer_ranges(s)
        self.infer_as(self.plain, s)

    def infer_dtype(self, t: DTypes) -> None:
        for name in t.inputs[1:]:
            t[name] = torch.int8 if name in ("weight", "bias") else torch.float32
        t.output = torch.int32
        t.min_output = t.max_output = torch.float32
        check_type(self.name, t, "data", *EIGHT_BITS)

    def forward(
        self,
        data: Tensor,
        weight: Tensor,
        bias: Tensor,
        min_data: Tensor,
        max_data: Tensor,
        min_weight: Tensor,
        max_weight: Tensor | None = None,
        min_bias: Tensor | None = None,
        max_bias: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        given = (data, weight, bias, min_data, max_data, min_weight, max_weight, min_bias, max_bias)
        arrays: dict[str, Any] = dict(zip(self.inputs(), given, strict=False))  # fewer without bias
        total = self._product(data, weight)
        if not self.no_bias:
            total = total + self._spread(self.bias_in_steps(**arrays).to(torch.int32), total.dim())
        one = step(self.data_levels(data.dtype), arrays["min_data"], arrays["max_data"])
        one = one * step(LEVELS[torch.int8], arrays["min_weight"], arrays["max_weight"])
        limit = LEVELS[torch.int32]
        return total, one * -limit, one * limit

    def _product(self, data: Tensor, weight: Tensor) -> Tensor:
        """int32 sums of the products."""
        raise NotImplementedError

    def _spread(self, bias: Tensor, n_axes: int) -> Tensor:
        """The bias in a shape that is added to the sums."""
        return bias

    def data_levels(self, dtype: torch.dtype) -> float:
        """How many steps data of a type have up to the end of their range."""
        return LEVELS[dtype]

    def bias_in_steps(self, **arrays: Tensor) -> Tensor:
        """The bias in steps of the result.

        Args:
            arrays: the inputs by name.
        """
        return arrays["bias"]


@operator("_contrib_quantized_fully_connected")
class QuantizedFullyConnected(_Product):
    """Fully connected layer on 8-bit integers; returns int32 and the range.

    Args:
        data: int8 or uint8, (batch, …).
        weight: int8, (num_hidden, features).
        bias: int8, (num_hidden,), absent with `no_bias`.
        min_data: least number of the data's range, (1,).
        max_data: greatest number of the data's range, (1,).
        min_weight: least number of the weight's range, (1,).
        max_weight: greatest number of the weight's range, (1,).
        min_bias: least number of the bias's range, (1,), absent with `no_bias`.
        max_bias: greatest number of the bias's range, (1,), absent with `no_bias`.
        num_hidden: number of output features.
        no_bias: leave the bias out.
        flatten: map everything but the first axis instead of only the last axis.
    """

    num_hidden: PosInt
    no_bias: bool = False
    flatten: bool = True

    @functools.cached_property
    def plain(self) -> Op:
        return FullyConnected(**self.plain_attrs())

    def _product(self, data: Tensor, weight: Tensor) -> Tensor:
        return linear(data.flatten(1) if self.flatten else data, weight)

    def bias_in_steps(self, **arrays: Tensor) -> Tensor:
        """In steps of ranges that reach to the far end of the last level, truncated."""
        levels = WIDE_LEVELS[torch.int8]
        # In this order, since truncation shows the last bit.
        scale = WIDE_LEVELS[arrays["data"].dtype] / magnitude(
            arrays["min_data"], arrays["max_data"]
        )
        scale = scale * (levels / magnitude(arrays["min_weight"], arrays["max_weight"]))
        scale = scale / (levels / magnitude(arrays["min_bias"], arrays["max_bias"]))
        return (arrays["bias"] * scale).trunc()


@operator("_contrib_quantized_conv")
class QuantizedConv(_Product):
    """Convolution on 8-bit integers; returns int32 and the range.

    To uint8 data the bias is added as it is, in steps of the result, and the range is that of int8
    data: both as MXNet's kernels for CPUs have it, which take no int8 data.

    Args:
        data: int8 or uint8, (batch, channels, …).
        weight: int8, (num_filter, channels, …).
        bias: int8, (num_filter,), absent with `no_bias`.
        min_data: least number of the data's range, (1,).
        max_data: greatest number of the data's range, (1,).
        min_weight: least number of the weight's range, (1,).
        max_weight: greatest number of the weight's range, (1,).
        min_bias: least number of the bias's range, (1,), absent with `no_bias`.
        max_bias: greatest number of the bias's range, (1,), absent with `no_bias`.
        kernel: size of the window along each spatial axis.
        stride: step of the window, 1 by default.
        dilate: distance of the window's items, 1 by default.
        pad: zeros put before and after each axis, 0 by default.
        num_filter: number of output channels.
        num_group: 1.
        workspace: without effect.
        no_bias: leave the bias out.
        cudnn_tune: without effect.
        cudnn_off: without effect.
        layout: NCHW or NCDHW; channels second by default.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: PosUInt
    num_group: PosUInt = 1
    workspace: ULong = 1024
    no_bias: bool = False
    cudnn_tune: CudnnTune = None
    cudnn_off: bool = False
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None

    @functools.cached_property
    def plain(self) -> Op:
        return Convolution(**self.plain_attrs())

    def infer_shape(self, s: Shapes) -> None:
        if self.num_group != 1:
            raise s.fail(f"num_group={self.num_group}: must be 1")
        if len(self.kernel) == 1 or self.layout not in (None, "NCHW", "NCDHW"):
            raise s.fail(f"kernel={self.kernel}, layout={self.layout}: must be NCHW or NCDHW")
        super().infer_shape(s)

    def _product(self, data: Tensor, weight: Tensor) -> Tensor:
        n = len(self.kernel)
        one, none = (1,) * n, (0,) * n
        return convolution(data, weight, self.stride or one, self.pad or none, self.dilate or one)

    def _spread(self, bias: Tensor, n_axes: int) -> Tensor:
        return bias.reshape(-1, *[1] * (n_axes - 2))

    def data_levels(self, dtype: torch.dtype) -> float:
        """Those of int8."""
        return LEVELS[torch.int8]

    def bias_in_steps(self, **arrays: Tensor) -> Tensor:
        """As it is for uint8 data."""
        if arrays["data"].dtype is torch.uint8:
            return arrays["bias"]
        levels = LEVELS[torch.int8]
        one = step(levels, arrays["min_data"], arrays["max_data"])
        one = one * step(levels, arrays["min_weight"], arrays["max_weight"])
        return (
            arrays["bias"] * (step(levels, arrays["min_bias"], arrays["max_bias"]) / one)
        ).round()


@operator("_contrib_quantized_pooling")
class QuantizedPooling(Layer):
    """Pooling on 8-bit integers; their range stays. Means are rounded, halves to the even integer.

    Args:
        data: int8 or uint8, (batch, channels, …).
        min_data: least number of the range, (1,).
        max_data: greatest number of the range, (1,).
        kernel: size of the window along each spatial axis; not needed with `global_pool`.
        pool_type: ``avg`` or ``max``.
        global_pool: one window over all.
        cudnn_off: without effect.
        pooling_convention: what is done with the rest that the stride leaves at the end: valid
            drops it, full pools it.
        stride: step of the window, 1 by default.
        pad: margin before and after each axis, 0 by default.
        p_value: without effect.
        count_include_pad: whether the mean counts the margin, as it does by default.
        layout: NCHW or NCDHW; channels second by default.
    """

    kernel: Shape = ()
    pool_type: Literal["avg", "lp", "max", "sum"] = "max"
    global_pool: bool = False
    cudnn_off: bool = False
    pooling_convention: Literal["full", "same", "valid"] = "valid"
    stride: Shape = ()
    pad: Shape = ()
    p_value: int | None = None
    count_include_pad: bool | None = None
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC", "NWC"] | None = None

    keeps_range = True

    @property
    def divisor(self) -> int:
        """By what `plain` is divided: means count what a window covers beyond the end, too."""
        counts_all = (
            self.pool_type == "avg"
            and self.pooling_convention == "full"
            and self.count_include_pad is not False
            and not self.global_pool
        )
        return prod(self.kernel) if counts_all else 1

    @functools.cached_property
    def plain(self) -> Op:
        """The operator on floats; a sum where there is a divisor."""
        attrs = self.plain_attrs()
        return Pooling(**{**attrs, "pool_type": "sum"} if self.divisor != 1 else attrs)

    def infer_shape(self, s: Shapes) -> None:
        if self.pool_type not in ("avg", "max"):
            raise s.fail(f"pool_type={self.pool_type}: must be avg or max")
        if self.layout not in (None, "NCHW", "NCDHW"):
            raise s.fail(f"layout={self.layout}: must be NCHW or NCDHW")
        self.infer_ranges(s)
        s.rank("data", 4, 5)
        self.infer_as(self.plain, s)

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs[1:]):
            t[name] = torch.float32
        t.same("data", "output")
        check_type(self.name, t, "data", *EIGHT_BITS)

    def forward(
        self, data: Tensor, min_data: Tensor, max_data: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        pooled = self.plain.forward(data.float())
        if self.divisor != 1:
            pooled = divided(pooled, self.divisor)
        return quantized(pooled, data.dtype), min_data, max_data


@operator("_contrib_quantized_batch_norm")
class QuantizedBatchNorm(Layer):
    """BatchNorm with moving statistics on 8-bit integers; returns int8 in the calibrated range.

    Args:
        data: int8 or uint8, channels along `axis`.
        gamma: scale (channels,).
        beta: shift (channels,).
        moving_mean: mean (channels,), an auxiliary state.
        moving_var: variance (channels,), an auxiliary state.
        min_data: least number of the range, (1,).
        max_data: greatest number of the range, (1,).
        eps: added to the variance.
        momentum: without effect.
        fix_gamma: without effect: gamma counts.
        use_global_stats: without effect.
        output_mean_var: without effect.
        axis: axis of the channels.
        cudnn_off: without effect.
        min_calib_range: least number of the result's range.
        max_calib_range: greatest number of the result's range.
    """

    eps: Double = 0.0010000000474974513
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None
    aux = ("moving_mean", "moving_var")

    def infer_shape(self, s: Shapes) -> None:
        if self.min_calib_range is None or self.max_calib_range is None:
            raise s.fail("min_calib_range and max_calib_range are missing")
        self.infer_ranges(s)
        s.output = s.data
        channels = s.data[s.axis("data", self.axis)]
        for name in s.inputs[1:5]:
            s[name] = (channels,)

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs[1:]):
            t[name] = torch.float32
        t.output = torch.int8
        check_type(self.name, t, "data", *EIGHT_BITS)

    def forward(
        self,
        data: Tensor,
        gamma: Tensor,
        beta: Tensor,
        moving_mean: Tensor,
        moving_var: Tensor,
        min_data: Tensor,
        max_data: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        low, high = calibrated_range(self.min_calib_range, self.max_calib_range, data.device)
        axes = [1] * data.ndim
        axes[self.axis] = -1
        scale, shift = self.folded(gamma, beta, moving_mean, moving_var)
        if data.dtype is torch.uint8:
            data = data // 2
        levels = WIDE_LEVELS[torch.int8]
        numbers = data * (step(levels, min_data, max_data) * scale).view(axes) + shift.view(axes)
        return quantized(numbers / step(levels, low, high), torch.int8), low, high

    def folded(
        self, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Factors and summands of the channels."""
        scale = gamma * (moving_var + self.eps).rsqrt()
        shift = beta - moving_mean * scale
        # oneDNN gets these as gamma and beta, with a variance of 1 that eps is added to once more.
        return scale * (1.0 + self.eps) ** -0.5, shift
