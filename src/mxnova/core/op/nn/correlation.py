# SPDX-License-Identifier: Apache-2.0
"""Correlation of two feature maps, the core of optical flow networks."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import UInt
from ...base.shapes import Dim
from ...kernels.wide_sums import widen
from ..declaration import operator
from ..infer import Shapes
from ..schema import Op


@operator("Correlation")
class Correlation(Op):
    """How alike the surroundings of each place are in two images, for each of many displacements.

    Every output channel stands for a displacement (dy, dx), row by row; it holds the mean of
    ``data1[y, x] * data2[y + dy, x + dx]`` over the channels and a window around the place.

    Dosovitskiy et al., "FlowNet: learning optical flow with convolutional networks", 2015.

    Args:
        data1: floats (batch, channels, height, width).
        data2: the same shape.
        kernel_size: height and width of the window, odd.
        max_displacement: greatest displacement along each axis.
        stride1: step between places.
        stride2: step between displacements.
        pad_size: zeros put around both images.
        is_multiply: multiply; otherwise take the absolute difference.
    """

    kernel_size: UInt = 1
    max_displacement: UInt = 1
    stride1: UInt = 1
    stride2: UInt = 1
    pad_size: UInt = 0
    is_multiply: bool = True

    @property
    def _reach(self) -> range:
        """The displacements along one axis."""
        most = self.max_displacement // self.stride2 * self.stride2
        return range(-most, most + 1, self.stride2)

    def infer_shape(self, s: Shapes) -> None:
        for name in ("stride1", "stride2"):
            if getattr(self, name) < 1:
                raise s.fail(f"{name}=0: it must be >= 1")
        if self.kernel_size % 2 == 0:
            raise s.fail(f"kernel_size={self.kernel_size}: it must be odd")
        s.rank("data1", 4)
        s.rank("data2", 4)
        s.same("data1", "data2")
        batch, _, height, width = s.data1
        size = (self._places(s, height), self._places(s, width))
        s.output = (batch, len(self._reach) ** 2, *size)

    def _places(self, s: Shapes, size: Dim) -> Dim:
        border = 2 * self.max_displacement + self.kernel_size - 1
        room = size + 2 * self.pad_size - border
        if not room > 0:
            raise s.fail(
                f"max_displacement={self.max_displacement}, kernel_size={self.kernel_size}: "
                f"{size} pixels, padded by {self.pad_size}, leave no place"
            )
        return -(-room // self.stride1)

    def forward(self, data1: Tensor, data2: Tensor) -> Tensor:
        first, second = (F.pad(widen(x), (self.pad_size,) * 4) for x in (data1, data2))
        start, reach = self.max_displacement, self._reach
        rows, columns = (n - 2 * start for n in first.shape[2:])
        center = first[..., start : start + rows, start : start + columns].unsqueeze(-1)
        found = []
        for dy in reach:
            strip = second[..., start + dy : start + dy + rows, start + reach[0] :]
            shifted = strip.unfold(-1, columns, self.stride2)[..., : len(reach), :].mT
            found.append(self._compared(center, shifted).mean(1))
        displaced = torch.stack(found, 1).movedim(-1, 2).flatten(1, 2)
        return F.avg_pool2d(displaced, self.kernel_size, self.stride1).to(data1.dtype)

    def _compared(self, a: Tensor, b: Tensor) -> Tensor:
        if self.is_multiply:
            return a * b
        return torch.where(a >= b, a - b, b - a)  # unlike abs, with a gradient where they are equal
