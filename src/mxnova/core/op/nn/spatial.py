# SPDX-License-Identifier: Apache-2.0
"""Sampling an image at positions that the network computes.

Jaderberg et al., "Spatial transformer networks", 2015. A grid (batch, 2, height, width) holds the x
and the y of every sampled position; -1 is the first column or row of the image, 1 the last.
"""

from __future__ import annotations

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import shape_text
from ...kernels.wide_sums import widen
from ..constants import constant
from ..declaration import function_operator
from ..infer import Shapes
from ..schema import Op


def _sampled(data: Tensor, grid: Tensor) -> Tensor:
    """Return data interpolated at the positions of `grid`, 0 outside the image."""
    places = widen(grid).permute(0, 2, 3, 1)
    sampled = F.grid_sample(widen(data), places, padding_mode="zeros", align_corners=True)
    return sampled.to(data.dtype)


def _affine_grid(theta: Tensor, height: int, width: int) -> Tensor:
    """The grid of ``theta @ (x, y, 1)`` for `theta` (batch, 6)."""
    x = torch.linspace(-1, 1, width, dtype=theta.dtype, device=theta.device).expand(height, -1)
    y = torch.linspace(-1, 1, height, dtype=theta.dtype, device=theta.device)
    points = torch.stack((x, y.unsqueeze(1).expand(-1, width), torch.ones_like(x)))
    return (theta.reshape(-1, 2, 3) @ points.flatten(1)).reshape(-1, 2, height, width)


def _target(op: Op, s: Shapes) -> tuple[int, ...]:
    target: tuple[int, ...] = op.attr("target_shape")
    if len(target) != 2 or min(target) < 1:
        raise s.fail(f"target_shape={target}: it must be a height and a width of at least 1")
    return target


def _check_columns(s: Shapes, name: str, rank: int, n: int) -> None:
    s.rank(name, rank)
    if s[name][1] != n:
        raise s.fail(f"{name} has shape {shape_text(s[name])}: axis 1 must have {n} items")


def _sampler_shape(_op: Op, s: Shapes) -> None:
    s.rank("data", 4)
    _check_columns(s, "grid", 4, 2)
    s.grid = (s.data[0], 2, *s.grid[2:])
    s.output = (*s.data[:2], *s.grid[2:])


@function_operator("BilinearSampler", shape=_sampler_shape)
def bilinear_sampler(data: Tensor, grid: Tensor, *, cudnn_off: bool | None = None) -> Tensor:
    """`data` sampled at the positions of `grid`, linearly between pixels, 0 outside.

    Args:
        data: floats (batch, channels, height, width).
        grid: x and y of each position (batch, 2, out_height, out_width), in [-1, 1].
        cudnn_off: without effect.
    """
    return _sampled(data, grid)


def _grid_shape(op: Op, s: Shapes) -> None:
    if op.attr("transform_type") == "affine":
        _check_columns(s, "data", 2, 6)
        s.output = (s.data[0], 2, *_target(op, s))
    else:
        _check_columns(s, "data", 4, 2)
        s.output = s.data


@function_operator("GridGenerator", shape=_grid_shape)
def grid_generator(
    data: Tensor, *, transform_type: Literal["affine", "warp"], target_shape: Shape = (0, 0)
) -> Tensor:
    """A grid of sampling positions (batch, 2, height, width) for BilinearSampler.

    Args:
        data: what `transform_type` says.
        transform_type: affine, when `data` holds 2 by 3 matrices (batch, 6) that take ``(x, y, 1)``
            of the output to positions; warp, when it tells by how many pixels each position is
            off (batch, 2, height, width).
        target_shape: height and width of the grid; only for affine.
    """
    if transform_type == "affine":
        return _affine_grid(data, *target_shape)
    height, width = data.shape[2:]
    column = torch.arange(width, dtype=data.dtype, device=data.device).expand(height, -1)
    row = torch.arange(height, dtype=data.dtype, device=data.device).unsqueeze(1)
    last = constant((width - 1, height - 1), data.dtype, data.device).view(2, 1, 1)
    return (data + torch.stack((column, row.expand(-1, width)))) * 2 / last - 1


def _transformer_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 4)
    _check_columns(s, "loc", 2, 6)
    s.loc = (s.data[0], 6)
    s.output = (*s.data[:2], *_target(op, s))


@function_operator("SpatialTransformer", shape=_transformer_shape)
def spatial_transformer(
    data: Tensor,
    loc: Tensor,
    *,
    target_shape: Shape = (0, 0),
    transform_type: Literal["affine"],
    sampler_type: Literal["bilinear"],
    cudnn_off: bool | None = None,
) -> Tensor:
    """`data` sampled where an affine map takes the pixels of the output, 0 outside.

    Args:
        data: floats (batch, channels, height, width).
        loc: 2 by 3 matrices (batch, 6) that take ``(x, y, 1)`` of the output, in [-1, 1], to
            positions in `data`.
        target_shape: height and width of the output.
        transform_type: the kind of map.
        sampler_type: the kind of sampling.
        cudnn_off: without effect.
    """
    return _sampled(data, _affine_grid(loc, *target_shape))
