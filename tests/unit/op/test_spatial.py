# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.correlation
import mxnova.core.op.nn.resize
import mxnova.core.op.nn.spatial  # noqa: F401
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

_ = UNKNOWN


def between(image, y, x):
    """`image` (…, height, width) at a point, linear between pixels, 0 outside."""
    total = 0.0
    for row in (np.floor(y), np.floor(y) + 1):
        for column in (np.floor(x), np.floor(x) + 1):
            if 0 <= row < image.shape[-2] and 0 <= column < image.shape[-1]:
                weight = (1 - abs(y - row)) * (1 - abs(x - column))
                total = total + weight * image[..., int(row), int(column)]
    return total


def sampled(data, grid):
    out = np.zeros((*data.shape[:2], *grid.shape[2:]))
    height, width = data.shape[2:]
    for n, i, j in np.ndindex(len(data), *grid.shape[2:]):
        x, y = grid[n, :, i, j]
        out[n, :, i, j] = between(data[n], (y + 1) * (height - 1) / 2, (x + 1) * (width - 1) / 2)
    return out


def affine(theta, height=3, width=4):
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    points = np.stack([x, y, np.ones_like(x)]).reshape(3, -1)
    return (theta.reshape(-1, 2, 3) @ points).reshape(-1, 2, height, width)


def warped(flow):
    height, width = flow.shape[2:]
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    size = np.array([width - 1, height - 1]).reshape(2, 1, 1)
    return (flow + np.stack([x, y])) * 2 / size - 1


def resized(height, width, corners=True):
    def place(i, n, m):
        if corners:
            return i * (n - 1) / (m - 1) if m > 1 else 0.0
        return max((i + 0.5) * n / m - 0.5, 0.0) if m > 1 else 0.0

    def function(x, *_like):
        out = np.zeros((*x.shape[:2], height, width))
        edged = np.pad(x, [(0, 0), (0, 0), (0, 1), (0, 1)], mode="edge")
        for i, j in np.ndindex(height, width):
            at = place(i, x.shape[2], height), place(j, x.shape[3], width)
            out[..., i, j] = between(edged, *at)
        return out

    return function


def repeated(x, scale):
    return x.repeat(scale, 2).repeat(scale, 3)


def correlated(kernel, displacement, stride1, stride2, pad, multiply=True):
    def function(a, b):
        margin = [(0, 0), (0, 0), (pad, pad), (pad, pad)]
        a, b = np.pad(a, margin), np.pad(b, margin)
        most = displacement // stride2 * stride2
        moves = range(-most, most + 1, stride2)
        room = [n - 2 * displacement - kernel + 1 for n in a.shape[2:]]
        out = np.zeros((len(a), len(moves) ** 2, *(-(-n // stride1) for n in room)))
        for n, i, j in np.ndindex(len(a), *out.shape[2:]):
            y, x = displacement + i * stride1, displacement + j * stride1
            one = a[n, :, y : y + kernel, x : x + kernel]
            for k, (dy, dx) in enumerate((dy, dx) for dy in moves for dx in moves):
                other = b[n, :, y + dy : y + dy + kernel, x + dx : x + dx + kernel]
                out[n, k, i, j] = (one * other if multiply else abs(one - other)).mean()
        return out

    return function


BILINEAR = {"sample_type": "bilinear", "num_args": 2}
AFFINE = {"transform_type": "affine", "target_shape": "(3, 4)"}
R = "_contrib_BilinearResize2D"
IDENTITY = np.array([[1, 0, 0, 0, 1, 0]], "float32")


def upsampled(x, w, scale=2):
    """Each pixel adds its multiple of the channel's kernel; the margin is cut."""
    size, kernel, cut = [n * scale for n in x.shape[2:]], w.shape[-1], scale // 2
    out = np.zeros((*x.shape[:2], size[0] + kernel, size[1] + kernel))
    for i, j in np.ndindex(*x.shape[2:]):
        out[..., i * scale : i * scale + kernel, j * scale : j * scale + kernel] += (
            x[..., i, j, None, None] * w[:, 0]
        )
    return out[..., cut : cut + size[0], cut : cut + size[1]]


# fmt: off
SAMPLES = [
    Sample("BilinearSampler", [(2, 3, 4, 5), (2, 2, 3, 2)], {}, sampled, low=-1.5, high=1.5),
    Sample("GridGenerator", [(2, 6)], AFFINE, affine),
    Sample("GridGenerator", [(1, 2, 3, 4)], {"transform_type": "warp"}, warped),
    Sample("SpatialTransformer", [(1, 2, 5, 4), (1, 6)], {**AFFINE, "sampler_type": "bilinear"}, lambda x, loc: sampled(x, affine(loc))),
    Sample("SpatialTransformer", [(1, 2, 3, 4), IDENTITY], {**AFFINE, "sampler_type": "bilinear"}, lambda x, loc: x, gradient=False, note=" identity"),
    Sample(R, [(1, 2, 3, 4)], {"height": 6, "width": 7}, resized(6, 7)),
    Sample(R, [(1, 2, 5, 5)], {"height": 3, "width": 1}, resized(3, 1)),
    Sample(R, [(1, 2, 3, 4)], {"height": 6, "width": 5, "align_corners": False}, resized(6, 5, False)),
    Sample(R, [(1, 2, 3, 4)], {"height": 1, "width": 2, "align_corners": False}, resized(1, 2, False)),
    Sample(R, [(1, 2, 3, 4), (2, 1, 5, 2)], {"mode": "like"}, resized(5, 2), gradient=False),
    Sample(R, [(1, 1, 4, 3)], {"scale_height": 1.5, "scale_width": 2}, resized(6, 6)),
    Sample(R, [(1, 1, 4, 3)], {"scale_height": 0.5, "scale_width": 2.7}, resized(2, 8)),
    Sample("UpSampling", [(1, 2, 3, 2)], {"scale": 3, "sample_type": "nearest", "num_args": 1}, lambda x: repeated(x, 3)),
    Sample("UpSampling", [(1, 2, 2, 2), (1, 3, 4, 4)], {"scale": 2, "sample_type": "nearest", "num_args": 2}, lambda x, y: np.concatenate([repeated(x, 2), y], 1)),
    Sample("UpSampling", [(1, 2, 2, 2), (1, 2, 1, 1)], {"scale": 2, "sample_type": "nearest", "num_args": 2, "multi_input_mode": "sum"}, lambda x, y: repeated(x, 2) + repeated(y, 4)),
    Sample("UpSampling", [(1, 2, 3, 3), (2, 1, 4, 4)], {"scale": 2, **BILINEAR}, upsampled),
    Sample("UpSampling", [(1, 2, 2, 3), (2, 1, 5, 5)], {"scale": 3, **BILINEAR}, lambda x, w: upsampled(x, w, 3)),
    Sample("Correlation", [(1, 2, 4, 5), (1, 2, 4, 5)], {}, correlated(1, 1, 1, 1, 0)),
    Sample("Correlation", [(1, 2, 5, 6), (1, 2, 5, 6)], {"kernel_size": 3, "max_displacement": 3, "stride1": 2, "stride2": 2, "pad_size": 3}, correlated(3, 3, 2, 2, 3)),
    Sample("Correlation", [(2, 2, 4, 4), (2, 2, 4, 4)], {"is_multiply": False, "pad_size": 1}, correlated(1, 1, 1, 1, 1, False), gradient=False),
]

N = {"sample_type": "nearest", "scale": 2}
ST = {**AFFINE, "sampler_type": "bilinear"}
INFERRED = [
    ("BilinearSampler", {}, [(_, 2, 5, 5), (1, 2, 3, _)], None, "[?,2,5,5], [1,2,3,?] -> [?,2,3,?]"),
    ("GridGenerator", AFFINE, [(_, 6)], None, "[?,6] -> [?,2,3,4]"),
    ("SpatialTransformer", ST, [(2, _, 5, 5), None], None, "[2,?,5,5], unknown -> unknown"),
    ("SpatialTransformer", ST, [(2, _, 5, 5), (2, 6)], None, "[2,?,5,5], [2,6] -> [2,?,3,4]"),
    ("UpSampling", {**N, "num_args": 1}, [(_, 2, 3, 3)], None, "[?,2,3,3] -> [?,2,6,6]"),
    ("UpSampling", {"scale": 3, **BILINEAR}, [(1, 2, _, 3), None], None, "[1,2,?,3], [2,1,5,5] -> [1,2,?,9]"),
    ("Correlation", {}, [(_, 2, 6, 7), None], None, "[?,2,6,7], unknown -> unknown"),
    ("Correlation", {}, [(_, 2, 6, 7), (1, _, _, _)], None, "[1,2,6,7], [1,2,6,7] -> [1,9,4,5]"),
    (R, {"mode": "odd_scale", "scale_height": 2, "scale_width": 2.3}, [(1, 2, 5, 8)], None, "[1,2,5,8] -> [1,2,9,18]"),
    (R, {"mode": "odd_scale", "scale_height": 0.7, "scale_width": 0.5}, [(1, 2, 10, 7)], None, "[1,2,10,7] -> [1,2,7,4]"),
    (R, {"mode": "to_even_down"}, [(1, 2, 5, 8)], None, "[1,2,5,8] -> [1,2,4,8]"),
    (R, {"mode": "to_even_up"}, [(1, 2, 5, 8)], None, "[1,2,5,8] -> [1,2,6,8]"),
    (R, {"mode": "to_odd_down"}, [(1, 2, 5, 8)], None, "[1,2,5,8] -> [1,2,5,7]"),
    (R, {"mode": "to_odd_up"}, [(1, 2, 5, 8)], None, "[1,2,5,8] -> [1,2,5,9]"),
]
REFUSED = [
    ("BilinearSampler", {}, [(1, 2, 4, 4), (1, 3, 4, 4)], "grid has shape [1,3,4,4]: axis 1 must have 2"),
    ("BilinearSampler", {}, [(1, 2, 4, 4), (2, 2, 4, 4)], "grid has shape [2,2,4,4]"),
    ("GridGenerator", AFFINE, [(2, 5)], "data has shape [2,5]: axis 1 must have 6"),
    ("GridGenerator", {"transform_type": "affine"}, [(2, 6)], "target_shape=(0, 0)"),
    ("SpatialTransformer", ST, [(2, 3, 4), (2, 6)], "data has shape [2,3,4]: it must have 4"),
    ("UpSampling", {**N, "num_args": 2}, [(1, 2, 3, 3), (1, 1, 4, 4)], "arg1 has shape [1,1,4,4]", "[6,6]"),
    ("UpSampling", {**N, "num_args": 2, "multi_input_mode": "sum"}, [(1, 2, 3, 3), (1, 1, 3, 3)], "arg1 has shape [1,1,3,3]"),
    (R, {"scale_height": 2}, [(1, 2, 3, 4)], "scale_height=2.0, scale_width=None: both are needed"),
    (R, {"mode": "to_even_down"}, [(1, 2, 1, 4)], "mode=to_even_down: data [1,2,1,4] would get size"),
    ("Correlation", {"max_displacement": 3}, [(1, 2, 6, 7)] * 2, "max_displacement=3, kernel_size=1: 6 pixels"),
    ("Correlation", {"kernel_size": 2}, [(1, 2, 6, 7)] * 2, "kernel_size=2: it must be odd"),
    ("Correlation", {"stride2": 0}, [(1, 2, 6, 7)] * 2, "stride2=0"),
]
# fmt: on


def test_where_images_agree_their_difference_grows_with_the_first():
    a = torch.ones(1, 1, 1, 1, requires_grad=True)
    b = torch.ones(1, 1, 1, 1, requires_grad=True)
    op = find("Correlation").of({"is_multiply": False, "max_displacement": 0})
    op.forward(a, b).backward()
    assert (a.grad.item(), b.grad.item()) == (1.0, -1.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_many_pixels_are_repeated_like_few(dtype):
    data = torch.arange(2 * 8 * 20 * 30).reshape(2, 8, 20, 30).to(dtype)
    op = find("UpSampling").of({"scale": 3, "sample_type": "nearest", "num_args": 1})
    if dtype.is_floating_point:
        data.requires_grad_()
    result = op.forward(data)
    assert torch.equal(result, data.repeat_interleave(3, 2).repeat_interleave(3, 3))
    if data.requires_grad:
        head = torch.arange(result.numel()).remainder(7).reshape(result.shape).to(dtype)
        (gradient,) = torch.autograd.grad(result, data, head)
        blocks = head.view(2, 8, 20, 3, 30, 3)
        assert torch.equal(gradient, blocks.sum((3, 5)))
