# SPDX-License-Identifier: Apache-2.0
"""What convolution and pooling must give: by a loop over the places of a window, and in doubles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

Sizes = tuple[int, ...]


def places(
    size: Sizes,
    kernel: Sizes,
    stride: Sizes,
    pad: Sizes,
    dilate: Sizes | None = None,
    up: bool = False,
) -> Iterator[tuple[Sizes, list[range]]]:
    """(place, positions under the window along each axis) of a window over `size`."""
    dilate = dilate or (1,) * len(size)
    counts = []
    for n, k, s, p, d in zip(size, kernel, stride, pad, dilate, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        counts.append(room // s + 1 + (1 if up and room % s else 0))
    for place in np.ndindex(*counts):
        starts = [i * s - p for i, s, p in zip(place, stride, pad, strict=True)]
        yield (
            place,
            [range(a, a + d * k, d) for a, d, k in zip(starts, dilate, kernel, strict=True)],
        )


def under(x: np.ndarray[Any, Any], positions: list[range], outside: float = 0.0) -> Any:
    """What of (batch, channels, *axes) lies under the window, with `outside` around the data."""
    window = np.full((*x.shape[:2], *(len(p) for p in positions)), outside)
    for at in np.ndindex(*window.shape[2:]):
        source = tuple(p[i] for p, i in zip(positions, at, strict=True))
        if all(0 <= i < n for i, n in zip(source, x.shape[2:], strict=True)):
            window[(..., *at)] = x[(..., *source)]
    return window


def convolved(
    x: Any, weight: Any, bias: Any, stride: Sizes, pad: Sizes, dilate: Sizes, groups: int = 1
) -> Any:
    """The convolution of (batch, channels, *axes) with (filters, channels / groups, *kernel)."""
    kernel, filters = weight.shape[2:], len(weight)
    found = {}
    for place, positions in places(x.shape[2:], kernel, stride, pad, dilate):
        window = under(x, positions).reshape(len(x), groups, -1)
        kernels = weight.reshape(groups, filters // groups, -1)
        found[place] = np.einsum("ngk,gfk->ngf", window, kernels).reshape(len(x), filters)
    return gathered(found) + np.reshape(bias, (-1, *(1,) * len(kernel)))


def pooled(
    x: Any, function: Callable[..., Any], kernel: Sizes, stride: Sizes, pad: Sizes, up: bool = False
) -> Any:
    """`function` of the items that really lie under the window, for each image and channel."""
    found = {}
    for place, positions in places(x.shape[2:], kernel, stride, pad, up=up):
        window = under(x, positions, np.nan).reshape(*x.shape[:2], -1)
        found[place] = function(window)
    return gathered(found)


def gathered(found: dict[Sizes, Any]) -> Any:
    """The values at each place as one array (batch, channels, *places)."""
    first = next(iter(found.values()))
    result = np.zeros((*first.shape, *(i + 1 for i in max(found))))
    for place, value in found.items():
        result[(..., *place)] = value
    return result


def error_by_tiles(convolved: Callable[..., Any], case: tuple[Any, ...], rectified: bool) -> float:
    """The largest error of ``convolved(images, weight, bias, pad, rectified=…)``.

    It is relative to the largest output before negative ones become 0.

    Args:
        convolved: a convolution by windows of 3x3.
        case: batch, channels, filters, height, width, pad.
        rectified: whether negative outputs become 0.
    """
    n, channels, filters, height, width, pad = case
    torch.manual_seed(0)
    images = torch.randn(n, channels, height, width)
    weight, bias = torch.randn(filters, channels, 3, 3), torch.randn(filters)
    wanted = F.conv2d(images.double(), weight.double(), bias.double(), padding=pad)
    largest = wanted.abs().max()
    wanted = wanted.relu() if rectified else wanted
    found = convolved(images, weight, bias, pad, rectified=rectified)
    return float((found - wanted).abs().max() / largest)
