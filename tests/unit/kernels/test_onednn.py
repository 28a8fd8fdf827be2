# SPDX-License-Identifier: Apache-2.0
"""Large arrays, which oneDNN works on, give what small ones give."""

import functools

import pytest
import torch
import torch.nn.functional as F

import mxnova.core.op.library  # noqa: F401
from mxnova.core.kernels import onednn
from mxnova.core.kernels.onednn import conv3d, fast_pool, in_kernel_layout, linear, matmul
from mxnova.core.op.gradient import recorded
from mxnova.core.op.schema import find
from mxnova.core.runtime.processor import HAS_ONEDNN

BIG = (2, 16, 40, 40)


def numbers(*shape):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.rand(shape, generator=generator) - 0.5


def with_gradients(function, *inputs):
    """The output and gradients of `function`, for a head gradient that is no constant."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    output = function(*leaves)
    head = torch.linspace(-1, 1, output.numel(), dtype=output.dtype).view_as(output)
    return [output, *torch.autograd.grad(output, leaves, head)]


def assert_equal(found, expected, tol=1e-4):
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b.to(a.dtype), rtol=tol, atol=tol)


@pytest.fixture(params=[True, False], ids=["oneDNN", "MKL"])
def by_onednn(request, monkeypatch):
    monkeypatch.setattr(onednn, "_MULTIPLIES", request.param and HAS_ONEDNN)


@pytest.mark.usefixtures("by_onednn")
@pytest.mark.parametrize(
    "function, same, shapes",
    [
        (linear, F.linear, [(64, 256), (256, 256), (256,)]),
        (linear, F.linear, [(64, 256), (256, 256)]),
        (linear, F.linear, [(4, 16, 256), (256, 256), (256,)]),
        (linear, F.linear, [(16, 64), (32, 64), (32,)]),
        (
            lambda x, v, w: linear(linear(x, v), w),
            lambda x, v, w: x @ v.T @ w.T,
            [(32, 64), (48, 64), (32, 48)],
        ),
        (linear, F.linear, [(128, 32), (1024, 32), (1024,)]),  # much wider than its input
        (matmul, torch.matmul, [(128, 256), (256, 128)]),
        (lambda a, b: matmul(a.T, b.T), lambda a, b: a.T @ b.T, [(256, 128), (128, 256)]),
    ],
)
def test_products(function, same, shapes):
    inputs = [numbers(*shape) for shape in shapes]
    expected = with_gradients(same, *(x.double() for x in inputs))
    assert_equal(with_gradients(function, *inputs), expected)
    torch.testing.assert_close(function(*inputs), expected[0].float(), rtol=1e-4, atol=1e-4)


@pytest.mark.onednn
@pytest.mark.parametrize(
    "rows, threads, mkl_has_avx512, is_split",
    [
        (16, 2, False, True),
        (15, 2, False, False),
        (16, 1, False, False),
        (16, 2, True, False),
    ],
)
@pytest.mark.parametrize("multiplies", [False, True])  # such a product is too small for it
def test_weights_of_few_rows_are_shared_out(
    monkeypatch, set_threads, rows, threads, mkl_has_avx512, is_split, multiplies
):
    monkeypatch.setattr(onednn, "_MULTIPLIES", multiplies)
    monkeypatch.setattr(onednn, "_MKL_HAS_AVX512", mkl_has_avx512)
    set_threads(threads)
    result = linear(numbers(rows, 64), numbers(32, 64), numbers(32))
    assert result.T.is_contiguous() is is_split


@pytest.mark.usefixtures("by_onednn")
def test_a_product_has_a_second_gradient():
    data, weight = (numbers(128, 128).requires_grad_() for _ in range(2))
    (d_data,) = torch.autograd.grad(linear(data, weight).square().sum(), data, create_graph=True)
    (again,) = torch.autograd.grad(d_data.sum(), weight)
    wide = [t.detach().double().requires_grad_() for t in (data, weight)]
    (d_wide,) = torch.autograd.grad(F.linear(*wide).square().sum(), wide[0], create_graph=True)
    assert_equal([again], torch.autograd.grad(d_wide.sum(), wide[1]), tol=1e-3)


@pytest.mark.parametrize(
    "data, weight, attrs",
    [
        ((4, 8, 12, 12), (16, 8, 3, 3), {"kernel": (3, 3), "pad": (1, 1)}),
        ((4, 1, 12, 12), (5, 1, 3, 3), {"kernel": (3, 3), "stride": (2, 2)}),
        ((4, 8, 12, 12), (8, 4, 3, 3), {"kernel": (3, 3), "num_group": 2}),
        ((1, 8, 3, 3), (16, 8, 3, 3), {"kernel": (3, 3)}),
        ((2, 8, 1, 1), (4, 8, 1, 1), {"kernel": (1, 1)}),
        ((2, 3, 8, 8), (4, 3, 1, 1), {"kernel": (1, 1), "stride": (2, 2)}),
        ((2, 8, 8, 3), (4, 1, 1, 3), {"kernel": (1, 1), "stride": (2, 2), "layout": "NHWC"}),
        ((2, 4, 6), (8, 4, 3), {"kernel": (3,)}),
        ((4, 12, 12, 8), (16, 3, 3, 8), {"kernel": (3, 3), "layout": "NHWC"}),
    ],
)
def test_convolutions_inside_graphs(data, weight, attrs):
    op = find("Convolution").of({"num_filter": weight[0], **attrs})
    inputs = [numbers(*shape) for shape in (data, weight, weight[:1])]
    inside, alone = (functools.partial(recorded(op), inside=i) for i in (True, False))
    expected = with_gradients(alone, *(x.double() for x in inputs))
    assert_equal(with_gradients(inside, *inputs), expected)


@pytest.mark.onednn
@pytest.mark.parametrize(
    "stride, pad, dilate, groups", [(1, 0, 1, 1), ((2, 1, 1), (1, 0, 2), (1, 2, 1), 2)]
)
def test_one_volume_goes_to_onednn(stride, pad, dilate, groups):
    inputs = [numbers(1, 4, 8, 20, 21), numbers(6, 4 // groups, 3, 3, 3), numbers(6)]
    place = (stride, pad, dilate, groups)
    found = with_gradients(lambda *t: conv3d(*t, *place), *inputs)
    doubles = [x.double() for x in inputs]
    assert_equal(found, with_gradients(lambda *t: F.conv3d(*t, *place), *doubles), tol=1e-3)
    data = inputs[0].requires_grad_()
    assert "Mkldnn" in conv3d(data, *inputs[1:], *place).grad_fn.name()


@pytest.mark.onednn
@pytest.mark.parametrize("shape", [(4, 8, 12, 12), (4, 1, 12, 12)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_images_go_channels_last(shape, dtype):
    data, weight = numbers(*shape).to(dtype), numbers(5, shape[1], 3, 3).to(dtype)
    result = F.conv2d(in_kernel_layout(data, weight), weight)
    assert result.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.onednn
def test_kernels_that_outweigh_the_images_keep_their_order():
    data, weight = numbers(1, 8, 3, 3), numbers(16, 8, 3, 3)
    assert in_kernel_layout(data.to(memory_format=torch.channels_last), weight).is_contiguous()


@pytest.mark.parametrize(
    "name, options", [("Convolution", {"inside": True}), ("Deconvolution", {})]
)
@pytest.mark.parametrize(
    "channels, kernel, stride, in_planes",
    [(3, 1, 2, True), (3, 1, 1, False), (3, 2, 2, False), (16, 1, 2, False)],
)
def test_kernels_of_one_item_skip_items_of_few_channels_in_planes(
    name, options, channels, kernel, stride, in_planes
):
    attrs = {"kernel": (kernel,) * 2, "stride": (stride,) * 2, "no_bias": True}
    op = find(name).of({"num_filter": channels, **attrs})
    data, weight = numbers(2, channels, 8, 8), numbers(channels, channels, kernel, kernel)
    lasts = (t.to(memory_format=torch.channels_last) for t in (data, weight))
    assert recorded(op)(*lasts, **options).is_contiguous() is in_planes


POOLS = [
    functools.partial(F.max_pool2d, kernel_size=3, stride=2, padding=1),
    functools.partial(F.max_pool2d, kernel_size=3, stride=2, padding=1, ceil_mode=True),
    functools.partial(F.avg_pool2d, kernel_size=3, stride=2, padding=1),
    functools.partial(
        F.avg_pool2d, kernel_size=(2, 3), stride=1, padding=1, count_include_pad=False
    ),
]


@pytest.fixture(params=[True, False], ids=["AVX-512", "AVX2"])
def processor(request, monkeypatch):
    monkeypatch.setattr(onednn, "HAS_AVX512", request.param)


@pytest.mark.usefixtures("processor")
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("data", [numbers(*BIG), numbers(*BIG).mul(4).round()], ids=["", "ties"])
def test_pooling(pool, data):
    found = with_gradients(lambda x: fast_pool(pool, x), data)
    assert_equal(found, with_gradients(pool, data))
    assert_equal([fast_pool(pool, data)], found[:1])


@pytest.mark.usefixtures("processor")
def test_pooling_has_a_second_gradient():
    data = numbers(*BIG).requires_grad_()
    for pool in POOLS[0], POOLS[2]:
        found, expected = (
            torch.autograd.grad(
                torch.autograd.grad(run(data).square().sum(), data, create_graph=True)[0].sum(),
                data,
            )
            for run in (functools.partial(fast_pool, pool), pool)
        )
        assert_equal(found, expected)


def test_channels_last_stays_channels_last():
    data = numbers(*BIG).to(memory_format=torch.channels_last)
    result = fast_pool(POOLS[0], data)
    assert result.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize(
    "name, attrs, shapes",
    [
        ("Pooling", {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}, [BIG]),
        ("Pooling", {"kernel": (3, 3), "pool_type": "avg", "pad": (1, 1)}, [BIG]),
        (
            "Pooling",
            {"kernel": (3, 3), "stride": (2, 2), "pool_type": "avg", "pooling_convention": "full"},
            [BIG],
        ),
        ("FullyConnected", {"num_hidden": 256}, [(64, 256), (256, 256), (256,)]),
        ("dot", {"transpose_a": True}, [(256, 128), (256, 128)]),
        ("_linalg_gemm2", {"alpha": 2.0, "transpose_b": True}, [(256, 128), (256, 128)]),
        ("_linalg_syrk", {"transpose": True}, [(256, 128)]),
    ],
)
def test_operators_agree_with_double_precision(name, attrs, shapes):
    run = recorded(find(name).of(attrs))
    inputs = [numbers(*shape) for shape in shapes]
    expected = with_gradients(run, *(x.double() for x in inputs))
    assert_equal(with_gradients(run, *inputs), expected)
