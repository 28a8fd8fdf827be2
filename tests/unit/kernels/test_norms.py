# SPDX-License-Identifier: Apache-2.0
"""Norms at magnitudes whose squares leave the range of the dtype."""

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.kernels.norms import has_lost_rows, standardize, vector_norm
from mxnova.core.runtime.torch_api import only_torch

MAGNITUDES = {
    "float16": (6e-5, 1.0, 300.0, 2e4),
    "bfloat16": (1e-30, 1.0, 1e30),
    "float32": (1e-38, 1e-25, 1e-15, 1.0, 1e19, 1e30, 1e38),
    "float64": (1e-300, 1e-200, 1.0, 1e200, 1e300),
}
CASES = [(dtype, size) for dtype, sizes in MAGNITUDES.items() for size in sizes]
TOLERANCE = {"float16": 3e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-13}
PATTERN = torch.tensor([[1, -0.5, 0.25, 1], [0.125, 1, -1, 0.5], [1, 1, 1, -1]], dtype=torch.double)


def scaled(dtype, size):
    return (PATTERN * size).to(getattr(torch, dtype))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("order", [0.5, 2, 3, -2])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize(("dtype", "size"), CASES)
def test_vector_norm_of_extreme_magnitudes_is_exact(dtype, size, axes, order, traced):
    data = scaled(dtype, size).requires_grad_()
    exact = (data.detach().double() / size).requires_grad_()
    expected = torch.linalg.vector_norm(exact, order, axes)
    if traced:
        with only_torch():
            norm = vector_norm(data, order, axes)
    else:
        norm = vector_norm(data, order, axes)
    if float(expected.detach().max()) * size > torch.finfo(norm.dtype).max:
        return
    torch.testing.assert_close(norm.double() / size, expected, rtol=TOLERANCE[dtype], atol=0)
    norm.sum().backward()
    expected.sum().backward()
    close = {"rtol": 2 * TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(data.grad.double(), exact.grad, **close)


@pytest.mark.parametrize(
    ("row", "norm", "gradient"),
    [
        ([0.0, 0.0], 0.0, [np.nan, np.nan]),
        ([np.inf, 1.0], np.inf, [np.nan, 0.0]),
        ([np.nan, 1.0], np.nan, [np.nan, np.nan]),
        ([3.0, 4.0], 5.0, [0.6, 0.8]),
    ],
)
def test_vector_norm_of_zero_and_infinity_equals_mxnet(row, norm, gradient):
    data = torch.tensor([[1e30, 1.0], row], requires_grad=True)
    result = vector_norm(data, 2, (1,))
    result.sum().backward()
    np.testing.assert_array_equal(result[1].item(), np.float32(norm))
    np.testing.assert_array_equal(data.grad[1].numpy(), np.float32(gradient))


def test_vector_norm_has_a_second_derivative():
    data = torch.tensor([[1e200, 2e200], [1.0, 2.0]], dtype=torch.double, requires_grad=True)
    (first,) = torch.autograd.grad(vector_norm(data, 2, (1,)).sum(), data, create_graph=True)
    (second,) = torch.autograd.grad(first[1, 0], data)
    torch.testing.assert_close(second[1], torch.tensor([4.0, -2.0]).double() / 5**1.5)


def test_vector_norm_of_nothing_is_zero():
    assert vector_norm(torch.zeros(2, 0), 2, (1,)).tolist() == [0, 0]
    assert vector_norm(torch.zeros(0, 2, dtype=torch.double), 2, (1,)).shape == (0,)


@pytest.mark.parametrize(("dtype", "size"), CASES)
def test_norm_operators_agree_at_extreme_magnitudes(dtype, size):
    values = scaled(dtype, size)
    x = mx.nd.array(values.double().numpy(), dtype="float64").astype(dtype)
    expected = torch.linalg.vector_norm(values.double() / size, 2, 1).numpy()

    def ratio(norm):
        return norm.astype("float64").asnumpy() / size

    symbol = mx.sym.norm(mx.sym.var("x"), axis=1)
    executor = symbol.bind(mx.cpu(), {"x": x})
    found = {
        "eager": mx.nd.norm(x, axis=1),
        "executor": executor.forward()[0],
        "np": mx.np.linalg.norm(x.as_np_ndarray(), axis=1).as_nd_ndarray(),
        "np ord": mx.np.linalg.norm(x.as_np_ndarray(), 2, axis=1).as_nd_ndarray(),
    }
    for name, norm in found.items():
        np.testing.assert_allclose(ratio(norm), expected, TOLERANCE[dtype], err_msg=name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_standardize_normalizes_rows_whose_squares_overflow(dtype):
    size = 1e30 if dtype is torch.float32 else 1e250
    rows = (PATTERN * size).to(dtype)
    assert has_lost_rows(torch.native_layer_norm(rows, (4,), None, None, 1e-5)[2])
    plain, mean, inverse_std = standardize(rows, 1e-5)
    exact, exact_mean, _ = torch.native_layer_norm(PATTERN, (4,), None, None, 0.0)
    torch.testing.assert_close(plain.double(), exact, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(mean.double() / size, exact_mean, rtol=1e-5, atol=1e-6)
    assert (inverse_std > 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["LayerNorm", "GroupNorm", "InstanceNorm"])
def test_normalization_of_rows_whose_squares_overflow_is_finite(name, dtype):
    if name == "InstanceNorm" and dtype == "float64":
        pytest.skip("InstanceNorm takes float32 only")
    pattern = np.random.default_rng(0).normal(size=(2, 4, 4))
    vectors = [mx.nd.array(v, dtype=dtype) for v in ([1, 2, 3, 4], [4, 3, 2, 1])]
    attrs = {"GroupNorm": {"num_groups": 4}, "LayerNorm": {"axis": 1}}.get(name, {})
    results = []
    for size in (1e3, 1e30 if dtype == "float32" else 1e250):
        x = mx.nd.array(pattern * size, dtype=dtype)
        x.attach_grad()
        with mx.autograd.record():
            y = getattr(mx.nd, name)(x, *vectors, **attrs)
        y.backward(mx.nd.array(pattern**2, dtype=dtype))
        results.append((y.asnumpy(), x.grad.asnumpy() * size))
    for small, large in zip(*results, strict=True):
        np.testing.assert_allclose(large, small, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("function", "values", "slopes"),
    [
        (mx.nd.arcsinh, [0, 1, -300, 6e4], [1, 0.70710678, 1 / 300, 1 / 6e4]),
        (mx.nd.arccosh, [1, 2, 300, 6e4], [np.inf, 0.57735027, 1 / 300, 1 / 6e4]),
        (lambda x: mx.nd.broadcast_hypot(x, x), [6e-8, 1, 300, 6e4], [0.70710678] * 4),
        (mx.np.arcsinh, [0, 1, -300, 6e4], [1, 0.70710678, 1 / 300, 1 / 6e4]),
        (mx.np.arccosh, [1, 2, 300, 6e4], [np.inf, 0.57735027, 1 / 300, 1 / 6e4]),
        (lambda x: mx.np.hypot(x, x), [6e-8, 1, 300, 6e4], [0.70710678] * 4),
    ],
)
@pytest.mark.parametrize(("dtype", "scale"), [("float16", 1), ("float32", 1), ("float32", 1e30)])
def test_gradients_that_square_the_data_do_not_overflow(function, values, slopes, dtype, scale):
    is_hypot = slopes[0] not in (1, np.inf)
    x = mx.nd.array(np.array(values[2:] if scale > 1 else values) * scale, dtype=dtype)
    x.attach_grad()
    with mx.autograd.record():
        y = function(x.as_np_ndarray() if "numpy" in function.__module__ else x)
        if is_hypot:
            y = y * 0.5  # both arguments have a gradient
    y.backward()
    expected = np.array(slopes[2:] if scale > 1 else slopes) / (1 if is_hypot else scale)
    np.testing.assert_allclose(x.grad.asnumpy(), expected, 2e-3 if dtype == "float16" else 1e-5)


def test_average_of_float16_divides_in_float32():
    x = mx.np.array([1, 2], dtype="float16")
    x.attach_grad()
    with mx.autograd.record():
        y = mx.np.average(x, weights=mx.np.array([1e-6, 3e-6], dtype="float16"))
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [0.25, 0.75], 2e-2)
