# SPDX-License-Identifier: Apache-2.0
from math import floor

import numpy as np
import pytest
import torch

import mxnova.core.op.nn.deformable  # noqa: F401
from mxnova.core.base.errors import ArgumentError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample
from tests.unit.op.windows import convolved, places

_ = UNKNOWN
V1, V2 = "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution"
PS = "_contrib_DeformablePSROIPooling"


def faded(image, y, x):
    """`image` (channels, height, width) at a point; it fades to 0 over the pixel around it."""
    padded = np.pad(image, [(0, 0), (1, 2), (1, 2)])
    y, x = np.clip(y + 1, 0, image.shape[1] + 1), np.clip(x + 1, 0, image.shape[2] + 1)
    i, j = int(y), int(x)
    v, u = y - i, x - j
    upper = padded[:, i, j] * (1 - u) + padded[:, i, j + 1] * u
    return upper * (1 - v) + (padded[:, i + 1, j] * (1 - u) + padded[:, i + 1, j + 1] * u) * v


def kept(image, y, x):
    """`image` at a point; 0 before the first pixel, the last one until one behind it."""
    height, width = image.shape[1:]
    if not (0 <= y < height and 0 <= x < width):
        return np.zeros(len(image))
    return faded(image, min(y, height - 1), min(x, width - 1))


def deformed(at, stride, pad, dilate, groups=1, moved=1, modulated=False):
    """Convolution of what `at` finds at the moved items of the window."""

    def function(x, offset, *rest):
        mask = rest[0] if modulated else np.ones((len(x), offset.shape[1] // 2, *offset.shape[2:]))
        w, *bias = rest[1:] if modulated else rest
        n, channels, kernel = len(x), x.shape[1], w.shape[2:]
        n_items = kernel[0] * kernel[1]
        # The moved items side by side: an image that a plain convolution steps over.
        rows, columns = offset.shape[2:]
        spread = np.zeros((n, channels, rows * kernel[0], columns * kernel[1]))
        for place, (ys, xs) in places(x.shape[2:], kernel, stride, pad, dilate):
            for b, c, i, j in np.ndindex(n, channels, *kernel):
                item = c * moved // channels * n_items + i * kernel[1] + j
                dy, dx = offset[(b, slice(2 * item, 2 * item + 2), *place)]
                value = at(x[b, c : c + 1], ys[i] + dy, xs[j] + dx)[0] * mask[(b, item, *place)]
                spread[b, c, place[0] * kernel[0] + i, place[1] * kernel[1] + j] = value
        return convolved(spread, w, bias[0] if bias else 0.0, kernel, (0, 0), (1, 1), groups)

    return function


def nearest(v):
    return floor(abs(v) + 0.5) * (1 if v >= 0 else -1)


def moved_means(n, scale, groups, n_samples, parts=1, std=0.0, n_outputs=2):
    def function(data, rois, trans=None):
        maps = data.reshape(len(data), n_outputs, groups, groups, *data.shape[2:])
        height, width = data.shape[2:]
        out = np.zeros((len(rois), n_outputs, n, n))
        for r, c, i, j in np.ndindex(*out.shape):
            if not 0 <= rois[r, 0] < len(data):
                continue
            left, top = (nearest(v) * scale - 0.5 for v in rois[r, 1:3])
            wide = max((nearest(rois[r, 3]) + 1) * scale - 0.5 - left, 0.1)
            high = max((nearest(rois[r, 4]) + 1) * scale - 0.5 - top, 0.1)
            dx = dy = 0.0
            if trans is not None:
                k = c * (trans.shape[1] // 2) // n_outputs
                dx, dy = trans[r, 2 * k : 2 * k + 2, i * parts // n, j * parts // n] * std
            image = maps[int(rois[r, 0]), c, i * groups // n, j * groups // n][None]
            found = []
            for a, b in np.ndindex(n_samples, n_samples):
                y = top + dy * high + (i + a / n_samples) * high / n
                x = left + dx * wide + (j + b / n_samples) * wide / n
                if -0.5 <= y <= height - 0.5 and -0.5 <= x <= width - 0.5:
                    found.append(
                        kept(image, np.clip(y, 0, height - 1), np.clip(x, 0, width - 1))[0]
                    )
            out[r, c, i, j] = np.mean(found) if found else 0.0
        return out

    return function


K = {"kernel": "(3, 2)", "num_filter": 4}
MANY = {
    **K,
    "num_group": 2,
    "num_deformable_group": 2,
    "stride": "(2, 1)",
    "pad": "(1, 1)",
    "dilate": "(1, 2)",
}
ROIS = np.array([[0, 1.2, 0.7, 9.6, 11], [1, -3, 4, 22.5, 7.4], [3, 0, 0, 9, 9]], "float32")
S = {"spatial_scale": 0.5, "output_dim": 2}
# fmt: off
SAMPLES = [
    Sample(V1, [(2, 2, 4, 4), (2, 12, 2, 3), (4, 2, 3, 2), (4,)], K, deformed(kept, (1, 1), (0, 0), (1, 1))),
    Sample(V1, [(1, 4, 5, 4), (1, 24, 3, 4), (4, 2, 3, 2)], {**MANY, "no_bias": True}, deformed(kept, (2, 1), (1, 1), (1, 2), 2, 2)),
    Sample(V2, [(2, 2, 4, 4), (2, 12, 2, 3), (2, 6, 2, 3), (4, 2, 3, 2), (4,)], K, deformed(faded, (1, 1), (0, 0), (1, 1), modulated=True)),
    Sample(V2, [(1, 4, 5, 4), (1, 24, 3, 4), (1, 12, 3, 4), (4, 2, 3, 2)], {**MANY, "no_bias": True}, deformed(faded, (2, 1), (1, 1), (1, 2), 2, 2, True)),
    Sample(PS, [(2, 8, 7, 8), ROIS], {**S, "pooled_size": 2, "group_size": 2, "no_trans": True, "sample_per_part": 2}, moved_means(2, 0.5, 2, 2), gradient=False),
    Sample(PS, [(2, 8, 7, 8), ROIS, (3, 4, 2, 2)], {**S, "pooled_size": 3, "group_size": 2, "part_size": 2, "sample_per_part": 2, "trans_std": 0.25}, moved_means(3, 0.5, 2, 2, 2, 0.25), gradient=False),
    Sample(PS, [(2, 2, 7, 8), ROIS, (3, 2, 3, 3)], {**S, "pooled_size": 3, "group_size": 1, "trans_std": 0.1}, moved_means(3, 0.5, 1, 1, 3, 0.1), gradient=False),
]

P = {**S, "pooled_size": 2, "group_size": 2}
INFERRED = [
    (V1, K, [(_, 2, 6, _), None, None, None], None, "[?,2,6,?], [?,12,4,?], [4,2,3,2], [4] -> [?,4,4,?]"),
    (V2, {**MANY, "no_bias": 1}, [(1, 4, 5, 4), None, None, None], None, "[1,4,5,4], [1,24,3,4], [1,12,3,4], [4,2,3,2] -> [1,4,3,4]"),
    (PS, P, [(2, 8, 7, 8), (3, 5), (_, 4, _, _)], None, "[2,8,7,8], [3,5], [3,4,2,2] -> [3,2,2,2]"),
]
REFUSED = [
    (V1, {"kernel": 3, "num_filter": 4}, [(1, 2, 6), None, None, None], "kernel=(3,): it must have 2"),
    (V1, {**K, "num_deformable_group": 2}, [(1, 3, 6, 6), None, None, None], "num_deformable_group=2: data has 3"),
    (V1, K, [(1, 2, 6, 6), (1, 12, 4, 4), None, None], "offset has shape [1,12,4,4]"),
    (PS, P, [(2, 7, 7, 8), (3, 5), (3, 2, 2, 2)], "group_size=2, output_dim=2"),
    (PS, P, [(2, 8, 7, 8), (3, 5), (3, 3, 2, 2)], "trans has shape [3,3,2,2]"),
    (PS, P, [(2, 8, 7, 8), (3, 5), (3, 2, 3, 3)], "trans has shape [3,2,3,3]"),
]
# fmt: on


def test_the_standard_deviation_is_a_share():
    with pytest.raises(ArgumentError, match="trans_std='2': must be <= 1"):
        find(PS).of({**P, "trans_std": "2"})


def test_pooling_has_gradients_for_data_and_moves():
    op = find(PS).of({**P, "sample_per_part": 2, "trans_std": 0.1})
    generator = torch.Generator().manual_seed(5)
    data = torch.randn(2, 8, 7, 8, generator=generator, dtype=torch.float64).requires_grad_()
    trans = torch.randn(3, 2, 2, 2, generator=generator, dtype=torch.float64).requires_grad_()
    rois = torch.from_numpy(ROIS).double()
    assert torch.autograd.gradcheck(lambda d, t: op.forward(d, rois, t), (data, trans))


@pytest.mark.parametrize("name", [V1, V2])
def test_without_offsets_it_is_a_convolution(name):
    generator = torch.Generator().manual_seed(5)
    x, w, b = (torch.randn(s, generator=generator) for s in [(2, 2, 5, 5), (4, 2, 3, 2), (4,)])
    mask = [torch.ones(2, 6, 3, 4)] if name == V2 else []
    output = find(name).of(K).forward(x, torch.zeros(2, 12, 3, 4), *mask, w, b)
    torch.testing.assert_close(output, torch.nn.functional.conv2d(x, w, b))


def test_an_item_at_a_pixel_moves_towards_the_next_one():
    x = torch.arange(4.0).square().reshape(1, 1, 1, 4)
    offset = torch.zeros(1, 2, 1, 4, requires_grad=True)
    op = find(V1).of({"kernel": "(1, 1)", "num_filter": 1, "no_bias": True})
    op.forward(x, offset, torch.ones(1, 1, 1, 1)).sum().backward()
    assert offset.grad[0, 1, 0].tolist() == [1.0, 3.0, 5.0, 0.0]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e30])
@pytest.mark.parametrize("name", ["Deformable", "ModulatedDeformable"])
def test_an_item_moved_nowhere_is_zero(name, number):
    op = find(f"_contrib_{name}Convolution").of(
        {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
    )
    data, weight = torch.rand(1, 2, 3, 3), torch.ones(1, 2, 1, 1)
    offset = torch.zeros(1, 2, 3, 3)
    offset[0, 0, 1, 1] = number
    mask = [] if name == "Deformable" else [torch.ones(1, 1, 3, 3)]
    wanted = data.sum(1, keepdim=True)
    wanted[..., 1, 1] = 0
    assert torch.allclose(op.forward(data, offset, *mask, weight), wanted)
