# SPDX-License-Identifier: Apache-2.0
"""oneDNN's kernels for 8-bit integers: what they give, and that those which differ are not used."""

import pytest
import torch
import torch.nn.functional as F

from mxnova.core.runtime import torch_integers
from mxnova.core.runtime.torch_integers import Steps

onednn = pytest.mark.skipif(
    not torch_integers.has_integer_kernels(), reason="no exact int8 kernels here"
)
KERNELS = ("qconv2d_pointwise", "qconv_prepack", "qlinear_pointwise", "qlinear_prepack")


@pytest.fixture
def tried_anew():
    torch_integers.has_integer_kernels.cache_clear()
    yield
    torch_integers.has_integer_kernels.cache_clear()


class Kernels:
    """torch's, but for one."""

    def __init__(self, name, kernel):
        self.__dict__.update({n: getattr(torch.ops.onednn, n) for n in KERNELS})
        self.__dict__[name] = kernel
        if kernel is None:
            del self.__dict__[name]


class Sixteen:
    """A kernel that cuts sums of two products to 16 bits, as those without VNNI do."""

    binary = torch.ops.onednn.qconv2d_pointwise.binary

    def __call__(self, *given):
        return torch.ops.onednn.qconv2d_pointwise(*given) * (32767 / 64770)


def refused(*_args):
    raise RuntimeError("got an unexpected argument")


@onednn
@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize(
    "name, kernel",
    [*((n, k) for n in KERNELS for k in (None, refused)), ("qconv2d_pointwise", Sixteen())],
)
def test_kernels_that_are_absent_or_inexact_are_not_used(name, kernel, monkeypatch):
    kernels = Kernels(name, kernel)
    monkeypatch.setattr(torch_integers.torch.ops, "onednn", kernels)
    assert not torch_integers.has_integer_kernels()


def images(dtype, channels):
    low, high = (0, 256) if dtype is torch.uint8 else (-128, 128)
    made = torch.randint(low, high, (2, channels, 9, 8)).to(dtype)
    return made.contiguous(memory_format=torch.channels_last)


@onednn
@pytest.mark.parametrize("zero", [0, 128])
@pytest.mark.parametrize("shape", [(2, 12, 9, 8), (1, 12, 5, 5), None])
@pytest.mark.parametrize(
    "window",
    [
        ([0, 0], [1, 1], [1, 1], 1),
        ([1, 2], [2, 1], [1, 1], 1),
        ([2, 2], [1, 1], [2, 2], 3),
        ([1, 1], [1, 1], [1, 1], 12),
    ],
)
def test_convolutions_at_any_shape(window, shape, zero):
    torch.manual_seed(0)
    pad, stride, dilate, groups = window
    image = images(torch.uint8, 12)
    weight = torch.randint(-128, 128, (24, 12 // groups, 3, 3), dtype=torch.int8)
    sizes, bias = torch.rand(24) / 100 + 0.001, torch.randn(24)
    data = Steps(torch.uint8, 0.02, zero)
    packed = torch_integers.packed_convolution(weight, sizes, data, window, shape)
    real = (image.double() - zero) * 0.02
    scaled = weight.double() * sizes.double().view(-1, 1, 1, 1)
    wanted = F.conv2d(real, scaled, bias.double(), stride, pad, dilate, groups)
    what = (image, data, packed, bias, window)
    found = torch_integers.integer_convolution(*what, ("none", [], ""), Steps(torch.float32))
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=1e-5)
    narrow = torch_integers.integer_convolution(*what, ("relu", [], ""), Steps(torch.uint8, 0.5))
    close = (wanted.relu() / 0.5).clamp(0, 255)
    assert (narrow.double() - close).abs().max() <= 0.5 + 1e-4


@onednn
@pytest.mark.parametrize("shape", [(3, 20), (7, 20), None])
def test_products_at_any_shape(shape):
    torch.manual_seed(0)
    rows = torch.randint(0, 256, (3, 20), dtype=torch.uint8)
    weight = torch.randint(-128, 128, (5, 20), dtype=torch.int8)
    sizes = torch.rand(5) / 100 + 0.001
    packed = torch_integers.packed_product(weight, sizes, shape and list(shape))
    data = Steps(torch.uint8, 0.02, 128)
    what = (rows, data, packed, None, ("none", [], ""))
    found = torch_integers.integer_product(*what, Steps(torch.float32))
    wanted = F.linear((rows.double() - 128) * 0.02, weight.double() * sizes.double()[:, None])
    torch.testing.assert_close(found.double(), wanted, rtol=1e-5, atol=1e-5)
