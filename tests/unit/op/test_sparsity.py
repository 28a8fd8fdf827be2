# SPDX-License-Identifier: Apache-2.0
import pytest
import torch

import mxnova.core.op.nn.sparsity  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes

NAME = "IdentityAttachKLSparseReg"


def test_the_output_is_the_data():
    data = torch.rand(3, 2)
    output = find(NAME).of({}).forward(data, torch.zeros(2))
    assert torch.equal(output, data)
    assert output.data_ptr() != data.data_ptr()


def test_backward_moves_the_mean_and_adds_the_penalty():
    data = torch.tensor([[0.2, 0.3], [0.4, 0.9]], dtype=torch.float64).requires_grad_()
    mean = torch.tensor([0.5, 0.1], dtype=torch.float64)
    op = find(NAME).of({"penalty": 0.5, "momentum": 0.75, "sparseness_target": 0.25})
    d_output = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    op.forward(data, mean).backward(d_output)
    moved = torch.tensor([0.75 * 0.5 + 0.25 * 0.3, 0.75 * 0.1 + 0.25 * 0.6], dtype=torch.float64)
    torch.testing.assert_close(mean, moved)
    rho = moved.clone().requires_grad_()
    divergence = 0.25 * (0.25 / rho).log() + 0.75 * (0.75 / (1 - rho)).log()
    divergence.sum().backward()
    torch.testing.assert_close(data.grad, d_output + 0.5 * rho.grad)


def test_inferred():
    assert inferred_shapes(NAME, {}, [(3, 4), None]) == "[3,4], [4] -> [3,4]"
    assert inferred_dtypes(NAME, {}, [None, None]) == "float32, float32 -> float32"


def test_refused():
    with pytest.raises(MXNetError, match=rf"{NAME}: data has shape \[3\]"):
        inferred_shapes(NAME, {}, [(3,), None])
    with pytest.raises(ArgumentError, match=f"{NAME}: momentum='1.5': must be <= 1"):
        find(NAME).of({"momentum": "1.5"})
