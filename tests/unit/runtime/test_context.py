# SPDX-License-Identifier: Apache-2.0
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import mxnova as mx
from mxnova.core.runtime import context
from mxnova.core.runtime.engine.gpu import whole_gpus
from mxnova.core.runtime.profiler import Profiler, clock

from ..fake_gpu import CUDA, FakeGpu, GpuTensor, on_gpu


@pytest.mark.parametrize("is_initialized", [False, True])
def test_waitall_waits_for_each_gpu_in_use(monkeypatch, is_initialized):
    waited = []
    monkeypatch.setattr(context, "_IN_USE", {3, 1})
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: is_initialized)
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    mx.nd.waitall()
    assert waited == ([1, 3] if is_initialized else [])


def test_nobody_records_kernels_while_a_gpu_is_waited_for(monkeypatch):
    def is_free():
        free = whole_gpus().acquire(blocking=False)
        if free:
            whole_gpus().release()
        return free

    def synchronize(number):
        with ThreadPoolExecutor(1) as other:
            found.append((number, other.submit(is_free).result()))

    found = []
    monkeypatch.setattr(torch.cuda, "synchronize", synchronize)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _: 0)
    context.wait_for(mx.gpu(2))
    Profiler().ran("dot", clock(), mx.gpu(3))
    assert found == [(2, False), (3, False)]
    assert is_free()


@pytest.mark.parametrize(
    "is_apple, told", [(False, "no GPU"), (True, "Apple's, which mxnova does not use")]
)
@pytest.mark.parametrize("number", [7, -1])
def test_a_gpu_that_is_not_there(monkeypatch, is_apple, told, number):
    monkeypatch.setattr(context, "num_gpus", lambda: 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: is_apple)
    assert not context.is_there(mx.gpu(number))
    with pytest.raises(mx.MXNetError, match=rf"gpu\({number}\): this machine has .*{told}"):
        _ = mx.Context("gpu", number).device


@pytest.mark.parametrize(
    "device, expected", [("cpu", "cpu(0)"), ("cuda", "gpu(0)"), ("cuda:1", "gpu(1)")]
)
def test_contexts_of_devices(device, expected):
    assert str(context.context_at(torch.device(device))) == expected


def test_what_failed_on_a_gpu_is_told_where_it_is_waited_for(monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    with FakeGpu():
        array = mx.nd.NDArray(on_gpu(torch.ones(1)))
        monkeypatch.setattr(mx.gpu(0), "_device", CUDA)
        monkeypatch.setattr(context, "_IN_USE", {0})
        monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
        monkeypatch.setattr(torch.cuda, "synchronize", fail)
        for name in ("numpy", "to", "fill_"):
            monkeypatch.setattr(GpuTensor, name, fail)
        for wait in (
            array.wait_to_read,
            array.asnumpy,
            array.asscalar,
            lambda: mx.nd.ones((2,), ctx=mx.gpu(0)),
            lambda: array.as_in_context(mx.cpu()),
            mx.nd.waitall,
        ):
            with pytest.raises(mx.MXNetError, match="illegal memory access .*an earlier one"):
                wait()
