# SPDX-License-Identifier: Apache-2.0
"""Copies in another order of axes hold the same as ATen's."""

import pytest
import torch

from mxnova.core.kernels.transpose import channels_last, contiguous


def _numbered(*shape, dtype=torch.float32):
    count = torch.Size(shape).numel()
    return torch.arange(count, dtype=torch.int32).reshape(shape).to(dtype)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((100, 90), (1, 0)),
        ((2, 16, 30, 20), (0, 2, 3, 1)),
        ((2, 30, 20, 16), (0, 3, 1, 2)),
        ((8, 16, 16, 9), (0, 1, 3, 2)),
        ((16, 16, 16, 9), (3, 2, 1, 0)),
        ((40, 3, 10, 20), (0, 2, 1, 3)),
        ((3, 100, 100), (1, 2, 0)),
        ((1, 1, 100, 1, 90), (4, 0, 1, 2, 3)),
        ((5, 4), (1, 0)),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.float64, torch.int8])
def test_in_order(shape, axes, dtype):
    data = _numbered(*shape, dtype=dtype).permute(axes)
    copy = contiguous(data)
    expected = data.contiguous()
    assert torch.equal(copy, expected)
    assert copy.stride() == expected.stride()
    assert copy.dtype is dtype
    assert copy._base is None


def test_in_order_of_a_part_of_an_array():
    part = _numbered(4, 100, 90)[1:3].transpose(1, 2)
    assert torch.equal(contiguous(part), part.contiguous())
    apart = _numbered(4, 100, 90)[:, :, :50].transpose(1, 2)
    assert torch.equal(contiguous(apart), apart.contiguous())


def test_what_is_in_order_stays():
    data = _numbered(100, 100)
    assert contiguous(data) is data


def test_gradients_of_gradients_pass():
    data = torch.rand(256, 160, requires_grad=True)
    turned = contiguous(data.T)
    weight = torch.rand(160, 256)
    (gradient,) = torch.autograd.grad((turned**3 * weight).sum(), data, create_graph=True)
    assert torch.allclose(gradient, 3 * data**2 * weight.T)
    (second,) = torch.autograd.grad(gradient.sum(), data)
    assert torch.allclose(second, 6 * data * weight.T)


@pytest.mark.parametrize("shape", [(2, 16, 20, 30), (2, 3, 60, 60), (1, 64, 1, 200), (4, 2, 3, 4)])
def test_channels_last(shape):
    images = _numbered(*shape)
    copy = channels_last(images)
    expected = images.contiguous(memory_format=torch.channels_last)
    assert torch.equal(copy, expected)
    assert copy.stride() == expected.stride()
    assert channels_last(copy) is copy
