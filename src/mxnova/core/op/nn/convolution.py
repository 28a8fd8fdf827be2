# SPDX-License-Identifier: Apache-2.0
"""Convolution and its transpose, over 1, 2 or 3 spatial axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch.nn.functional as F
from torch import Tensor

from ...base.parameter_types import REQUIRED
from ...base.params import Shape, ULong
from ...base.shapes import UNKNOWN, Dim, UnknownDim, shape_text
from ...kernels.onednn import both_contiguous, conv3d, in_kernel_layout, needs_contiguous
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import batch_apart
from .window import (
    Axes,
    PosUInt,
    Window,
    channels_first,
    channels_last,
    is_channels_last,
    typed_by_data,
)

__all__ = ["Convolution", "Filters", "data_axes"]

_CONVOLVE: dict[int, Callable[..., Tensor]] = {1: F.conv1d, 2: F.conv2d, 3: conv3d}
_TRANSPOSED = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}

CudnnTune = Literal["fastest", "limited_workspace", "off"] | None


class Filters(Op):
    """A layer with `num_filter` kernels and a bias for each."""

    kernel: Shape
    stride: Shape
    dilate: Shape
    pad: Shape
    num_filter: int
    num_group: int
    no_bias: bool
    layout: str | None
    item_axis = batch_apart
    is_fresh = True
    is_product = True

    def inputs(self) -> tuple[str, ...]:
        names = self.type.signature.inputs
        return names[:-1] if self.no_bias else names

    def infer_dtype(self, t: DTypes) -> None:
        typed_by_data(t)


def data_axes(s: Shapes, op: Filters, window: Window) -> Axes:
    """The axes of data, which the kernel and the groups must fit."""
    data = Axes.of(s, "data", len(window.kernel), op.layout, f"kernel={window.kernel}")
    for what, n in (("data has channels", data.channels), ("num_filter is", op.num_filter)):
        if not isinstance(n, UnknownDim) and n % op.num_group:
            raise s.fail(f"num_group={op.num_group}: {what}={n}, which does not split so")
    return data


def _advice_on_channels(s: Shapes, op: Filters, wanted: int) -> str:
    """Where data has other channels than the weight; `wanted` are those that the weight is for."""
    shape = s.full("data")
    last = is_channels_last(op.layout)
    layout = op.layout or ("NCW", "NCHW", "NCDHW")[len(op.kernel) - 1]
    given, other = (shape[-1], shape[1]) if last else (shape[1], shape[-1])
    if given == wanted:
        return ""
    text = f"data {shape_text(shape)} has {given} channels in layout {layout}, the weight is for "
    text += f"{wanted} channels"
    if other != wanted:
        return f"{text}: make the layer with in_channels={given}"
    axes = tuple(range(len(shape)))
    order = (0, axes[-1], *axes[1:-1]) if not last else (0, *axes[2:], 1)
    looks = "N" + layout[2:] + "C" if not last else "NC" + layout[1:-1]
    return f"{text}; data looks like {looks}: give data.transpose({order}), or layout={looks!r}"


class _Convolution(Filters):
    def infer_shape(self, s: Shapes) -> None:
        window = Window.of(s, self)
        data = data_axes(s, self, window)
        channels = data.channels // self.num_group
        s.weight = Axes(self.num_filter, channels, window.kernel).shape(self.layout)
        if "bias" in s:
            s.bias = (self.num_filter,)
        counts = window.counts(s, data.spatial)
        s.output = Axes(data.batch, self.num_filter, counts).shape(self.layout)
        output = Axes.of(s, "output", len(counts), self.layout, "output")
        spatial = _sizes_before(window, output.spatial)
        s.data = Axes(output.batch, data.channels, spatial).shape(self.layout)

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where the channels of data are not those of the weight."""
        if name != "weight":
            return ""
        axis = -1 if is_channels_last(self.layout) else 1
        return _advice_on_channels(s, self, s.full("weight")[axis] * self.num_group)

    def forward(
        self, data: Tensor, weight: Tensor, bias: Tensor | None = None, *, inside: bool
    ) -> Tensor:
        last = is_channels_last(self.layout)
        images, weight = channels_first(data, last), channels_first(weight, last)
        if needs_contiguous(self.kernel, self.stride, weight.shape[1]):
            images, weight = both_contiguous(images, weight)
        elif inside:
            images = in_kernel_layout(images, weight)
        output = _CONVOLVE[len(self.kernel)](
            images,
            weight,
            bias,
            self.stride or 1,
            self.pad or 0,
            self.dilate or 1,
            self.num_group,
        )
        return channels_last(output, last)


def _sizes_before(window: Window, counts: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Sizes of the axes that gave `counts` positions: known only where the stride skips none."""
    each = zip(counts, window.stride, window.reach, window.pad, strict=True)
    return tuple(
        n + reach - 1 - 2 * pad if stride == 1 else UNKNOWN for n, stride, reach, pad in each
    )


@operator("Convolution", "_npx_convolution")
class Convolution(_Convolution):
    """Cross-correlation of `data` with `num_filter` kernels, plus a bias for each.

    The output has ``(size + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1`` items along each
    spatial axis.

    Args:
        data: (batch, channels, *spatial), or as `layout` says.
        weight: (num_filter, channels / num_group, *kernel), its axes in the order of `layout`.
        bias: (num_filter,), absent with `no_bias`.
        kernel: size of the window along each spatial axis, 1 to 3 of them.
        stride: step of the window, 1 by default.
        dilate: distance of the window's items, 1 by default.
        pad: zeros put before and after each axis, 0 by default.
        num_filter: number of output channels.
        num_group: channels are split into so many groups that do not mix.
        workspace: without effect.
        no_bias: leave the bias out.
        cudnn_tune: without effect.
        cudnn_off: without effect.
        layout: order of the axes; channels second by default.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: PosUInt = REQUIRED
    num_group: PosUInt = 1
    workspace: ULong = 1024
    no_bias: bool = False
    cudnn_tune: CudnnTune = None
    cudnn_off: bool = False
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None


@operator("Convolution_v1", extends=True)
class ConvolutionV1(Convolution):
    """Convolution over 2 or 3 spatial axes, as files of early MXNet name it.

    Args:
        kernel: size of the window along each spatial axis, 2 or 3 of them.
    """

    layout: Literal["NCDHW", "NCHW", "NDHWC", "NHWC"] | None = None

    def infer_shape(self, s: Shapes) -> None:
        if len(self.kernel) == 1:
            raise s.fail(f"kernel={self.kernel}: it must have 2 or 3 items")
        super().infer_shape(s)


@operator("Deconvolution", "_npx_deconvolution")
class Deconvolution(Filters):
    """Transpose of Convolution: every item of `data` adds its multiple of the kernels.

    The output has ``stride * (size - 1) + dilate * (kernel - 1) + 1 - 2 * pad + adj`` items along
    each spatial axis.

    Args:
        data: (batch, channels, *spatial), or as `layout` says.
        weight: (channels, num_filter / num_group, *kernel), its axes in the order of `layout`.
        bias: (num_filter,), only without `no_bias`.
        kernel: size of the window along each spatial axis, 1 to 3 of them.
        stride: step of the window over the output, 1 by default.
        dilate: distance of the window's items, 1 by default.
        pad: items cut off before and after each output axis, 0 by default.
        adj: items added after each output axis, less than `stride`; 0 by default.
        target_shape: size of the output's spatial axes; replaces `pad` and `adj`.
        num_filter: number of output channels.
        num_group: channels are split into so many groups that do not mix.
        workspace: without effect.
        no_bias: leave the bias out.
        cudnn_tune: without effect.
        cudnn_off: without effect.
        layout: order of the axes; channels second by default.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    adj: Shape = ()
    target_shape: Shape = ()
    num_filter: PosUInt = REQUIRED
    num_group: PosUInt = 1
    workspace: ULong = 512
    no_bias: bool = True
    cudnn_tune: CudnnTune = None
    cudnn_off: bool = False
    layout: Literal["NCDHW", "NCHW", "NCW", "NDHWC", "NHWC"] | None = None

    def infer_shape(self, s: Shapes) -> None:
        window = Window.of(s, self)
        data = data_axes(s, self, window)
        channels = self.num_filter // self.num_group
        s.weight = Axes(data.channels, channels, window.kernel).shape(self.layout)
        if "bias" in s:
            s.bias = (self.num_filter,)
        for name in ("adj", "target_shape"):
            value = getattr(self, name)
            if value and len(value) != len(self.kernel):
                raise s.fail(f"{name}={value}: it must have as many items as kernel={self.kernel}")
        sizes = tuple(self._output_size(s, window, i, n) for i, n in enumerate(data.spatial))
        s.output = Axes(data.batch, self.num_filter, sizes).shape(self.layout)

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where the channels of data are not those of the weight."""
        return _advice_on_channels(s, self, s.full("weight")[0]) if name == "weight" else ""

    def _output_size(self, s: Shapes, window: Window, axis: int, size: Dim) -> Dim:
        stride, pad = window.stride[axis], window.pad[axis]
        adj = self.adj[axis] if self.adj else 0
        whole = stride * (size - 1) + window.reach[axis]
        if isinstance(whole, UnknownDim):
            return whole
        if any(self.target_shape):
            target = self.target_shape[axis]
            if not 0 < target <= whole:
                raise s.fail(
                    f"target_shape={self.target_shape}: axis {axis} has 1 to {whole} items"
                )
            pad, adj = _cut(whole, target)
        if not 0 <= adj < stride:
            raise s.fail(f"adj={adj} at axis {axis}: it must be less than stride={stride}")
        if whole + adj <= 2 * pad:
            raise s.fail(
                f"pad={pad} at axis {axis}: the output has only {whole + adj} items to cut"
            )
        return whole + adj - 2 * pad

    def forward(self, data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        last = is_channels_last(self.layout)
        data, weight = channels_first(data, last), channels_first(weight, last)
        if needs_contiguous(self.kernel, self.stride, weight.shape[1]):
            data, weight = both_contiguous(data, weight)
        pad, adj = self.pad, self.adj
        if any(self.target_shape):
            pad, adj = self._pad_to_target(data.shape[2:])
        output = _TRANSPOSED[len(self.kernel)](
            data,
            weight,
            bias,
            self.stride or 1,
            pad or 0,
            adj or 0,
            self.num_group,
            self.dilate or 1,
        )
        return channels_last(output, last)

    def _pad_to_target(self, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        one = (1,) * len(sizes)
        window = Window(self.kernel, self.stride or one, one, self.dilate or one)
        each = zip(window.stride, sizes, window.reach, self.target_shape, strict=True)
        cuts = [_cut(stride * (n - 1) + reach, target) for stride, n, reach, target in each]
        return tuple(pad for pad, _ in cuts), tuple(adj for _, adj in cuts)


def _cut(whole: int, target: int) -> tuple[int, int]:
    """(pad, adj) that leave `target` of `whole` items."""
    return (whole - target + 1) // 2, (whole - target) % 2
