# SPDX-License-Identifier: Apache-2.0
"""Sliding windows of images as columns of a matrix, and back."""

from __future__ import annotations

from math import prod

import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import shape_text
from ..declaration import function_operator
from ..infer import Shapes
from ..record import Op


def _windows(op: Op, s: Shapes, size: tuple[int, ...]) -> int:
    """The number of windows that fit into images of `size`; raises for unusable parameters."""
    kernel = op.attr("kernel")
    stride, dilate, pad = (op.attr(n) for n in ("stride", "dilate", "pad"))
    given = f"kernel={kernel}, stride={stride}, dilate={dilate}, pad={pad}"
    if any(len(p) != 2 for p in (kernel, stride or (1, 1), dilate or (1, 1), pad or (0, 0))):
        raise s.fail(f"{given}: must be pairs (height, width)")
    steps = zip(kernel, stride or (1, 1), dilate or (1, 1), pad or (0, 0), size, strict=True)
    counts = []
    for k, step, spread, border, length in steps:
        if min(k, step, spread) < 1 or border < 0 or spread * (k - 1) + 1 > length + 2 * border:
            raise s.fail(f"{given}: no window fits into images of {shape_text(size)}")
        counts.append((length + 2 * border - spread * (k - 1) - 1) // step + 1)
    return prod(counts)


def _im2col_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 4)
    n, channels, *size = s.full("data")
    windows = _windows(op, s, tuple(size))
    s.output = (n, channels * prod(op.attr("kernel")), windows)


def _col2im_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 3)
    n, rows, columns = s.full("data")
    size = op.attr("output_size")
    if len(size) != 2:
        raise s.fail(f"output_size={size}: must be a pair (height, width)")
    if _windows(op, s, size) != columns or rows % prod(op.attr("kernel")):
        raise s.fail(
            f"data {shape_text(s.data)}: must be (batch, channels · {prod(op.attr('kernel'))}, "
            f"{_windows(op, s, size)}) for output_size={size}"
        )
    s.output = (n, rows // prod(op.attr("kernel")), *size)


@function_operator("im2col", shape=_im2col_shape)
def im2col(
    data: Tensor, *, kernel: Shape, stride: Shape = (), dilate: Shape = (), pad: Shape = ()
) -> Tensor:
    """A column for each position of a sliding window: (batch, channels · window, positions).

    Args:
        data: images (batch, channels, height, width).
        kernel: height and width of the window.
        stride: step of the window, 1 when empty.
        dilate: distance of neighbouring elements of the window, 1 when empty.
        pad: zeros around the image, 0 when empty.
    """
    return F.unfold(data, kernel, dilate or 1, pad or 0, stride or 1)


@function_operator("col2im", shape=_col2im_shape)
def col2im(
    data: Tensor,
    *,
    output_size: Shape,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
) -> Tensor:
    """Images from the columns that `im2col` makes; what overlaps is added up.

    Args:
        data: (batch, channels · window, positions).
        output_size: height and width of the images.
        kernel: height and width of the window.
        stride: step of the window, 1 when empty.
        dilate: distance of neighbouring elements of the window, 1 when empty.
        pad: zeros around the image, 0 when empty.
    """
    return F.fold(data, output_size, kernel, dilate or 1, pad or 0, stride or 1)
