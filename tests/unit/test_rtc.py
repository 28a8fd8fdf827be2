import ctypes
import gc
import sys
import threading

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova import rtc

from .fake_cuda import STREAM, FakeCuda, arguments_at

AXPY = """
extern "C" __global__ void axpy(const float *x, float *y, float alpha, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) y[i] += alpha * x[i];
}
template <typename T> __global__ void fill(T *y, T value) {
    y[threadIdx.x] = value;
}
"""
SIGNATURE = "const float *x, float *y, float alpha, int n"
PTX = """
.visible .entry axpy(
	.param .u64 .ptr .align 1 axpy_param_0,
	.param .u64 axpy_param_1,
	.param .f32 axpy_param_2,
	.param .u32 axpy_param_3
)
{ ret; }
.visible .entry _Zfill_float_(
	.param .u64 _Zfill_float__param_0,
	.param .align 2 .b8 _Zfill_float__param_1[2]
)
{ ret; }
.visible .entry nothing()
{ ret; }
"""
POINTER, FLOAT, INT = ctypes.c_void_p, ctypes.c_float, ctypes.c_int32


def axpy(grid, block, addresses):
    x, y, alpha, n = arguments_at(addresses, POINTER, POINTER, FLOAT, INT)
    x, y = (np.ctypeslib.as_array((FLOAT * n).from_address(a)) for a in (x, y))
    y += np.float32(alpha) * x


@pytest.fixture
def cuda(monkeypatch):
    fake = FakeCuda()
    fake.ptx[AXPY] = PTX
    fake.kernels["axpy"] = axpy
    fake.install(monkeypatch)
    return fake


@pytest.fixture
def gpu(cuda):
    return mx.Context("gpu", 0)


@pytest.fixture
def kernel(cuda):
    return rtc.CudaModule(AXPY, exports=["fill<float>"]).get_kernel("axpy", SIGNATURE)


def test_a_kernel_is_launched_on_arrays_and_numbers(cuda, gpu, kernel):
    x, y = mx.nd.arange(6, ctx=gpu), mx.nd.ones((6,), ctx=gpu)
    kernel.launch([x, y, 2.0, 6], gpu, (2, 1, 1), (3, 1, 1), shared_mem=16)
    kernel.launch([x, y, np.float64(1), 5.5], gpu, [2, 1, 1], [3, 1, 1])
    assert y.asnumpy().tolist() == [1, 4, 7, 10, 13, 11]
    names = [c[0] for c in cuda.calls]
    assert names == ["push", "load", "launch", "pop", "push", "launch", "pop"]
    assert cuda.calls[2] == ("launch", "axpy", (2, 1, 1), (3, 1, 1), 16, STREAM, 0)
    assert cuda.calls[0] == ("push", "context 0")


def test_what_was_pushed_before_is_finished_before(cuda, gpu, kernel):
    x, y = mx.nd.ones((4,), ctx=gpu), mx.nd.zeros((4,), ctx=gpu)
    go = threading.Event()

    def grow():
        go.wait(60)
        x[:] = 5

    mx.engine.push(grow, write=[x])
    kernel.launch([x, y, 1, 4], gpu, (1, 1, 1), (4, 1, 1))
    assert not any(c[0] == "launch" for c in cuda.calls)
    go.set()
    assert y.asnumpy().tolist() == [5] * 4


def test_an_array_may_be_read_and_written(gpu, kernel):
    x = mx.nd.ones((4,), ctx=gpu)
    kernel.launch([x, x, 2, 4], gpu, (1, 1, 1), (4, 1, 1))
    assert x.asnumpy().tolist() == [3] * 4


def test_views_are_written_through(gpu, kernel):
    x, y = mx.nd.ones((4,), ctx=gpu), mx.nd.zeros((3, 4), ctx=gpu)
    kernel.launch([x, y[1], 2, 4], gpu, (1, 1, 1), (4, 1, 1))
    assert y.asnumpy().tolist() == [[0] * 4, [2] * 4, [0] * 4]


def test_modules_are_unloaded_with_the_last_kernel(cuda, gpu):
    module = rtc.CudaModule(AXPY)
    kernel = module.get_kernel("axpy", SIGNATURE)
    x = mx.nd.ones((4,), ctx=gpu)
    kernel.launch([x, x, 2, 4], gpu, (1, 1, 1), (4, 1, 1))
    del module
    gc.collect()
    assert not any(c[0] == "unload" for c in cuda.calls)
    del kernel
    gc.collect()
    assert [c for c in cuda.calls if c[0] == "unload"] == [("unload", "module 2")]


def test_exported_kernels_have_the_names_of_the_source(cuda):
    module = rtc.CudaModule(AXPY, options="-lineinfo", exports="fill<float>")
    assert cuda.options == [b"-lineinfo"]
    made = module.get_kernel("fill<float>", "float *y, __half value")
    assert made.handle._lowered == "_Zfill_float_"


def test_the_architecture_is_that_of_the_oldest_gpu(cuda, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda i: [(9, 0), (8, 9)][i])
    cuda.nvrtc.nvrtcGetSupportedArchs = lambda: (0, [75, 80, 86, 90])
    rtc.CudaModule(AXPY)
    assert cuda.options == [b"--gpu-architecture=compute_86"]
    rtc.CudaModule(AXPY, ["--gpu-architecture=sm_90"])
    assert cuda.options == [b"--gpu-architecture=sm_90"]


def test_the_log_of_the_compiler_is_told(cuda):
    with pytest.raises(mx.MXNetError, match=r'identifier "y" is undefined'):
        rtc.CudaModule("y = 1;")


def test_without_the_bindings_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cuda", None)
    with pytest.raises(mx.MXNetError, match=r"mxnova\[rtc\]"):
        rtc.CudaModule(AXPY)


# fmt: off
SIGNATURES = [
    ("axpy", "const float *x, float *y, float alpha", mx.MXNetError, "8, 8, 4 bytes"),
    ("axpy", "const float *x, float *y, double a, int n", mx.MXNetError, "8, 8, 8, 4 bytes"),
    ("axpy", "float x y z", ValueError, "form"),
    ("axpy", "const", ValueError, "form"),
    ("axpy", "", ValueError, "form"),
    ("axpy", "float **x", ValueError, "form"),
    ("axpy", "unsigned *x", TypeError, "unsigned"),
    ("axpy", None, TypeError, "signature"),
    ("axpi", SIGNATURE, mx.MXNetError, "did you mean 'axpy'"),
    ("fill<double>", "double *y, double v", mx.MXNetError, "exports"),
]
# fmt: on


@pytest.mark.parametrize("name, signature, kind, text", SIGNATURES)
def test_signatures_are_checked(cuda, name, signature, kind, text):
    module = rtc.CudaModule(AXPY, exports=["fill<float>"])
    with pytest.raises(kind, match=text):
        module.get_kernel(name, signature)


@pytest.mark.parametrize("text", ["const  float*x", " const float * x ", "float *", "const int n"])
def test_signatures_are_written_freely(text):
    parameter = rtc._parameter(text)
    assert parameter.is_const is ("const" in text)
    assert parameter.is_ndarray is ("*" in text)


def launches(gpu):
    x, y = mx.nd.ones((4,), ctx=gpu), mx.nd.ones((4,), ctx=gpu)
    one, four = (1, 1, 1), (4, 1, 1)
    # fmt: off
    return [
        ([x, y, 1.0], gpu, one, four, AssertionError, "3 arguments"),
        ([x, y, 1.0, 4], mx.cpu(), one, four, AssertionError, "on a GPU"),
        ([x, y, 1.0, 4], gpu, (1, 1), four, AssertionError, "grid_dims"),
        ([x, y, 1.0, 4], gpu, one, (4, 1, 0), mx.MXNetError, "block_dims"),
        ([x, y, 1.0, 4], gpu, one, (4, 1, 1.5), TypeError, "block_dims"),
        ([x, y, 1.0, 4], gpu, one, (2048, 1, 1), mx.MXNetError, "CUDA_ERROR_INVALID_VALUE"),
        ([x, 2, 1.0, 4], gpu, one, four, AssertionError, "argument 1"),
        ([x, y, x, 4], gpu, one, four, AssertionError, "argument 2"),
        ([x, y, 1.0, 1 << 40], gpu, one, four, mx.MXNetError, "int32"),
        ([x, y, 1.0, "2"], gpu, one, four, AssertionError, "argument 3"),
        ([x, y, 1.0, float("nan")], gpu, one, four, mx.MXNetError, "int32"),
        ([x, y.astype("float64"), 1.0, 4], gpu, one, four, TypeError, "float64, expected float32"),
        ([x, mx.nd.ones((4,)), 1.0, 4], gpu, one, four, mx.MXNetError, r"on cpu\(0\)"),
        ([x, y.tostype("row_sparse"), 1.0, 4], gpu, one, four, mx.MXNetError, "row_sparse"),
    ]
    # fmt: on


@pytest.mark.parametrize("case", range(14))
def test_arguments_are_checked(gpu, kernel, case):
    *call, kind, text = launches(gpu)[case]
    with pytest.raises(kind, match=text):
        kernel.launch(*call)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name, dtype", [("float", "float32"), ("double", "float64")])
def test_on_a_gpu(name, dtype):
    pytest.importorskip("cuda.bindings")
    source = AXPY.replace("float", name)
    module = rtc.CudaModule(source, exports=[f"fill<{name}>"])
    kernel = module.get_kernel("axpy", SIGNATURE.replace("float", name))
    gpu = mx.gpu(0)
    x, y = mx.nd.arange(1000, ctx=gpu, dtype=dtype), mx.nd.ones((1000,), ctx=gpu, dtype=dtype)
    mx.engine.push(lambda: x.__imul__(2), write=[x], ctx=gpu)
    kernel.launch([x, y, 3, 1000], gpu, (8, 1, 1), (128, 1, 1))
    assert np.array_equal(y.asnumpy(), 1 + 6 * np.arange(1000))
    fill = module.get_kernel(f"fill<{name}>", f"{name} *y, {name} value")
    fill.launch([y, 7], gpu, (1, 1, 1), (1000, 1, 1))
    assert (y.asnumpy() == 7).all()
    with pytest.raises(mx.MXNetError, match="cuLaunchKernel"):
        fill.launch([y, 7], gpu, (1, 1, 1), (4096, 1, 1))


def test_with_nvrtc():
    pytest.importorskip("cuda.bindings.nvrtc")
    try:
        module = rtc.CudaModule(AXPY, exports=["fill<float>", "fill<double>"])
    except mx.MXNetError as error:
        if "libnvrtc" not in str(error):
            raise
        pytest.skip(str(error))
    module.get_kernel("axpy", SIGNATURE)
    module.get_kernel("fill<double>", "double *y, double value")
    with pytest.raises(mx.MXNetError, match="8, 8 bytes, the compiled kernel of 8, 4"):
        module.get_kernel("fill<float>", "float *y, double value")
    with pytest.raises(mx.MXNetError, match='identifier "y" is undefined'):
        rtc.CudaModule('extern "C" __global__ void f() { y = 1; }')
