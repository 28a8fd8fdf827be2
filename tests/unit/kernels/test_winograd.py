# SPDX-License-Identifier: Apache-2.0
"""Convolution by tiles gives what convolution gives, for every way that tiles overhang images."""

import functools

import pytest
import torch

from mxnova.core.kernels import winograd

from ..op.windows import error_by_tiles

pytestmark = pytest.mark.onednn

# batch, channels, filters, height, width, pad
CASES = [
    (1, 1, 1, 3, 3, (0, 0)),
    (1, 3, 5, 4, 4, (1, 1)),
    (2, 5, 3, 7, 9, (1, 1)),
    (3, 2, 4, 6, 6, (0, 0)),
    (2, 4, 4, 1, 10, (1, 0)),
    (2, 4, 4, 5, 3, (2, 3)),
    (2, 16, 8, 13, 14, (0, 1)),
    (1, 8, 8, 16, 8, (1, 1)),
    (1, 2, 2, 17, 18, (3, 3)),
]


def convolved(images, weight, bias, pad, **options):
    n, _, height, width = images.shape
    size = (height + 2 * pad[0] - 2, width + 2 * pad[1] - 2)
    output = images.new_full((n, *size, len(weight)), float("nan"))
    added = winograd.bias_of_products(bias)
    multiply = functools.partial(winograd.multiplied, weight=winograd.windows(weight), bias=added)
    winograd.convolve(images.permute(0, 2, 3, 1), output, pad, multiply, **options)
    return output.permute(0, 3, 1, 2)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rectified", [False, True])
def test_equals_convolution(case, rectified):
    assert error_by_tiles(convolved, case, rectified) <= 1e-5


def test_what_is_not_finite_stays_in_its_tiles():
    images, weight = torch.ones(1, 2, 16, 16), torch.ones(2, 2, 3, 3)
    images[0, 0, 2, 2] = float("nan")
    got = convolved(images, weight, torch.zeros(2), (1, 1))
    assert got[:, :, :4, :4].isnan().all()
    assert got[:, :, 4:].isfinite().all() and got[:, :, :, 4:].isfinite().all()
