# SPDX-License-Identifier: Apache-2.0
"""Gradients at bounds: MXNet's, with every release of PyTorch and every kernel."""

import pytest
import torch

from mxnova.core.exec.backends.compiled_training import training_refusal
from mxnova.core.kernels.bounds import clipped, within
from mxnova.symbol import clip, var

INFINITY = float("inf")
LIMITS = [(-0.5, 0.5), (0.1, 0.3), (0.0, INFINITY), (-INFINITY, 0.0), (0.5, 0.5), (-1e-40, 1e-40)]


@pytest.mark.parametrize("n", [1, 19])  # elements before ATen's vectors end, and after
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize(("low", "high"), LIMITS)
def test_the_gradient_is_one_at_a_bound_and_zero_right_beyond(low, high, dtype, n):
    bounds = torch.tensor([low, high], dtype=dtype)
    beyond = torch.nextafter(bounds, torch.tensor([-INFINITY, INFINITY], dtype=dtype))
    data = torch.cat([bounds, beyond, bounds.mean().reshape(1)])
    data = data[data.isfinite()].repeat(n).requires_grad_()
    result = clipped(data, low, high)
    (gradient,) = torch.autograd.grad(result.sum(), data)
    expected = (data >= bounds[0]) & (data <= bounds[1])
    assert torch.equal(gradient, expected.to(dtype))
    assert torch.equal(result, within(data, *bounds.tolist()))
    assert torch.equal(result, clipped(data.detach(), low, high))


def test_compilers_of_training_passes_take_clip():
    (node,) = (n for n in clip(var("data"), a_min=0, a_max=1).nodes if n.op is not None)
    assert training_refusal(node) is None
