# SPDX-License-Identifier: Apache-2.0
import functools

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

import mxnova as mx
import mxnova.numpy.fallback  # takes its functions from NumPy when it is imported
from mxnova.core.kernels.sorting import argsort_descending, sort, sort_values, topk

SHAPES = [
    ((100, 300), 1),
    ((100, 300), 0),
    ((9, 70, 31), 1),
    ((40000,), 0),
    ((0, 3), 1),
    ((4, 0), 1),
]
DTYPES = [torch.float32, torch.float16, torch.float64, torch.int32, torch.int64, torch.uint8]


def numbers(dtype, shape):
    """Whole numbers, so that many are equal; among the floats zeros of both signs."""
    found = torch.randint(-20, 20, shape, generator=torch.Generator().manual_seed(1))
    return found.to(dtype) * (-1 if dtype.is_floating_point else 1)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_it_is_the_stable_sort(dtype, shape, axis, descending):
    data = numbers(dtype, shape)
    values, places = data.sort(dim=axis, descending=descending, stable=True)
    found = sort(data, axis, descending)
    assert torch.equal(found[0], values)
    assert torch.equal(found[1], places)
    only_values = sort_values(data, axis, descending)
    assert only_values.dtype is dtype
    assert torch.equal(only_values, values)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nan", [float("nan"), -float("nan")])
def test_nan_is_greater_than_all_numbers(nan, descending):
    data = numbers(torch.float32, (100, 300))
    data[::7, ::5] = nan
    values, places = data.sort(descending=descending, stable=True)
    assert torch.equal(sort(data, 1, descending)[1], places)
    assert np.array_equal(sort_values(data, 1, descending), values, equal_nan=True)


def test_gradients_go_where_the_numbers_were():
    data = torch.randperm(20000).float().requires_grad_()
    for values in (sort(data, 0, True)[0], sort_values(data, 0, True)):
        weight = torch.arange(20000.0)
        (gradient,) = torch.autograd.grad(values, data, weight)
        assert torch.equal(gradient, 19999 - data.detach())


scores = st.lists(st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.25, 1.0, float("-inf")]), min_size=1)


@given(scores, st.integers(1, 30))
@example([-0.0, 0.0], 1)
@settings(max_examples=50)
def test_first_places_is_a_stable_sort(values, most):
    expected = sorted(range(len(values)), key=lambda i: -values[i])[:most]
    assert argsort_descending(torch.tensor(values), most).tolist() == expected
    assert argsort_descending(torch.tensor(values, dtype=torch.float64), most).tolist() == expected


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int32])
@pytest.mark.parametrize("shape, k", [((100_001,), 3), ((3, 60_000), 2), ((16_384,), 1)])
def test_the_largest_of_long_rows(shape, k, dtype):
    data = torch.randn(shape, generator=torch.Generator().manual_seed(1)).mul(1000).to(dtype)
    data[..., -1] = data.max() + 1  # behind the last block
    values, places = topk(data, k, -1)
    assert torch.equal(values, data.topk(k).values)
    assert torch.equal(data.gather(-1, places), values)


def test_nan_is_the_largest_and_gradients_flow():
    data = torch.zeros(50_000)
    data[[7, 40_000]] = torch.tensor([float("nan"), 5.0])
    data.requires_grad_()
    values, places = topk(data, 2, 0)
    assert places.tolist() == [7, 40_000]
    (gradient,) = torch.autograd.grad(values, data, torch.tensor([2.0, 3.0]))
    assert gradient.nonzero().squeeze(1).tolist() == [7, 40_000]
    assert gradient[places].tolist() == [2.0, 3.0]


HALVES = ("float16", "bfloat16")
FORTY = [i % 40 - 20.0 for i in range(0, 40_000 * 7, 7)]


@pytest.fixture
def numpy_without_float16(monkeypatch):
    """NumPy whose functions that sort refuse float16, which they get wrong on some processors."""

    def refusing(function):
        @functools.wraps(function)
        def checked(array, *args, **kwargs):
            assert np.asarray(array).dtype.itemsize > 2
            return function(array, *args, **kwargs)

        return checked

    for name in ("sort", "argsort", "partition", "argpartition", "searchsorted", "unique"):
        monkeypatch.setattr(np, name, refusing(getattr(np, name)))


@pytest.mark.usefixtures("numpy_without_float16")
@pytest.mark.parametrize("dtype", HALVES)
def test_numpy_sorts_no_float16(dtype):
    data = mx.nd.array(FORTY).astype(dtype)
    expected = sorted(FORTY)
    assert data.sort().astype("float32").asnumpy().tolist() == expected
    assert data.sort(is_ascend=False).astype("float32").asnumpy().tolist() == expected[::-1]
    order = data.argsort(dtype="int64").asnumpy().tolist()
    assert order == sorted(range(len(FORTY)), key=FORTY.__getitem__)
    (best,) = data.topk(k=1, ret_typ="value", dtype="int32").astype("float32").asnumpy()
    assert best == 19
    distinct = mx.np.unique(data.as_np_ndarray(), return_counts=True)
    assert distinct[0].dtype == data.as_np_ndarray().dtype
    assert distinct[0].astype("float32").tolist() == sorted(set(FORTY))
    assert distinct[1].tolist() == [1000] * 40


ORDERING = [
    (lambda x: mx.np.msort(x), sorted(FORTY)),
    (lambda x: mx.np.partition(x, 20_000)[20_000:20_001], [0]),
    (lambda x: x[mx.np.argpartition(x, 20_000)[20_000:20_001]], [0]),
    (lambda x: mx.np.nanmedian(x), -0.5),
    (lambda x: mx.np.nanpercentile(x, 100), 19),
    (lambda x: mx.np.union1d(x, x), sorted(set(FORTY))),
    (lambda x: mx.np.setdiff1d(x, x[:39]), sorted(set(FORTY) - set(FORTY[:39]))),
    (lambda x: mx.np.intersect1d(x, [x[0], x[1]]), sorted(FORTY[:2])),
    (lambda x: np.median(x), -0.5),
]


@pytest.mark.usefixtures("numpy_without_float16")
@pytest.mark.parametrize("call, expected", ORDERING)
def test_functions_that_numpy_computes_sort_no_float16(call, expected):
    found = call(mx.np.array(FORTY, dtype="float16"))
    of_numpy = np.nanpercentile(np.float32([0]), 100).dtype  # float64 before NumPy 2
    assert found.dtype == np.float16 or found.dtype == of_numpy != np.float32
    assert found.tolist() == expected


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_zeros_of_both_signs_keep_their_order(dtype):
    data = mx.nd.array([0.0, -0.0, 1, -0.0, float("nan"), -1] * 1000, dtype=dtype)
    for ascending in (True, False):
        found = data.sort(is_ascend=ascending).asnumpy()
        zeros = np.signbit(found[found == 0]).reshape(-1, 3)
        assert (zeros == [False, True, True]).all()
        assert np.isnan(found[-1000:] if ascending else found[:1000]).all()
