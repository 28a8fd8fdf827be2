# SPDX-License-Identifier: Apache-2.0
"""Operators that make an array larger by repeating or surrounding it."""

from __future__ import annotations

from math import prod
from typing import Literal

import torch.nn.functional as F
from torch import Tensor

from ...base.params import Double, Shape
from ...base.scopes import is_np_shape
from ...base.shapes import shape_text
from ...kernels.wide_sums import accumulate_in_float32
from ..declaration import operator
from ..dtypes import saturated
from ..infer import Shapes
from ..schema import Op


@operator("tile", "_npi_tile", method=True)
class Tile(Op):
    """Copies of the whole of `data` side by side.

    Args:
        data: any array.
        reps: number of copies along each axis; the shorter of `reps` and the shape of `data` is
            filled up with ones in front.
    """

    reps: Shape

    def infer_shape(self, s: Shapes) -> None:
        data = s.full("data")
        least = 0 if is_np_shape() else 1
        if any(r < least for r in self.reps):
            raise s.fail(f"reps={self.reps}: must not be below {least}")
        rank = max(len(data), len(self.reps))
        dims = (*(1,) * (rank - len(data)), *data)
        reps = (*(1,) * (rank - len(self.reps)), *self.reps)
        s.output = tuple(d * r for d, r in zip(dims, reps, strict=True))

    def forward(self, data: Tensor) -> Tensor:
        return data.tile(self.reps)


@operator("repeat", "_np_repeat", method=True)
class Repeat(Op):
    """Each element of `data` several times in a row.

    Args:
        data: any array.
        repeats: how many times.
        axis: the axis along which the copies stand; None: `data` is flattened first.
    """

    repeats: int
    axis: int | None = None

    def infer_shape(self, s: Shapes) -> None:
        if self.repeats < 0:
            raise s.fail(f"repeats={self.repeats}: must not be negative")
        if self.axis is None:
            s.output = (prod(s.full("data")) * self.repeats,)
            return
        axis = s.axis("data", self.axis)
        # MXNet forgets the other axes when nothing is left.
        before, after = (s.data[:axis], s.data[axis + 1 :]) if self.repeats else ((), ())
        s.output = (*before, s.data[axis] * self.repeats, *after)

    def forward(self, data: Tensor) -> Tensor:
        if self.repeats == 0:
            return data.reshape(-1)[:0]
        return data.repeat_interleave(self.repeats, self.axis)


@operator("Pad", "pad", method="pad")
class Pad(Op):
    """`data` with a border around its last two or three axes.

    Args:
        data: (batch, channels, height, width) or (batch, channels, depth, height, width).
        mode: fill the border with "constant_value", the nearest "edge" element, or by "reflect"ing
            the array without repeating its edge.
        pad_width: elements before and behind, for each axis; 0 for the first two axes; negative
            numbers cut off.
        constant_value: what "constant" fills in.
    """

    mode: Literal["constant", "edge", "reflect"]
    pad_width: Shape
    constant_value: Double = 0.0

    def infer_shape(self, s: Shapes) -> None:
        rank, pads = s.rank("data", 4, 5), self.pad_width
        if len(pads) != 2 * rank or any(pads[:4]):
            raise s.fail(
                f"pad_width={pads}: must be two numbers for each axis of data "
                f"{shape_text(s.data)}, 0 for the first two axes"
            )
        borders = list(zip(pads[::2], pads[1::2], strict=True))
        s.output = tuple(d + sum(b) for d, b in zip(s.data, borders, strict=True))
        if self.mode == "reflect":
            for size, border in zip(s.data, borders, strict=True):
                if max(border) >= max(size, 1):
                    raise s.fail(
                        f"pad_width={pads}: data {shape_text(s.data)} is too small to be reflected"
                    )

    def forward(self, data: Tensor) -> Tensor:
        pairs = zip(self.pad_width[-2:3:-2], self.pad_width[:3:-2], strict=True)
        widths = [width for pair in pairs for width in pair]
        if self.mode == "constant":
            return F.pad(data, widths, value=saturated(self.constant_value, data.dtype))
        pad = accumulate_in_float32(F.pad)
        return pad(data, widths, mode="replicate" if self.mode == "edge" else "reflect")
