# SPDX-License-Identifier: Apache-2.0
"""Convolution by NNPACK gives what convolution gives, for every way that tiles overhang images."""

import multiprocessing

import pytest
import torch

from mxnova.core.op import nnpack

from .windows import error_by_tiles

pytestmark = pytest.mark.skipif(
    not nnpack.is_available(), reason="NNPACK, on processors with AVX2 and no more"
)

# batch, channels, filters, height, width, pad
CASES = [
    (1, 1, 1, 3, 3, (0, 0)),
    (1, 3, 5, 4, 4, (1, 1)),
    (2, 5, 3, 7, 9, (1, 1)),
    (3, 2, 4, 8, 8, (0, 0)),
    (2, 4, 4, 1, 10, (1, 0)),
    (2, 4, 4, 5, 3, (1, 2)),
    (2, 16, 8, 13, 14, (0, 1)),
    (1, 8, 8, 18, 12, (1, 1)),
    (1, 2, 2, 19, 20, (2, 2)),
]


def convolved(images, weight, bias, pad, **options):
    n, _, height, width = images.shape
    size = (height + 2 * pad[0] - 2, width + 2 * pad[1] - 2)
    output = images.new_full((n, len(weight), *size), float("nan"))
    nnpack.convolve(images, output, pad, nnpack.transformed(weight), bias, **options)
    return output


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rectified", [False, True])
def test_equals_convolution(case, rectified, threads):
    assert error_by_tiles(convolved, case, rectified) <= 3e-5


def ones():
    return convolved(torch.ones(1, 4, 24, 24), torch.ones(4, 4, 3, 3), torch.zeros(4), (0, 0))


def send_ones(connection):
    connection.send(ones().numpy())


def test_forked_children_have_threads_of_their_own(threads):
    torch.testing.assert_close(ones(), torch.full((1, 4, 22, 22), 36.0))
    context = multiprocessing.get_context("fork")
    mine, other = context.Pipe()
    child = context.Process(target=send_ones, args=(other,), daemon=True)
    child.start()
    assert mine.poll(60)
    assert (mine.recv() - 36).max() < 1e-4
    child.join()
