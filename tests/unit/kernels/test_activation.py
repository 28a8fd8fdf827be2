# SPDX-License-Identifier: Apache-2.0
import math

import pytest
import torch

from mxnova.core.kernels.activation import relu, relu_, softsign, with_slope_at_nan
from mxnova.core.runtime.torch_api import only_torch

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SPECIAL = [math.nan, -math.nan, math.inf, -math.inf, -1.0, -0.0, 2.0]
# Vectors and their rest, one row of a matrix that is not contiguous.
SHAPES = {"small": (7,), "large": (7 * 733,), "strided": (7 * 733, 2)}


def special(shape, dtype):
    data = torch.tensor(SPECIAL, dtype=dtype).repeat(shape[0] // 7)
    return data if len(shape) == 1 else torch.stack([data, data], 1)[:, 0]


def rows(data):
    """The distinct results of each special number."""
    found = data.reshape(-1, 7).double().unique(dim=0)
    return found[0].tolist() if len(found) == 1 else found.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_relu_of_nan_is_zero_with_slope_zero(shape, dtype):
    data = special(shape, dtype).requires_grad_()
    output = relu(data)
    (slope,) = torch.autograd.grad(output.sum(), data)
    assert rows(output.detach()) == [0, 0, math.inf, 0, 0, 0, 2]
    assert rows(slope) == [0, 0, 1, 0, 0, 0, 1]
    assert rows(relu_(special(shape, dtype))) == [0, 0, math.inf, 0, 0, 0, 2]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_relu_of_nan_is_nan_in_other_dtypes(dtype):
    assert relu(special((7 * 733,), dtype)).isnan().sum() == 2 * 733


def test_relu_of_nan_is_zero_in_traces():
    with only_torch():
        assert rows(relu(special((7,), torch.float32))) == [0, 0, math.inf, 0, 0, 0, 2]
    assert rows(torch.func.vmap(relu)(special((7,), torch.float32))) == [0, 0, math.inf, 0, 0, 0, 2]


def test_relu_keeps_integers():
    assert relu(torch.tensor([-3, 0, 2])).tolist() == [0, 0, 2]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_softsign_has_slope_zero_at_infinity(shape, dtype):
    data = special(shape, dtype).requires_grad_()
    (slope,) = torch.autograd.grad(softsign(data).sum(), data)
    assert rows(slope.nan_to_num(9))[:6] == [9, 9, 0, 0, 0.25, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize(
    "function", [torch.nn.functional.elu, torch.nn.functional.leaky_relu, torch.nn.functional.selu]
)
def test_slope_at_nan_is_one_in_arrays_of_every_size(function, shape, dtype):
    data = special(shape, dtype).requires_grad_()
    output = with_slope_at_nan(function, data)
    (slope,) = torch.autograd.grad(output.sum(), data)
    assert torch.equal(output.isnan(), data.isnan())
    assert rows(slope)[:2] == [1, 1]
