"""CUDA kernels through C, on a GPU that is none."""

import ctypes

import pytest

import mxnova as mx

from ..fake_cuda import FakeCuda
from ..test_rtc import AXPY, PTX, axpy
from .c import Handle, created, ints, texts


@pytest.fixture
def module(call, monkeypatch):
    fake = FakeCuda()
    fake.ptx[AXPY] = PTX
    fake.kernels["axpy"] = axpy
    fake.install(monkeypatch)
    return created(call, "MXRtcCudaModuleCreate", AXPY.encode(), 1, texts("-lineinfo"), 0, None)


TYPES = (4, ints(1, 1, 0, 0), ints(1, 0, 0, 0), ints(0, 0, 0, 4))


def test_a_kernel(call, module):
    kernel = created(call, "MXRtcCudaKernelCreate", module, b"axpy", *TYPES)
    gpu = mx.Context("gpu", 0)
    x, y = mx.nd.arange(4, ctx=gpu), mx.nd.ones((4,), ctx=gpu)
    alpha, n = ctypes.c_float(2), ctypes.c_int(4)
    numbers = (ctypes.addressof(alpha), ctypes.addressof(n))
    arguments = (Handle * 4)(x.handle, y.handle, *numbers)
    call("MXRtcCudaKernelCall", kernel, 0, arguments, 1, 1, 1, 4, 1, 1, 0)
    assert y.asnumpy().tolist() == [1, 3, 5, 7]
    with pytest.raises(RuntimeError, match="no NDArray"):
        call("MXRtcCudaKernelCall", kernel, 0, (Handle * 4)(), 1, 1, 1, 4, 1, 1, 0)
    arguments[2] = None
    with pytest.raises(RuntimeError, match="an argument is a null pointer"):
        call("MXRtcCudaKernelCall", kernel, 0, arguments, 1, 1, 1, 4, 1, 1, 0)
    call("MXRtcCudaKernelFree", kernel)
    call("MXRtcCudaModuleFree", module)


def test_errors(call, module):
    with pytest.raises(RuntimeError, match='"y" is undefined'):
        created(call, "MXRtcCudaModuleCreate", b"y = 1;", 0, None, 0, None)
    with pytest.raises(RuntimeError, match="no kernel 'axpi'"):
        created(call, "MXRtcCudaKernelCreate", module, b"axpi", *TYPES)
    wrong = (1, ints(1), ints(1), ints(99))
    with pytest.raises(RuntimeError, match="99 is the number of no element type"):
        created(call, "MXRtcCudaKernelCreate", module, b"axpy", *wrong)
    with pytest.raises(RuntimeError, match="see MXRtcCudaModuleCreate"):
        call("MXRtcFree", None)
