# SPDX-License-Identifier: Apache-2.0
"""Deformable convolution and pooling: a window whose items are moved by learned offsets.

Dai et al., "Deformable convolutional networks", 2017; Zhu et al., "Deformable ConvNets v2: more
deformable, better results", 2019.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.parameter_types import REQUIRED
from ...base.params import PosInt, Shape, ULong, bounded
from ...base.shapes import UnknownDim, shape_text
from ...kernels.onednn import linear
from ...kernels.region_pooling import interpolated, table_of
from ..declaration import operator
from ..families.unary import round_half_away
from ..infer import Shapes
from ..schema import Op
from .convolution import Filters, data_axes
from .roi import Scale, check_groups, check_regions, images_of, own_maps
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
        mask: Tensor,
    ) -> Tensor:
        """The convolution of what lies at the moved items, times `mask`."""
        batch, channels, *size = data.shape
        moved, n_items = self.num_deformable_group, self.kernel[0] * self.kernel[1]
        y, x = self._positions(offset.reshape(batch * moved, n_items, 2, *offset.shape[2:]))
        maps = data.reshape(batch * moved, channels // moved, *size)
        weights = mask.reshape(batch * moved, n_items, *offset.shape[2:])
        items = self._sampled(maps, y, x, _by_place(weights))
        # (batch, deformable groups, places, items, channels) -> (groups, batch · places, …)
        items = items.reshape(batch, moved, *items.shape[1:]).permute(0, 2, 3, 1, 4)
        columns = items.reshape(-1, n_items, self.num_group, channels // self.num_group)
        columns = columns.movedim(2, 0).flatten(2)
        kernels = weight.reshape(self.num_group, -1, *weight.shape[1:]).movedim(2, -1).flatten(2)
        if self.num_group == 1:
            output = linear(columns[0], kernels[0], bias)
        else:
            output = (columns @ kernels.mT).movedim(0, 1).flatten(1)
            output = output if bias is None else output + bias
        return output.reshape(batch, *offset.shape[2:], self.num_filter).movedim(-1, 1)

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        """What `maps` hold at places between their pixels, times `mask`: (…, channels)."""
        raise NotImplementedError

    def _positions(self, offset: Tensor) -> tuple[Tensor, Tensor]:
        """The y and x of every item at every place of the window, (maps, places, items)."""
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
            moved = (offset[:, :, axis] + regular).nan_to_num(-inf, inf, -inf)  # nowhere
            found.append(_by_place(moved))
        return found[0], found[1]


def _by_place(x: Tensor) -> Tensor:
    """(n, items, height, width) as (n, places, items)."""
    return x.flatten(2).mT


def _sampled(maps: Tensor, y: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    """`maps` (n, channels, height, width) between pixels at places (n, …): (n, …, channels)."""
    height, width = maps.shape[2:]
    first = torch.arange(len(maps), device=maps.device) * (height * width)
    y, x, weight = (v.unsqueeze(-1) for v in (y, x, weight))  # one sample each
    first = first.reshape(-1, 1, 1, 1)
    return interpolated(table_of(maps), first, y, x, (height, width), weight)


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
        return self._convolved(data, offset, weight, bias, torch.ones_like(offset[:, ::2]))

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        # 0 before the first pixel, but behind the last one as on it.
        height, width = maps.shape[2:]
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        return _sampled(maps, y, x, mask * inside)


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

    def _sampled(self, maps: Tensor, y: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        # Fades to 0 around the image.
        return _sampled(F.pad(maps, (1, 1, 1, 1)), y + 1, x + 1, mask)


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
        samples = torch.arange(self.sample_per_part, device=data.device)
        x, y = (
            v.unsqueeze(-1) + samples * along.reshape(-1, 1, 1, 1, 1)
            for v, along in ((x, step[:, 0]), (y, step[:, 1]))
        )
        x = x.unsqueeze(-2).expand(*x.shape, len(samples)).flatten(-2)
        y = y.unsqueeze(-1).expand(*y.shape, len(samples)).flatten(-2)
        height, width = data.shape[2:]
        inside = (y >= -0.5) & (y <= height - 0.5) & (x >= -0.5) & (x <= width - 0.5)
        table, first = self._maps(data, image, x.shape[1])
        weight = inside & exists.reshape(-1, 1, 1, 1, 1)
        total = interpolated(table, first.unsqueeze(-1), y, x, (height, width), weight)
        mean: Tensor = total / inside.sum(-1, keepdim=True).clamp(min=1)
        return mean.movedim(-1, 2).flatten(1, 2)

    def _maps(self, data: Tensor, image: Tensor, n_classes: int) -> tuple[Tensor, Tensor]:
        """Table of the maps that belong together, and where those of each class and bin begin."""
        maps = data.reshape(len(data) * n_classes, -1, *data.shape[2:])
        classes = torch.arange(n_classes, device=data.device).reshape(-1, 1, 1)
        bins = (self.pooled_size, self.pooled_size)
        groups = (self.group_size, self.group_size)
        return own_maps(maps, image.unsqueeze(1) * n_classes + classes, bins, groups)

    def _bin_starts(self, trans: Tensor | None, axis: int, start: Tensor, size: Tensor) -> Tensor:
        """Where each bin begins along x (axis 0) or y: (regions, classes or 1, rows, columns)."""
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
        moved: Tensor = regular + moves * size
        return moved
