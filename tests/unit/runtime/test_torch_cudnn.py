# SPDX-License-Identifier: Apache-2.0
"""cuDNN's kernels, stood in for by ATen's: who is asked, and what is not trusted."""

from contextlib import contextmanager

import pytest
import torch
import torch.nn.functional as F
from torch.backends import cudnn

from mxnova.core.runtime import torch_cudnn

from ..fake_gpu import FakeGpu, on_gpu

WINDOW = ([1, 1], [2, 2], [1, 1], 1)


@pytest.fixture(autouse=True)
def tried_anew():
    torch_cudnn._is_fused.cache_clear()
    yield
    torch_cudnn._is_fused.cache_clear()


MATMUL = torch.backends.cuda.matmul
QUESTIONS = {
    torch_cudnn.convolves_in_tf32: (getattr(cudnn, "conv", None), cudnn),
    torch_cudnn.multiplies_in_tf32: (MATMUL, MATMUL),
}


@contextmanager
def told(settings, name, value):
    """A block in which torch is told so; `monkeypatch` cannot take back what is no attribute."""
    before = getattr(settings, name)
    setattr(settings, name, value)
    try:
        yield
    finally:
        setattr(settings, name, before)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.__name__)
def test_tf32_is_what_torch_was_told_in_either_way(question):
    settings, older = QUESTIONS[question]
    for is_allowed in (True, False):
        with told(older, "allow_tf32", is_allowed):
            assert question() is is_allowed
    for precision in ("ieee", "tf32") if hasattr(settings, "fp32_precision") else ():
        with told(settings, "fp32_precision", precision):
            assert question() is (precision == "tf32")


def data(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def kernels(monkeypatch, error=0.0):
    """Puts kernels in place of cuDNN's, which are so far off; gives the list of their calls."""
    calls = []

    def rectified(image, weight, bias, stride, pad, dilate, groups):
        calls.append("rectified")
        return torch.relu(F.conv2d(image, weight, bias, stride, pad, dilate, groups)) + error

    def summed(image, weight, other, alpha, bias, stride, pad, dilate, groups):
        calls.append("summed")
        sums = F.conv2d(image, weight, bias, stride, pad, dilate, groups) + alpha * other
        return torch.relu(sums) + error

    monkeypatch.setattr(torch, "cudnn_convolution_relu", rectified)
    monkeypatch.setattr(torch, "cudnn_convolution_add_relu", summed)
    return calls


@pytest.mark.parametrize("with_sum", [False, True])
@pytest.mark.parametrize("error, asked", [(0.0, True), (1.0, False)])
def test_convolutions_take_kernels_that_are_right(with_sum, error, asked, monkeypatch):
    image, weight, bias = data(2, 3, 5, 5), data(4, 3, 3, 3, seed=1), data(4, seed=2)
    others = [data(2, 4, 3, 3, seed=3)] if with_sum else []
    pad, stride, dilate, groups = WINDOW
    wanted = torch.relu(F.conv2d(image, weight, bias, stride, pad, dilate, groups) + sum(others))
    calls = kernels(monkeypatch, error)
    with FakeGpu():
        there = [on_gpu(t) for t in (image, weight, bias)]
        run = lambda: torch_cudnn.rectified_convolution(*there, WINDOW, *map(on_gpu, others))  # noqa: E731
        run()
        calls.clear()
        found = run().cpu()
    torch.testing.assert_close(found, wanted)
    assert calls == (["summed" if with_sum else "rectified"] if asked else [])


def test_groups_are_convolved_step_by_step(monkeypatch):
    calls = kernels(monkeypatch)
    image, weight, bias = data(1, 8, 2, 2), data(8, 1, 1, 1, seed=1), data(8, seed=2)
    with FakeGpu():
        there = [on_gpu(t) for t in (image, weight, bias)]
        found = torch_cudnn.rectified_convolution(*there, ([0, 0], [1, 1], [1, 1], 8)).cpu()
    assert not calls
    torch.testing.assert_close(found, torch.relu(F.conv2d(image, weight, bias, groups=8)))


@pytest.mark.parametrize("setting, value", [("enabled", False), ("deterministic", True)])
def test_what_torch_is_told_of_cudnn_holds(setting, value, monkeypatch):
    calls = kernels(monkeypatch)
    image, weight, bias = data(1, 8, 2, 2), data(8, 8, 1, 1, seed=1), data(8, seed=2)
    with FakeGpu():
        there = [on_gpu(t) for t in (image, weight, bias)]
        torch_cudnn.rectified_convolution(*there, ([0, 0], [1, 1], [1, 1], 1))
        assert calls
        calls.clear()
        monkeypatch.setattr(torch.backends.cudnn, setting, value)
        torch_cudnn.rectified_convolution(*there, ([0, 0], [1, 1], [1, 1], 1))
    assert not calls


def test_windows_without_a_kernel_are_convolved_step_by_step(monkeypatch):
    image, weight, bias = data(1, 8, 2, 2), data(8, 8, 1, 1, seed=1), data(8, seed=2)
    calls = kernels(monkeypatch)
    window = ([0, 0], [1, 1], [1, 1], 1)
    with FakeGpu():
        there = [on_gpu(t) for t in (image, weight, bias)]
        torch_cudnn.rectified_convolution(*there, window)
        assert calls

        def refuse(*_):
            raise RuntimeError("GET was unable to find an engine")

        monkeypatch.setattr(torch, "cudnn_convolution_relu", refuse)
        found = torch_cudnn.rectified_convolution(*there, window).cpu()
    torch.testing.assert_close(found, torch.relu(F.conv2d(image, weight, bias)))


@pytest.mark.parametrize("is_there", [True, False])
def test_batches_are_normalized_with_and_without_cudnn(is_there, monkeypatch):
    x, weight, bias = data(4, 3, 5, 5), data(3, seed=1), data(3, seed=2)
    wanted = torch.native_batch_norm(x, weight, bias, None, None, True, 0.0, 1e-3)
    calls, choose = [], torch_cudnn._batch_norm

    def watched(*given):
        calls.append(len(given))
        return choose(*given)

    monkeypatch.setattr(torch_cudnn, "_batch_norm", watched if is_there else None)
    with FakeGpu():
        found = torch_cudnn.normalized_batch(on_gpu(x), on_gpu(weight), on_gpu(bias), 1e-3)
        found = [t.cpu() for t in found]
    torch.testing.assert_close(found, list(wanted))
    assert bool(calls) is is_there
    calls.clear()
    torch_cudnn.normalized_batch(x, weight, bias, 1e-3)  # the CPU's has no use for the choice
    assert not calls
