# SPDX-License-Identifier: Apache-2.0
"""Max pooling by maxima of slices gives, to the bit, what ATen's kernels give."""

import math

import pytest
import torch
import torch.nn.functional as F

import mxnova.core.op.library  # noqa: F401
from mxnova.core.kernels import max_pooling
from mxnova.core.op.schema import find
from mxnova.core.runtime import tuning

LAYOUTS = (torch.contiguous_format, torch.channels_last)


def images(*shape, dtype=torch.float32, layout=torch.channels_last):
    generator = torch.Generator().manual_seed(sum(shape))
    data = torch.randn(shape, generator=generator).to(dtype)
    return data.contiguous(memory_format=layout)


def pool(data, **attrs):
    return find("Pooling").of({"pool_type": "max", **attrs}).forward(data)


PLACES = [
    {"kernel": (3, 3), "stride": (2, 2)},
    {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    {"kernel": (3, 3), "stride": (1, 1), "pad": (1, 1)},
    {"kernel": (2, 2), "stride": (2, 2)},
    {"kernel": (2, 5), "stride": (3, 2), "pad": (0, 2)},
    {"kernel": (1, 1), "stride": (2, 2)},
    {"kernel": (3, 3), "stride": (2, 2), "pooling_convention": "full"},
    {"kernel": (4, 4), "stride": (2, 2), "pad": (1, 1), "pooling_convention": "full"},
]


@pytest.fixture
def counted(monkeypatch):
    """How often images were pooled so."""
    calls = []
    run = max_pooling.max_pool

    def watched(*args):
        calls.append(args)
        return run(*args)

    monkeypatch.setattr(max_pooling, "max_pool", watched)
    monkeypatch.setattr(max_pooling, "HAS_AVX512", False)
    return calls


@pytest.mark.parametrize("layout", LAYOUTS, ids=["rows", "channels last"])
@pytest.mark.parametrize("place", PLACES)
def test_max_pool_equals_aten(counted, place, layout):
    data = images(3, 24, 37, 42, layout=layout)
    found = pool(data, **place)
    up = place.get("pooling_convention") == "full"
    geometry = place["kernel"], place["stride"], place.get("pad", 0)
    assert torch.equal(found, F.max_pool2d(data, *geometry, ceil_mode=up))
    assert found.is_contiguous(memory_format=layout)
    assert len(counted) == 1


@pytest.mark.parametrize("size", [4, 40], ids=["small", "large"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS, ids=["rows", "channels last"])
@pytest.mark.parametrize("recorded", [False, True])
def test_max_pool_passes_over_nan_in_images_of_any_size(size, dtype, layout, recorded):
    lowest = torch.finfo(dtype).min
    data = images(2, 16, size, size, layout=layout).to(dtype)
    data[0, 1, 0, :4] = torch.tensor([math.nan, 9, -math.inf, math.nan])
    data[0, 1, 1, :4] = torch.tensor([-math.nan, 1, -math.inf, -math.inf])
    data[0, 2, 0, 0] = math.inf
    data.requires_grad_(recorded)
    found = pool(data, kernel=(2, 2), stride=(2, 2))
    expected = F.max_pool2d(data.detach().nan_to_num(lowest, math.inf, lowest), 2)
    assert torch.equal(found.detach(), expected)
    assert found[0, 1, 0, :2].tolist() == [9, lowest]
    if recorded:
        found.sum().backward()
        slopes = data.grad[0, 1, :2, :4].int().tolist()
        assert slopes == [[0, 1, 1, 0], [0, 0, 0, 0]]
        assert data.grad[0, 2, 0, 0] == 1


def test_images_in_parts(counted, monkeypatch):
    monkeypatch.setattr(tuning, "MAX_POOLING_BLOCK", 1 << 15)
    data = images(7, 16, 32, 32, dtype=torch.bfloat16)
    found = pool(data, kernel=(3, 3), stride=(2, 2))
    assert torch.equal(found, F.max_pool2d(data, 3, 2))
    assert counted


@pytest.mark.parametrize(
    "data, place",
    [
        (images(1, 16, 8, 8), {"kernel": (3, 3)}),  # small
        (images(1, 16, 64, 65), {"kernel": (2, 2), "pad": (1, 1)}),  # no place is inside always
        (images(1, 64, 40, 40), {"kernel": (40, 40)}),  # long
        (images(1, 16, 64, 64, dtype=torch.float64), {"kernel": (3, 3)}),
    ],
)
def test_what_is_left_to_aten(counted, data, place):
    found = pool(data, **place)
    expected = F.max_pool2d(data, place["kernel"], 1, place.get("pad", 0))
    assert torch.equal(found, expected)
    assert not counted


def test_gradients_flow(counted):
    data = images(2, 16, 64, 64).requires_grad_()
    pool(data, kernel=(2, 2), stride=(2, 2)).sum().backward()
    assert data.grad.sum() == 2 * 16 * 32 * 32
    assert not counted
