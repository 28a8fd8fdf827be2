# SPDX-License-Identifier: Apache-2.0
"""Products of 8-bit integers are exact, however many of them are added up."""

import pytest
import torch
import torch.nn.functional as F

from mxnova.core.op.quantized import products


def _integers(dtype, *shape):
    limits = torch.iinfo(dtype)
    return torch.randint(limits.min, limits.max + 1, shape, dtype=dtype)


@pytest.mark.parametrize("has_kernels", [False, True])
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("width", [1, 1000, 3000])
def test_linear(monkeypatch, has_kernels, dtype, width):
    monkeypatch.setattr(products, "HAS_AVX512", has_kernels)
    data, weight = _integers(dtype, 2, 3, width), _integers(torch.int8, 5, width)
    data[0, 0] = torch.iinfo(dtype).max
    weight[0] = -128
    sums = products.linear(data, weight)
    assert sums.dtype is torch.int32
    assert torch.equal(sums.long(), data.long() @ weight.long().T)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("width", [1, 2, 64])
def test_rows_in_one_place_of_memory(monkeypatch, dtype, width):
    monkeypatch.setattr(products, "HAS_AVX512", True)
    data, weight = _integers(dtype, 1, width), _integers(torch.int8, 1, width)
    sums = products.linear(data.expand(3, -1), weight.expand(5, -1))
    assert torch.equal(sums.long(), (data.long() @ weight.long().T).expand(3, 5))


@pytest.mark.parametrize("has_kernels", [False, True])
@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8])
@pytest.mark.parametrize("kernel", [(3, 3), (2, 1, 3), (30, 30)])
def test_convolution(monkeypatch, has_kernels, dtype, kernel):
    monkeypatch.setattr(products, "HAS_AVX512", has_kernels)
    n = len(kernel)
    size = [k + 4 for k in kernel]
    data, weight = _integers(dtype, 2, 150, *size), _integers(torch.int8, 3, 150, *kernel)
    stride, pad, dilate = [2, *[1] * (n - 1)], [1] * n, [*[1] * (n - 1), 2 if n == 3 else 1]
    sums = products.convolution(data, weight, stride, pad, dilate)
    convolve = F.conv2d if n == 2 else F.conv3d
    expected = convolve(data.double(), weight.double(), None, stride, pad, dilate)
    assert sums.dtype is torch.int32
    assert torch.equal(sums.double(), expected)
