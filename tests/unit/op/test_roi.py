# SPDX-License-Identifier: Apache-2.0
import itertools
from math import ceil, cos, floor, radians, sin

import numpy as np
import pytest
import torch

import mxnova.core.op.nn.roi as roi
import mxnova.core.op.nn.roi_align  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from mxnova.core.runtime import tuning
from tests.unit.fake_gpu import FakeGpu, on_gpu
from tests.unit.op.inference import inferred_shapes
from tests.unit.op.samples import Sample

_ = UNKNOWN
# Image, left, top, right, bottom: inside, beyond the border, one pixel, far outside, no image.
ROIS = np.array(
    [[0, 1.2, 0.7, 9.6, 11], [1, -3, 4, 22.5, 7.4], [1, 5, 5, 5, 5], [0, 40, 40, 44, 50], [2, 0, 0, 9, 9]],
    "float32",
)  # fmt: skip
X = (2, 3, 7, 8)


def nearest(v):
    return floor(abs(v) + 0.5) * (1 if v >= 0 else -1)


def over_bins(rois, rows, columns, n_channels, function):
    """`function(roi, row, column)` (channels) for each bin, 0 for images that do not exist."""
    out = np.zeros((len(rois), n_channels, rows, columns))
    for r, i, j in np.ndindex(len(rois), rows, columns):
        if 0 <= rois[r, 0] < 2:
            out[r, :, i, j] = function(rois[r], i, j)
    return out


def highest(size, scale):
    def function(data, rois):
        def bin_of(roi, i, j):
            left, top, right, bottom = (nearest(np.float32(v) * np.float32(scale)) for v in roi[1:])
            high, wide = max(bottom - top + 1, 1) / size[0], max(right - left + 1, 1) / size[1]
            rows = [
                y
                for y in range(floor(i * high) + top, ceil((i + 1) * high) + top)
                if 0 <= y < data.shape[2]
            ]
            columns = [
                x
                for x in range(floor(j * wide) + left, ceil((j + 1) * wide) + left)
                if 0 <= x < data.shape[3]
            ]
            if not rows or not columns:
                return 0.0
            return data[int(roi[0])][:, rows][:, :, columns].max((1, 2))

        return over_bins(rois, *size, data.shape[1], bin_of)

    return function


def mean_of_own_channels(n, scale, groups, n_outputs=2):
    def function(data, rois):
        maps = data.reshape(len(data), n_outputs, groups, groups, *data.shape[2:])

        def bin_of(roi, i, j):
            left, top = nearest(roi[1]) * scale, nearest(roi[2]) * scale
            wide = max((nearest(roi[3]) + 1) * scale - left, 0.1) / n
            high = max((nearest(roi[4]) + 1) * scale - top, 0.1) / n
            rows = [
                y
                for y in range(floor(i * high + top), ceil((i + 1) * high + top))
                if 0 <= y < data.shape[2]
            ]
            columns = [
                x
                for x in range(floor(j * wide + left), ceil((j + 1) * wide + left))
                if 0 <= x < data.shape[3]
            ]
            if not rows or not columns:
                return 0.0
            own = maps[int(roi[0]), :, i * groups // n, j * groups // n]
            return own[:, rows][:, :, columns].mean((1, 2))

        return over_bins(rois, n, n, n_outputs, bin_of)

    return function


def between(image, y, x):
    """`image` (channels, height, width) at a point; 0 more than a pixel outside."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    i, j = min(int(y), height - 2), min(int(x), width - 2)
    v, u = y - i, x - j
    upper = image[:, i, j] * (1 - u) + image[:, i, j + 1] * u
    return upper * (1 - v) + (image[:, i + 1, j] * (1 - u) + image[:, i + 1, j + 1] * u) * v


def aligned_mean(size, scale, n_samples=-1, aligned=False, own=False):
    def function(data, rois):
        n_channels = data.shape[1] // (size[0] * size[1]) if own else data.shape[1]
        shape = (len(data), n_channels, *size, *data.shape[2:])
        maps = data.reshape(shape) if own else data

        def bin_of(roi, i, j):
            least, shift = (0, 0.5) if aligned else (1, 0)
            left, top = roi[1] * scale - shift, roi[2] * scale - shift
            wide = max((roi[3] - roi[1]) * scale, least) / size[1]
            high = max((roi[4] - roi[2]) * scale, least) / size[0]
            rows = n_samples if n_samples > 0 else ceil(high)
            columns = n_samples if n_samples > 0 else ceil(wide)
            image = maps[int(roi[0]), :, i, j] if own else maps[int(roi[0])]
            total = sum(
                between(
                    image,
                    top + (i + (a + 0.5) / rows) * high,
                    left + (j + (b + 0.5) / columns) * wide,
                )
                for a, b in np.ndindex(rows, columns)
            )
            return total / max(rows * columns, 1)

        return over_bins(rois, *size, n_channels, bin_of)

    return function


def rotated_mean(size, scale, n_samples):
    def function(data, rois):
        def bin_of(roi, i, j):
            wide, high = max(roi[3] * scale, 1), max(roi[4] * scale, 1)
            rows = n_samples if n_samples > 0 else ceil(high / size[0])
            columns = n_samples if n_samples > 0 else ceil(wide / size[1])
            turn, total = radians(roi[5]), 0.0
            for a, b in np.ndindex(rows, columns):
                y = (i + (a + 0.5) / rows) * high / size[0] - high / 2
                x = (j + (b + 0.5) / columns) * wide / size[1] - wide / 2
                at = (
                    y * cos(turn) - x * sin(turn) + roi[2] * scale,
                    x * cos(turn) + y * sin(turn) + roi[1] * scale,
                )
                total = total + between(data[int(roi[0])], *at)
            return total / (rows * columns)

        return over_bins(rois, *size, data.shape[1], bin_of)

    return function


ROTATED = np.array([[0, 6, 7, 8, 5, 30], [1, 3, 3, 12, 2, -100], [5, 1, 1, 2, 2, 0]], "float32")
# Far greater than the map, with it in the middle, in a corner, and beyond.
LARGE = np.array(
    [[0, 6, 7, 80, 250, 30], [1, 60, 90, 200, 150, -80], [0, 300, 9, 90, 90, 5]], "float32"
)
HALF = {"spatial_scale": 0.5}
POOLED = {**HALF, "pooled_size": "(2, 3)"}
A, P, RR = "_contrib_ROIAlign", "_contrib_PSROIPooling", "_contrib_RROIAlign"
# fmt: off
SAMPLES = [
    Sample("ROIPooling", [X, ROIS], POOLED, highest((2, 3), 0.5), gradient=False),
    Sample("ROIPooling", [X, ROIS], {"pooled_size": "(3, 1)", "spatial_scale": 1}, highest((3, 1), 1), gradient=False),
    Sample(A, [X, ROIS], POOLED, aligned_mean((2, 3), 0.5), gradient=False),
    Sample(A, [X, ROIS], {**POOLED, "sample_ratio": 3}, aligned_mean((2, 3), 0.5, 3), gradient=False),
    Sample(A, [X, ROIS[:2]], {**POOLED, "aligned": True}, aligned_mean((2, 3), 0.5, aligned=True), gradient=False),
    Sample(A, [(2, 12, 5, 6), ROIS], {**POOLED, "position_sensitive": True}, aligned_mean((2, 3), 0.5, own=True), gradient=False),
    Sample(A, [(1, 2, 5, 6), ROIS[:1]], POOLED, lambda x, r: aligned_mean((2, 3), 0.5)(x, r), gradient=False, note=" one image"),
    Sample(RR, [X, ROTATED], POOLED, rotated_mean((2, 3), 0.5, -1)),
    Sample(RR, [X, LARGE], POOLED, rotated_mean((2, 3), 0.5, -1), note=" large"),
    Sample(RR, [X, ROTATED], {**POOLED, "sampling_ratio": 2}, rotated_mean((2, 3), 0.5, 2)),
    Sample(P, [(2, 8, 7, 8), ROIS], {**HALF, "pooled_size": 2, "output_dim": 2}, mean_of_own_channels(2, 0.5, 2), gradient=False),
    Sample(P, [(2, 8, 7, 8), ROIS], {**HALF, "pooled_size": 3, "group_size": 2, "output_dim": 2}, mean_of_own_channels(3, 0.5, 2), gradient=False),
]

INFERRED = [
    ("ROIPooling", POOLED, [(_, 3, 8, _), (_, 5)], None, "[?,3,8,?], [?,5] -> [?,3,2,3]"),
    (A, {**POOLED, "position_sensitive": 1}, [(2, 12, 8, 8), (4, 5)], None, "[2,12,8,8], [4,5] -> [4,2,2,3]"),
    (RR, POOLED, [(1, 3, 8, 8), (4, 6)], None, "[1,3,8,8], [4,6] -> [4,3,2,3]"),
    (P, {**HALF, "pooled_size": 2, "output_dim": 3}, [(2, _, 8, 8), (4, 5)], None, "[2,?,8,8], [4,5] -> [4,3,2,2]"),
]
REFUSED = [
    ("ROIPooling", POOLED, [(1, 1, 4, 4), (2, 4)], "rois has shape [2,4]: a region has 5"),
    ("ROIPooling", POOLED, [(1, 4, 4), (2, 5)], "data has shape [1,4,4]"),
    ("ROIPooling", {**HALF, "pooled_size": 2}, [(1, 1, 4, 4), (2, 5)], "pooled_size=(2,)"),
    (A, {**POOLED, "position_sensitive": 1}, [(1, 5, 4, 4), (2, 5)], "pooled_size=(2, 3): data has shape [1,5,4,4]"),
    (RR, POOLED, [(1, 1, 4, 4), (2, 5)], "rois has shape [2,5]: a region has 6"),
    (P, {**HALF, "pooled_size": 2, "output_dim": 2}, [(1, 7, 4, 4), (2, 5)], "group_size=2, output_dim=2", "needs 8 channels"),
    (P, {**HALF, "pooled_size": 0, "output_dim": 2}, [(1, 8, 4, 4), (2, 5)], "pooled_size=0"),
]
# fmt: on


def test_the_scale_is_a_share():
    with pytest.raises(ArgumentError, match="ROIPooling: spatial_scale='2': must be <= 1"):
        find("ROIPooling").of({"pooled_size": "(2, 2)", "spatial_scale": "2"})


DIFFERENTIABLE = [s for s in SAMPLES if s.op != RR]


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=str)
def test_data_has_a_gradient_and_regions_have_none(sample):
    op = find(sample.op).of(sample.attrs)
    data, rois = (torch.from_numpy(a).double() for a in sample.arrays())
    assert torch.autograd.gradcheck(lambda x: op.forward(x, rois), data.requires_grad_())
    rois.requires_grad_()
    (d_rois,) = torch.autograd.grad(op.forward(data, rois).sum(), rois, allow_unused=True)
    assert d_rois is None


def test_the_gradient_of_equal_maxima_goes_to_the_first():
    x = torch.zeros(1, 1, 3, 4, requires_grad=True)
    op = find("ROIPooling").of({"pooled_size": "(1, 1)", "spatial_scale": 1})
    op.forward(x, torch.tensor([[0.0, 1, 1, 3, 2]])).backward()
    assert x.grad.nonzero().tolist() == [[0, 0, 1, 1]]


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_no_regions(sample):
    op = find(sample.op).of(sample.attrs)
    data, rois = (torch.from_numpy(a) for a in sample.arrays())
    assert op.forward(data, rois[:0]).shape[0] == 0


def test_few_bins_and_many_have_the_same_means(monkeypatch):
    torch.manual_seed(0)
    for bins, groups, regions in [(1, 1, 1), (2, 3, 3), (3, 2, 2), (3, 3, 1), (2, 2, 0)]:
        data = torch.randn(2, 2 * groups**2, 9, 7, requires_grad=True)
        corners = torch.randint(-20, 150, (regions, 4))
        rois = torch.cat([torch.randint(-1, 3, (regions, 1)), corners], 1).float()
        results = []
        for few in (0, 1000):
            monkeypatch.setattr(tuning, "REGION_MAX_BINS", few)
            pooled = roi.position_sensitive_roi_pooling(
                data,
                rois,
                spatial_scale=0.0625,
                output_dim=2,
                pooled_size=bins,
                group_size=groups,
            )
            head = torch.arange(pooled.numel()).view_as(pooled) * 1.0
            total = (pooled * head).sum() + 0 * data.sum()
            results.append((pooled, torch.autograd.grad(total, data)[0]))
        for one, other in zip(*results, strict=True):
            torch.testing.assert_close(one, other)


POOLINGS = {
    "ROIPooling": {},
    A: {},
    RR: {},
    f"{RR} 2": {"sampling_ratio": 2},
    P: {"pooled_size": 2, "output_dim": 2},
    "_contrib_DeformablePSROIPooling": {
        "pooled_size": 2, "output_dim": 2, "group_size": 2, "no_trans": True
    },
}  # fmt: skip


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), 1e30, -1e30, 1e6])
@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("pooling", POOLINGS)
def test_regions_of_any_numbers(pooling, column, number):
    name = pooling.split()[0]
    roi = torch.tensor([[0.0, 1, 1, 4, 4, 30][: 6 if name == RR else 5]])
    roi[0, column] = number
    op = find(name).of({"pooled_size": (2, 2), "spatial_scale": 1.0} | POOLINGS[pooling])
    data = torch.rand(1, 8, 6, 7)
    few, many = (op.forward(data, roi.expand(n, -1)) for n in (1, 40))
    assert torch.allclose(few[0], many[39], equal_nan=True)
    if column == 0:
        assert not few.any()


def test_rotated_regions_of_any_size_take_no_time():
    op = find(RR).of({"pooled_size": (7, 7), "spatial_scale": 1.0})
    rois = torch.tensor([[0.0, 3, 3, 1e6, 1e6, 30]] * 100)
    assert op.forward(torch.ones(1, 2, 32, 32), rois).isfinite().all()
    with pytest.raises(MXNetError, match="_contrib_RROIAlign: sampling_ratio=100000: must be <="):
        inferred_shapes(RR, {"sampling_ratio": 100_000} | POOLED, [X, (3, 6)])


def test_bins_on_a_gpu_are_those_of_the_cpu():
    data = torch.rand(1, 1, 40, 40)
    for size, n in itertools.product(range(1, 20), range(1, 8)):
        op = find("ROIPooling").of({"pooled_size": (n, n), "spatial_scale": 1.0})
        rois = torch.tensor([[0.0, 1, 1, size, size]])
        with FakeGpu():
            there = op.forward(on_gpu(data), on_gpu(rois)).cpu()
        assert torch.equal(there, op.forward(data, rois)), (size, n)
