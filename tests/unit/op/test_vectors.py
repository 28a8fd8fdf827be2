# SPDX-License-Identifier: Apache-2.0
"""Kernels of NumPy give what ATen's give."""

import math

import pytest
import torch

from mxnova.core.op import vectors


@pytest.mark.parametrize("is_faster", [False, True])
@pytest.mark.parametrize("n", [0, 3, 1000, 40_000])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_tanh_in_place(monkeypatch, is_faster, n, dtype):
    monkeypatch.setattr(vectors, "_NUMPY_IS_FASTER", is_faster)
    special = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-30, -100.0])
    data = torch.cat([torch.linspace(-9, 9, n), special]).to(dtype)
    expected = torch.tanh(data)
    result = vectors.tanh_(data)
    assert result.data_ptr() == data.data_ptr()
    torch.testing.assert_close(result, expected, equal_nan=True)


def test_tanh_of_a_slice_leaves_the_rest(monkeypatch):
    monkeypatch.setattr(vectors, "_NUMPY_IS_FASTER", True)
    data = torch.full((64, 64), 0.5)
    vectors.tanh_(data[:, 1::2])
    assert (data[:, ::2] == 0.5).all()
    torch.testing.assert_close(data[:, 1::2], torch.full((64, 32), math.tanh(0.5)))
