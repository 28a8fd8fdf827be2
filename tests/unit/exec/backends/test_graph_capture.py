# SPDX-License-Identifier: Apache-2.0
"""Recorded kernels share memory between passes; nobody outside sees that."""

import threading

import pytest
import torch

from mxnova.core.exec.backends.graph_capture import KernelRecording
from mxnova.core.runtime.engine.gpu import whole_gpus

from .recorded_kernels import REPLAYS, Stream, stand_in

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def on_a_stand_in(monkeypatch):
    stand_in(monkeypatch)


def function(x, w):
    return torch.tanh(x * w), x.sum(0)


def recorded():
    return KernelRecording(function, CPU)


def data(seed, requires_grad=False):
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(3, 4, generator=rng).requires_grad_(requires_grad)


def gradients(run, x, w, head=2.0):
    y, z = run(x, w)
    return torch.autograd.grad((y * head).sum() + z.sum(), [x, w])


def test_results_of_earlier_calls_stay():
    run, w = recorded(), data(0)
    inputs = [data(i) for i in range(1, 5)]
    found = [run(x, w) for x in inputs]
    for x, results in zip(inputs, found, strict=True):
        torch.testing.assert_close(results, function(x, w))
    assert len(REPLAYS) == 4


def test_weights_are_read_in_their_place_and_data_is_never_written_to():
    run, w = recorded(), data(0)
    inputs = [data(i) for i in range(1, 4)]
    copies = [x.clone() for x in inputs]
    for x in inputs:
        w.mul_(1.5)
        torch.testing.assert_close(run(x, w), function(x, w))
    (recording,) = run._recordings.values()
    assert recording._copied == {0}
    torch.testing.assert_close(inputs, copies, rtol=0, atol=0)


def test_gradients_have_memory_of_their_own():
    run, w = recorded(), data(0, True)
    inputs = [data(i, True) for i in range(1, 4)]
    found = [gradients(run, x, w) for x in inputs]
    for x, of_x in zip(inputs, found, strict=True):
        torch.testing.assert_close(of_x, gradients(function, x, w))
    assert len(REPLAYS) == 6


def test_a_pass_that_waits_for_its_gradient_is_not_written_over():
    run, w = recorded(), data(0, True)
    first, second = data(1, True), data(2, True)
    y, _ = run(first, w)
    other, _ = run(second, w)  # not replayed
    assert len(REPLAYS) == 1
    for x, result in ((first, y), (second, other)):
        expected = torch.autograd.grad(function(x, w)[0].sum(), [x, w])
        torch.testing.assert_close(torch.autograd.grad(result.sum(), [x, w]), expected)
    del y, other, result
    run(first, w)
    assert len(REPLAYS) == 3


def test_a_graph_that_is_retained_can_be_gone_through_again():
    run, x, w = recorded(), data(1, True), data(0, True)
    y, _ = run(x, w)
    first, second = (torch.autograd.grad(y.sum(), [x, w], retain_graph=True) for _ in range(2))
    torch.testing.assert_close(first, second)
    torch.testing.assert_close(first, torch.autograd.grad(function(x, w)[0].sum(), [x, w]))


def test_each_set_of_inputs_with_gradients_has_its_recording():
    run, x, w = recorded(), data(1), data(0, True)
    (found,) = torch.autograd.grad(run(x, w)[0].sum(), [w])
    (expected,) = torch.autograd.grad(function(x, w)[0].sum(), [w])
    torch.testing.assert_close(found, expected)
    with torch.no_grad():
        torch.testing.assert_close(run(x, w), function(x, w))
    assert set(run._recordings) == {(False, True), (False, False)}


@pytest.mark.parametrize("learns", [False, True])
def test_what_cannot_be_recorded_runs_as_it_is(learns, monkeypatch, caplog):
    def refuse(*_, **__):
        raise RuntimeError("operation not permitted when stream is capturing\nmore")

    monkeypatch.setattr(torch.cuda, "graph", refuse)
    run, x, w = recorded(), data(1), data(0, learns)
    for _ in range(2):
        torch.testing.assert_close(run(x, w), function(x, w))
    (warning,) = caplog.records
    assert "records nothing: operation not permitted when stream is capturing;" in warning.message


def test_other_threads_may_use_the_gpu_while_kernels_are_recorded(monkeypatch):
    modes, one_at_a_time = [], []
    record = torch.cuda.graph

    def graph(*args, **options):
        modes.append(options["capture_error_mode"])
        other = threading.Thread(target=lambda: one_at_a_time.append(_is_free()))
        other.start()
        other.join()
        return record(*args, **options)

    monkeypatch.setattr(torch.cuda, "graph", graph)
    recorded()(data(1, True), data(0, True))
    assert modes == ["thread_local"] * 2
    assert one_at_a_time == [False] * 2
    assert _is_free()


def test_recordings_share_two_streams():
    before = Stream.made
    for _ in range(3):
        recorded()(data(1, True), data(0, True))
    assert Stream.made - before == 2


def _is_free():
    free = whole_gpus().acquire(blocking=False)
    if free:
        whole_gpus().release()
    return free
