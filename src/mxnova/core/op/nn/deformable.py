# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution and pooling: a window whose items are moved by learned offsets.

Dai et al., "Deformable convolutional networks", 2017; Zhu et al., "Deformable ConvNets v2: more
deformable, better results", 2019.
"""

from __future__ import annotations

from itertools import product
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import REQUIRED, PosInt, Shape, ULong, bounded
from ...base.shapes import UnknownDim, shape_text
from ..families.unary import round_half_away
from ..infer import Shapes
from ..operator import Op, operator
from .convolution import Filters, data_axes
from .roi import Scale, check_groups, check_regions, images_of
from .roi_align import between_pixels
from .window import Axes, PosUInt, Window

Layout = Literal["NCDHW", "NCHW", "NCW"]


class _Deformable(Filters):
    num_deformable_group: int

    def infer_shape(self, s: Shapes) -> None:
        window = Window.of(s, self)
        if len(window.kernel) != 2:
            raise s.fail(f"kernel={window.kernel}: it must have 2 items")
        data = data_axes(s, self, window)
        groups = self.num_deformable_group
        if not isinstance(data.channels, UnknownDim) and data.channels % groups:
            raise s.fail(
                f"num_deformable_group={groups}: data has {data.channels} channels, which do not "
                f"split so"
            )
        n_items = window.kernel[0] * window.kernel[1]
        counts = window.counts(s, data.spatial)
        s.offset = (data.batch, 2 * groups * n_items, *counts)
        if "mask" in s:
            s.mask = (data.batch, groups * n_items, *counts)
        s.weight = (self.num_filter, data.channels // self.num_group, *window.kernel)
        if "bias" in s:
            s.bias = (self.num_filter,)
        s.output = Axes(data.batch, self.num_filter, counts).shape(None)

    def _convolved(
        self,
        data: Tensor,
        offset: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        mask: Tensor | None = None,
    ) -> Tensor:
        """The convolution of what lies at the moved items, times `mask`."""
        batch, channels = data.shape[:2]
        groups, n_items = self.num_deformable_group, self.kernel[0] * self.kernel[1]
        height, width = offset.shape[2:]
        y, x = self._positions(offset.reshape(-1, n_items, 2, height, width))
        maps = data.reshape(batch * groups, channels // groups, *data.shape[2:])
        items = self._sampled(maps, y, x)
        if mask is not None:
            items = items * mask.reshape(len(maps), 1, -1, width)
        columns = items.reshape(batch, self.num_group, -1, height * width)
        kernels = weight.reshape(self.num_group, self.num_filter // self.num_group, -1)
        output: Tensor = (kernels @ columns).reshape(batch, self.num_filter, height, width)
        return output if bias is None else output + bias.reshape(-1, 1, 1)

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor) -> Tensor:
        """What `maps` hold at places between their pixels."""
        raise NotImplementedError

    def _positions(self, offset: Tensor) -> tuple[Tensor, Tensor]:
        """The y and x of every item at every place of the window, (maps, items · height, width)."""
        n_rows, n_columns = self.kernel
        stride, pad = self.stride or (1, 1), self.pad or (0, 0)
        dilate = self.dilate or (1, 1)
        found = []
        for axis in (0, 1):
            item = torch.arange(n_rows * n_columns, device=offset.device)
            item = item // n_columns if axis == 0 else item % n_columns
            place = torch.arange(offset.shape[3 + axis], device=offset.device)
            place = place.unsqueeze(1) if axis == 0 else place
            start = place * stride[axis] - pad[axis]
            regular = start + item.reshape(-1, 1, 1) * dilate[axis]
            found.append((offset[:, :, axis] + regular).flatten(1, 2))
        return found[0], found[1]


def _sampled(maps: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """`maps` (n, channels, height, width) between pixels at places (n, …): (n, channels, …)."""
    height, width = maps.shape[2:]
    first = torch.arange(len(maps), device=maps.device) * (height * width)
    pixels = maps.permute(0, 2, 3, 1).flatten(0, 2)
    found = between_pixels(pixels, first.reshape(-1, 1, 1), y, x, height, width)
    return found.movedim(-1, 1)


@operator("_contrib_DeformableConvolution")
class DeformableConvolution(_Deformable):
    """Convolution whose window's items are moved by `offset`.

    Args:
        data: floats (batch, channels, height, width).
        offset: (batch, num_deformable_group * kernel items * 2, out_height, out_width): by how many
            pixels each item is moved, down and to the right.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,), absent with `no_bias`.
        kernel: height and width of the window.
        stride: step of the window, 1 by default.
        dilate: distance of the window's items, 1 by default.
        pad: zeros put around the data, 0 by default.
        num_filter: number of output channels.
        num_group: channels are split into so many groups that do not mix.
        num_deformable_group: channels are split into so many groups with offsets of their own.
        workspace: without effect.
        no_bias: leave the bias out.
        layout: order of the axes: NCHW.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: PosInt = REQUIRED
    num_group: PosInt = 1
    num_deformable_group: PosInt = 1
    workspace: ULong = 1024
    no_bias: bool = False
    layout: Layout | None = None

    def forward(
        self, data: Tensor, offset: Tensor, weight: Tensor, bias: Tensor | None = None
    ) -> Tensor:
        return self._convolved(data, offset, weight, bias)

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor) -> Tensor:
        # 0 before the first pixel, but behind the last one as on it.
        height, width = maps.shape[2:]
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        return _sampled(maps, y, x) * inside.unsqueeze(1)


@operator("_contrib_ModulatedDeformableConvolution")
class ModulatedDeformableConvolution(_Deformable):
    """DeformableConvolution whose moved items are also weighted by `mask`.

    Args:
        data: floats (batch, channels, height, width).
        offset: (batch, num_deformable_group * kernel items * 2, out_height, out_width): by how many
            pixels each item is moved, down and to the right.
        mask: (batch, num_deformable_group * kernel items, out_height, out_width): weights.
        weight: (num_filter, channels / num_group, *kernel).
        bias: (num_filter,), absent with `no_bias`.
        kernel: height and width of the window.
        stride: step of the window, 1 by default.
        dilate: distance of the window's items, 1 by default.
        pad: zeros put around the data, 0 by default.
        num_filter: number of output channels.
        num_group: channels are split into so many groups that do not mix.
        num_deformable_group: channels are split into so many groups with offsets of their own.
        workspace: without effect.
        no_bias: leave the bias out.
        im2col_step: without effect.
        layout: order of the axes: NCHW.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: PosUInt = REQUIRED
    num_group: PosUInt = 1
    num_deformable_group: PosUInt = 1
    workspace: ULong = 1024
    no_bias: bool = False
    im2col_step: PosUInt = 64
    layout: Layout | None = None

    def forward(
        self,
        data: Tensor,
        offset: Tensor,
        mask: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        return self._convolved(data, offset, weight, bias, mask)

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor) -> Tensor:
        return _sampled(F.pad(maps, (1, 1, 1, 1)), y + 1, x + 1)  # fades to 0 around the image


@operator("_contrib_DeformablePSROIPooling")
class DeformablePSROIPooling(Op):
    """The mean of samples in each bin of each region, bins moved by learned shares of the region.

    Every bin has channels of its own, as in _contrib_PSROIPooling.

    Args:
        data: score maps (batch, output_dim * group_size², height, width).
        rois: regions (regions, 5); they get no gradient.
        trans: by what share of the region the bins are moved, right and down:
            (regions, 2 * classes, part_size, part_size); absent with `no_trans`. Output channels
            are split evenly between the classes.
        spatial_scale: size of the feature map over that of the input.
        output_dim: number of output channels.
        group_size: number of positions along each axis that have channels of their own.
        pooled_size: number of bins along each axis.
        part_size: number of positions along each axis that are moved on their own; `pooled_size`
            by default.
        sample_per_part: samples along each axis of a bin.
        trans_std: `trans` is multiplied by it.
        no_trans: no bin is moved.
    """

    spatial_scale: Scale
    output_dim: PosInt
    group_size: PosInt
    pooled_size: PosInt
    part_size: int = 0
    sample_per_part: PosInt = 1
    trans_std: bounded(float, 0, 1) = 0.0  # type: ignore[valid-type]
    no_trans: bool = False

    def inputs(self) -> tuple[str, ...]:
        return ("data", "rois") if self.no_trans else ("data", "rois", "trans")

    def infer_shape(self, s: Shapes) -> None:
        check_regions(s)
        check_groups(s, self.output_dim, self.group_size)
        if "trans" in s:
            self._check_trans(s)
        s.output = (s.rois[0], self.output_dim, self.pooled_size, self.pooled_size)

    def _check_trans(self, s: Shapes) -> None:
        s.rank("trans", 4)
        n, parts = s.trans[1], self.part_size or self.pooled_size
        if not isinstance(n, UnknownDim) and (n < 2 or n % 2 or self.output_dim % (n // 2)):
            raise s.fail(
                f"trans has shape {shape_text(s.trans)}: it needs 2 channels for each of a number "
                f"of classes that output_dim={self.output_dim} splits into"
            )
        s.trans = (s.rois[0], n, parts, parts)

    def forward(self, data: Tensor, rois: Tensor, trans: Tensor | None = None) -> Tensor:
        image, exists = images_of(rois, data)
        corners = round_half_away(rois.detach()[:, 1:])
        start = corners[:, :2] * self.spatial_scale - 0.5
        size = ((corners[:, 2:] + 1) * self.spatial_scale - 0.5 - start).clamp(min=0.1)
        x, y = (self._bin_starts(trans, i, start[:, i], size[:, i]) for i in (0, 1))
        step = size / self.pooled_size / self.sample_per_part
        step_x, step_y = (v.reshape(-1, 1, 1, 1) for v in step.T)
        height, width = data.shape[2:]
        first = (image.reshape(-1, 1, 1, 1) * data.shape[1] + self._channels(data)) * height * width
        total = count = data.new_zeros(())
        for row, column in product(range(self.sample_per_part), repeat=2):
            at_y, at_x = y + row * step_y, x + column * step_x
            inside = (
                (at_y >= -0.5) & (at_y <= height - 0.5) & (at_x >= -0.5) & (at_x <= width - 0.5)
            )
            sample = between_pixels(data.reshape(-1, 1), first, at_y, at_x, height, width)
            total = total + sample.squeeze(-1) * inside
            count = count + inside.to(data.dtype)
        return (total / count.clamp(min=1)).masked_fill(~exists, 0.0)

    def _bin_starts(self, trans: Tensor | None, axis: int, start: Tensor, size: Tensor) -> Tensor:
        """Where each bin begins along x (axis 0) or y: (regions, outputs or 1, rows, columns)."""
        n = self.pooled_size
        bins = torch.arange(n, dtype=size.dtype, device=size.device)
        bins = bins if axis == 0 else bins.unsqueeze(1)
        start, size = (v.reshape(-1, 1, 1, 1) for v in (start, size))
        regular: Tensor = (bins * (size / n) + start).expand(-1, -1, n, n)
        if trans is None:
            return regular
        parts = torch.arange(n, dtype=size.dtype, device=size.device) / n
        part = (parts * (self.part_size or n)).long()
        moves = trans[:, axis::2][:, :, part][..., part] * self.trans_std
        each = self.output_dim // moves.shape[1]  # output channels of a class
        moved: Tensor = regular + moves.repeat_interleave(each, 1) * size
        return moved

    def _channels(self, data: Tensor) -> Tensor:
        """The channel of `data` for each output channel and bin: (output_dim, rows, columns)."""
        group = torch.arange(self.pooled_size, device=data.device) * self.group_size
        group = group // self.pooled_size
        output = torch.arange(self.output_dim, device=data.device).reshape(-1, 1, 1)
        return (output * self.group_size + group.unsqueeze(1)) * self.group_size + group
