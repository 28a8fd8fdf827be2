# SPDX-License-Identifier: Apache-2.0
from itertools import product

import numpy as np
import pytest
import torch

import mxnova as mx
import mxnova.core.op.nn.normalization
from mxnova.core.base.errors import MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from mxnova.core.runtime.torch_api import only_torch
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
        near = (n - 1) // 2  # MXNet sums as many channels on both sides
        padded = np.pad(x * x, [(0, 0), (near, near), (0, 0), (0, 0)])
        sums = sum(padded[:, i : i + x.shape[1]] for i in range(2 * near + 1))
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
    *(
        Sample("LRN", [(2, 6, 2, 3)], {"nsize": n, "alpha": 0.5, "beta": b}, local(n, 0.5, b, 2))
        for n in (1, 2, 4, 6, 14)
        for b in (0.75, 0.4)
    ),
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
    ("LRN", {"nsize": 0}, [(1, 2, 3, 3)], "nsize=0: it must be at least 1"),
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
    data = torch.rand(shape)
    run = find("LRN").of({"nsize": 3, "alpha": 0.5}).forward
    with only_torch():
        whole = run(data)
    torch.testing.assert_close(run(data), whole)


def test_local_response_equals_mxnet_for_even_size():
    x = mx.nd.array(np.arange(6.0).reshape(1, 6, 1, 1))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.LRN(x, nsize=4, alpha=1.0, knorm=2.0)
    y.backward()
    expected = [0, 0.41313, 0.55688, 0.56561, 0.53831, 0.7636]
    slopes = [0.54433, 0.32749, 0.0613, -0.03593, -0.10633, -0.03377]
    np.testing.assert_allclose(y.asnumpy().ravel(), expected, atol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy().ravel(), slopes, atol=1e-5)


@pytest.mark.parametrize(
    "name, attrs",
    [("LRN", {"nsize": 3, "alpha": 0.1}), ("L2Normalization", {}), ("moments", {"axes": (1,)})],
)
@pytest.mark.parametrize("size", [1e-7, 1e-4, 300, 6e4])
def test_squares_of_float16_are_added_in_float32(name, attrs, size):
    values = (np.random.default_rng(0).uniform(0.5, 1, (2, 3, 2, 2)) * size).astype("float16")
    results = []
    for dtype in ("float16", "float32"):
        x = mx.nd.array(values, dtype=dtype)
        x.attach_grad()
        with mx.autograd.record():
            y = getattr(mx.nd, name)(x, **attrs)
            y = y if isinstance(y, mx.nd.NDArray) else y[1]
        y.backward(x if y.shape == x.shape else None)
        results.append([a.astype("float16").asnumpy() for a in (y, x.grad)])
    for short, wide in zip(*results, strict=True):
        finite = abs(wide[np.isfinite(wide)]).max(initial=0)
        np.testing.assert_allclose(short, wide, rtol=4e-3, atol=float(finite) * 2e-3 + 1e-7)


@pytest.mark.parametrize("size", [1e20, 1e30])
def test_local_response_of_overflowing_squares_has_zero_gradient(size):
    x = mx.nd.ones((1, 4, 1, 2)) * size
    x[0, 2, 0, 1] = np.inf
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.LRN(x, nsize=3, alpha=0.1)
    y.backward()
    finite = np.isfinite(x.asnumpy())
    assert (y.asnumpy()[finite] == 0).all()
    assert (x.grad.asnumpy()[finite] == 0).all()


# Dtypes of data whose gradients ATen's fused kernels add in the dtype itself, and the tolerance.
SHORT = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-4}
LAYERS = {
    "LayerNorm": (4, lambda x, *v: mx.nd.LayerNorm(x, *v, axis=1)),
    "LayerNorm last": (8, lambda x, *v: mx.nd.LayerNorm(x, *v)),
    "GroupNorm": (2, lambda x, *v: mx.nd.GroupNorm(x, *v, num_groups=2)),
    "InstanceNorm": (4, lambda x, *v: mx.nd.InstanceNorm(x, *v)),
    "BatchNorm": (
        4,
        lambda x, *v: mx.nd.BatchNorm(x, *v, mx.nd.zeros(4), mx.nd.ones(4), fix_gamma=False),
    ),
    "BatchNorm global": (
        4,
        lambda x, *v: mx.nd.BatchNorm(
            x, *v, mx.nd.zeros(4), mx.nd.ones(4), fix_gamma=False, use_global_stats=True
        ),
    ),
}


def gradients(name, dtype, wanted):
    channels, layer = LAYERS[name]
    rng = np.random.default_rng(0)
    data = rng.normal(size=(6000, 4, 8))
    vectors = [rng.uniform(0.5, 1, channels) for _ in range(2)]
    own = "float32" if name.startswith("BatchNorm") else dtype
    arrays = [mx.nd.array(data).astype(dtype), *(mx.nd.array(v).astype(own) for v in vectors)]
    for array, is_wanted in zip(arrays, wanted, strict=True):
        if is_wanted:
            array.attach_grad()
    with mx.autograd.record():
        y = layer(*arrays)
    y.backward(mx.nd.array(data / 4 + 0.1).astype(dtype))
    return [a.grad.astype("float64").asnumpy() if w else None for a, w in zip(arrays, wanted)]


@pytest.mark.parametrize("dtype", SHORT)
@pytest.mark.parametrize("name", LAYERS)
def test_gradients_do_not_depend_on_which_others_are_wanted(name, dtype):
    if name == "InstanceNorm" and dtype != "float32":
        pytest.skip("InstanceNorm takes float32 only")
    all_wanted = gradients(name, dtype, (True, True, True))
    if dtype != "float32":
        exact = gradients(name, "float32", (True, True, True))
        for found, expected in zip(all_wanted[1:], exact[1:], strict=True):
            scale = abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=2 * SHORT[dtype] * scale)
    for wanted in product((False, True), repeat=3):
        if not any(wanted):
            continue
        for found, expected in zip(gradients(name, dtype, wanted), all_wanted, strict=True):
            if found is not None:
                scale = abs(expected).max()
                np.testing.assert_allclose(found, expected, rtol=0, atol=SHORT[dtype] * scale)


def test_response_of_more_channels_than_there_are():
    data = torch.rand(2, 3, 4, 4)
    found = find("LRN").of({"nsize": 2**32 - 1, "alpha": 1e9}).forward(data)
    total = 2 + 1e9 / (2**32 - 1) * data.square().sum(1, keepdim=True)
    torch.testing.assert_close(found, data * total**-0.75, rtol=1e-4, atol=0)
