# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova.core.op.nn.normalization  # noqa: F401
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes
from tests.unit.op.samples import Sample

_ = UNKNOWN


def normal(x, axes, eps):
    """x with mean 0 and variance 1 over `axes`, the mean, and the standard deviation."""
    mean = x.mean(axes, keepdims=True)
    std = np.sqrt(x.var(axes, keepdims=True) + eps)
    return (x - mean) / std, mean, std


def layer_norm(axis, eps=1e-5, all=False):
    def function(x, gamma, beta):
        shape = [-1 if i == axis % x.ndim else 1 for i in range(x.ndim)]
        scaled, mean, std = normal(x, axis, eps)
        output = scaled * gamma.reshape(shape) + beta.reshape(shape)
        return (output, mean, std) if all else output

    return function


def group_norm(groups, all=False):
    def function(x, gamma, beta):
        scaled, mean, std = normal(x.reshape(len(x), groups, -1), -1, 1e-5)
        output = (scaled * gamma[:, None] + beta[:, None]).reshape(x.shape)
        return (output, mean[..., 0], std[..., 0]) if all else output

    return function


def instance_norm(x, gamma, beta):
    shape = (-1, *(1,) * (x.ndim - 2))
    return normal(x, tuple(range(2, x.ndim)), 1e-3)[0] * gamma.reshape(shape) + beta.reshape(shape)


def unit(axes, eps):
    return lambda x: x / np.sqrt((x * x).sum(axes, keepdims=True) + eps)


def local(n, alpha, beta, k):
    def function(x):
        padded = np.pad(x * x, [(0, 0), (n // 2, n // 2), (0, 0), (0, 0)])
        sums = sum(padded[:, i : i + x.shape[1]] for i in range(n))
        return x / (k + alpha / n * sums) ** beta

    return function


# fmt: off
SAMPLES = [
    Sample("LayerNorm", [(3, 5), (5,), (5,)], {}, layer_norm(-1)),
    Sample("LayerNorm", [(2, 3, 4), (3,), (3,)], {"axis": 1, "eps": 0.1}, layer_norm(1, 0.1)),
    Sample("LayerNorm", [(3, 2, 2), (3,), (3,)], {"axis": -3, "output_mean_var": True}, layer_norm(0, all=True), gradient=False),
    Sample("GroupNorm", [(2, 4, 3), (2,), (2,)], {"num_groups": 2}, group_norm(2)),
    Sample("GroupNorm", [(2, 6, 2, 2), (3,), (3,)], {"num_groups": 3, "output_mean_var": True}, group_norm(3, all=True), gradient=False),
    Sample("InstanceNorm", [(2, 3, 4), (3,), (3,)], {}, instance_norm),
    Sample("InstanceNorm", [(2, 3, 2, 3), (3,), (3,)], {}, instance_norm),
    Sample("L2Normalization", [(2, 3, 4)], {}, unit((1, 2), 1e-10)),
    Sample("L2Normalization", [(2, 3, 4)], {"mode": "channel", "eps": 0.1}, unit(1, 0.1)),
    Sample("L2Normalization", [(2, 3, 4, 2)], {"mode": "spatial"}, unit((2, 3), 1e-10)),
    Sample("L2Normalization", [(4,)], {}, np.sign, note=" each alone"),
    Sample("LRN", [(2, 5, 2, 3)], {"nsize": 3}, local(3, 1e-4, 0.75, 2)),
    Sample("LRN", [(1, 4, 2, 2)], {"nsize": 5, "alpha": 0.5, "beta": 0.5, "knorm": 1}, local(5, 0.5, 0.5, 1)),
]

INFERRED = [
    ("LayerNorm", {}, [(_, 3, 2), None, None], None, "[?,3,2], [2], [2] -> [?,3,2], [?,3,1], [?,3,1]"),
    ("LayerNorm", {"axis": 0}, [None, (3,), None], None, "unknown, [3], unknown -> unknown, unknown, unknown"),
    ("GroupNorm", {"num_groups": 2}, [(_, 4, _), None, None], None, "[?,4,?], [2], [2] -> [?,4,?], [?,2], [?,2]"),
    ("InstanceNorm", {}, [(_, 3, 4), None, None], None, "[?,3,4], [3], [3] -> [?,3,4]"),
    ("L2Normalization", {}, [(_, 3)], None, "[?,3] -> [?,3]"),
    ("LRN", {"nsize": 3}, [None], (1, 2, 3, 3), "[1,2,3,3] -> [1,2,3,3]"),
]
REFUSED = [
    ("LayerNorm", {"axis": 2}, [(2, 3), None, None], "axis=2: data [2,3] has 2 axes"),
    ("LayerNorm", {}, [(2, 3), (2,), None], "gamma has shape [2]"),
    ("GroupNorm", {}, [(2, 3), None, None], "data has shape [2,3]: it needs at least 3"),
    ("GroupNorm", {"num_groups": 2}, [(2, 3, 4), None, None], "num_groups=2", "3 channels"),
    ("GroupNorm", {"num_groups": 0}, [(2, 3, 4), None, None], "num_groups=0"),
    ("InstanceNorm", {}, [(2, 3), None, None], "data has shape [2,3]"),
    ("L2Normalization", {"mode": "channel"}, [(2, 3)], "mode=channel: data has shape [2,3]"),
    ("LRN", {"nsize": 2}, [(1, 2, 3, 3)], "nsize=2: it must be odd"),
    ("LRN", {"nsize": 3}, [(1, 2, 3)], "data has shape [1,2,3]: it must have 4"),
]
# fmt: on


def test_instance_norm_is_for_float32():
    assert inferred_dtypes("InstanceNorm", {}, [None] * 3) == "float32, float32, float32 -> float32"
    with pytest.raises(MXNetError, match="InstanceNorm: data has type float16"):
        inferred_dtypes("InstanceNorm", {}, [torch.float16, None, None])


@pytest.mark.parametrize("name, n", [("LayerNorm", 4), ("GroupNorm", 1)])
def test_statistics_carry_no_gradient(name, n):
    x = torch.randn(2, 3, 4).requires_grad_()
    op = find(name).of({"output_mean_var": True})
    _output, mean, std = op.forward(x, torch.ones(n), torch.zeros(n))
    assert not mean.requires_grad
    assert not std.requires_grad


@pytest.mark.parametrize(
    "shape", [(3000, 5, 3, 3), (3, 5, 100, 100), (1, 5, 200, 200), (2, 5, 0, 3)]
)
def test_local_response_of_images_in_blocks(shape):
    data = torch.rand(shape, requires_grad=True)
    run = find("LRN").of({"nsize": 3, "alpha": 0.5}).forward
    torch.testing.assert_close(run(data.detach()), run(data).detach())


def test_response_of_more_channels_than_there_are():
    data = torch.rand(2, 3, 4, 4)
    found = find("LRN").of({"nsize": 2**32 - 1, "alpha": 1e9}).forward(data)
    total = 2 + 1e9 / (2**32 - 1) * data.square().sum(1, keepdim=True)
    torch.testing.assert_close(found, data * total**-0.75, rtol=1e-4, atol=0)
