# SPDX-License-Identifier: Apache-2.0
"""Other ways than ATen's kernels give what those give."""

import math

import numpy as np
import pytest
import torch

from mxnova.core.kernels import vectorized


@pytest.mark.parametrize("is_faster", [False, True])
@pytest.mark.parametrize("n", [0, 3, 1000, 40_000])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_tanh_in_place(monkeypatch, is_faster, n, dtype):
    monkeypatch.setattr(vectorized, "_NUMPY_IS_FASTER", is_faster)
    special = torch.tensor([math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-30, -100.0])
    data = torch.cat([torch.linspace(-9, 9, n), special]).to(dtype)
    expected = torch.tanh(data)
    result = vectorized.tanh_(data)
    assert result.data_ptr() == data.data_ptr()
    torch.testing.assert_close(result, expected, equal_nan=True)


def test_tanh_of_a_slice_leaves_the_rest(monkeypatch):
    monkeypatch.setattr(vectorized, "_NUMPY_IS_FASTER", True)
    data = torch.full((64, 64), 0.5)
    vectorized.tanh_(data[:, 1::2])
    assert (data[:, ::2] == 0.5).all()
    torch.testing.assert_close(data[:, 1::2], torch.full((64, 32), math.tanh(0.5)))


@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
@pytest.mark.parametrize("shape", [(2000, 2), (30, 40, 3), (1, 4096), (600, 7), (0, 5), (3, 5)])
def test_softmax(function, shape):
    data = torch.randn(shape).requires_grad_()
    weights = torch.rand(shape)
    expected = function(data, -1)
    result = vectorized.softmax(data, len(shape) - 1, function)
    assert result.is_contiguous()
    torch.testing.assert_close(result, expected)
    torch.testing.assert_close(
        *(torch.autograd.grad((r * weights).sum(), data)[0] for r in (result, expected))
    )


def test_softmax_of_special_numbers():
    data = torch.full((1000, 3), -math.inf)
    data[1, 0], data[2, 1], data[3, 2] = 1.0, math.nan, math.inf
    result = vectorized.softmax(data, 1)
    torch.testing.assert_close(result, torch.softmax(data, 1), equal_nan=True)


@pytest.mark.parametrize("shape", [(2000, 2), (30, 40, 12), (600, 7), (100, 64), (0, 5), (3, 5)])
def test_layer_norm(shape):
    data = torch.randn(shape)
    gamma, beta = torch.rand(2, shape[-1])
    expected = torch.native_layer_norm(data, gamma.shape, gamma, beta, 1e-3)
    for found, wanted in zip(vectorized.layer_norm(data, gamma, beta, 1e-3), expected, strict=True):
        assert found.is_contiguous()
        torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8])
def test_rows_at(dtype):
    table = torch.arange(12).view(4, 3).to(dtype)
    places = torch.tensor([[-7, 0, 1], [3, 4, 99]])
    found = vectorized.take_rows(table, places)
    assert found.dtype is dtype
    assert found.tolist() == table[places.clamp(0, 3)].tolist()


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("shape", [(40, 3, 40), (3, 4000), (2048, 2), (4, 3, 2)])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("special", [0.0, math.nan, math.inf, -math.inf])
def test_places_of_extremes(name, shape, axis, special):
    data = torch.randint(0, 5, shape).float()
    data.flatten()[::7] = special
    expected = getattr(torch, name)(data, axis)
    assert torch.equal(getattr(vectorized, name)(data, axis).long(), expected)
    kept = getattr(vectorized, name)(data, axis, True)
    assert torch.equal(kept.long(), getattr(torch, name)(data, axis, True))


@pytest.mark.parametrize("shape", [(3,), (3000,), (60, 1, 60)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32])
def test_truths(shape, dtype):
    data = torch.randint(-1, 2, shape).to(dtype)
    other = torch.randint(-1, 2, (60, 1)).to(dtype) if len(shape) == 3 else data.flip(0)
    data[0] = data[-1] = math.nan if dtype.is_floating_point else 5
    greater = vectorized.predicate(torch.gt, np.greater)(data, other)
    assert greater.dtype is torch.bool
    assert torch.equal(greater, data > other)
    assert torch.equal(vectorized.predicate(torch.isnan, np.isnan)(data), data.isnan())
    assert torch.equal(vectorized.predicate(torch.gt, np.greater)(data, torch.zeros(())), data > 0)
