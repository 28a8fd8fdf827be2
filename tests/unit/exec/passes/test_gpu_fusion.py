# SPDX-License-Identifier: Apache-2.0
"""What graphs become on a GPU, on a stand-in of one: the numbers stay those of the CPU."""

import logging

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.op import gradient
from mxnova.core.op.nn import batch_norm, convolution
from mxnova.core.runtime import torch_api

from ...fake_gpu import FakeGpu, pretend
from .test_convolution_fusion import DATA, FUSED, SHAPE, conv, norm, rewritten

SIZE = (5, 2, 24)  # of attention: length, batch, features


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    pretend(monkeypatch)


def bound(symbol, context, shape, seed=1, **values):
    types = {"data": values.pop("dtype", "float32")}
    executor = symbol.simple_bind(context, type_dict=types, data=shape)
    rng = np.random.default_rng(seed)
    for name, array in (executor.arg_dict | executor.aux_dict).items():
        low = 0.5 if name.endswith(("gamma", "var")) else -1
        array[:] = rng.uniform(low, 1.5, array.shape)
        if name in values:
            array[:] = values[name]
    return executor


def rewritten_steps(executor):
    executor.optimize()
    return [step.op for step in executor._inference._special.lowered.steps]


def values_on_cpu(symbol, shape, **values):
    return bound(symbol, mx.cpu(), shape, **values).forward()[0].asnumpy().astype("float32")


@pytest.mark.parametrize("name", FUSED)
def test_convolutions_take_over_what_follows(name):
    make, left = FUSED[name]
    symbol = make()
    wanted = values_on_cpu(symbol, SHAPE)
    with FakeGpu():
        executor = bound(symbol, mx.gpu(0), SHAPE)
        made = rewritten(executor)
        found = executor.forward()[0].asnumpy()
    assert sorted(made) == sorted(n.replace("_Fused", "_Gpu") for n in left)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_biases_of_summands_are_added_with_those_of_sums():
    branch = norm(conv(DATA, "branch"), fix_gamma=False)
    symbol = mx.sym.relu(conv(DATA, "main", no_bias=True) + branch)
    wanted = values_on_cpu(symbol, SHAPE)
    with FakeGpu():
        executor = bound(symbol, mx.gpu(0), SHAPE)
        ops = rewritten_steps(executor)
        found = executor.forward()[0].asnumpy()
    assert sorted(op.bias is None for op in ops) == [False, True]
    assert all(op.with_sum for op in ops if op.bias is not None)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


# Variance, gamma and beta of a BatchNorm -> whether float16 holds the weights that it would be
# folded into; of more filters than one the last counts.
FOLDED = [
    (1, 1, 0, True),
    (1e-14, 1, 0, False),
    (1e14, 1, 0, False),
    ([1, 1, 1, 1e14], 1, 0, False),
    (1, [1, 1, 1, 1e-8], 0, True),  # a filter that is put out
    (1, [1, 1, 1, 0], 0, True),
]


@pytest.mark.parametrize("variance, gamma, beta, folds", FOLDED)
def test_weights_are_folded_where_their_type_holds_them(variance, gamma, beta, folds):
    symbol = norm(conv(DATA, no_bias=True), eps=1e-16, fix_gamma=False)
    values = {"dtype": "float16", "b_moving_var": variance, "b_moving_mean": 0}
    values |= {"b_gamma": gamma, "b_beta": beta}
    wanted = values_on_cpu(symbol, SHAPE, **values)
    with FakeGpu():
        executor = bound(symbol, mx.gpu(0), SHAPE, **values)
        made = rewritten(executor)
        found = executor.forward()[0].asnumpy().astype("float32")
    assert made == (["_GpuConvolution"] if folds else ["_GpuConvolution", "BatchNorm"])
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-2 * np.abs(wanted).max())


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_attention_is_one_kernel(dtype):
    scores = mx.sym.contrib.interleaved_matmul_selfatt_qk(DATA, heads=2)
    weights = mx.sym.softmax(scores)
    symbol = mx.sym.contrib.interleaved_matmul_selfatt_valatt(DATA, weights, heads=2)
    wanted = values_on_cpu(symbol, SIZE, dtype=dtype)
    with FakeGpu():
        executor = bound(symbol, mx.gpu(0), SIZE, dtype=dtype)
        made = rewritten(executor) or executor._inference._unconditional.steps
        found = executor.forward()[0].asnumpy().astype("float32")
    assert [getattr(s, "op", s).name for s in made] == ["_FusedAttention"]
    np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.parametrize("tf32", [True, False])
def test_images_lie_as_tensor_cores_take_them(tf32, monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", tf32)
    seen = []
    convolve = torch.nn.functional.conv2d

    def watched(images, *rest):
        seen.append(images.is_contiguous(memory_format=torch.channels_last))
        return convolve(images, *rest)

    monkeypatch.setitem(convolution._CONVOLVE, 2, watched)
    with FakeGpu():
        bound(conv(DATA), mx.gpu(0), SHAPE).forward()
    assert seen == [tf32]


def test_shorter_products_are_for_other_devices(caplog):
    with FakeGpu(), caplog.at_level(logging.WARNING):
        symbol = conv(DATA).optimize_for("aten", precision="bfloat16")
        executor = bound(symbol, mx.gpu(0), SHAPE)
        for value in (1, 2):  # compiled anew for each
            executor.arg_dict["c_weight"][:] = value
            executor.optimize()
    assert caplog.text.count("cast these to bfloat16") == 1


def test_cudagraph_records_what_is_fused():
    symbol = mx.sym.tanh(mx.sym.sin(norm(conv(DATA)))).optimize_for("cudagraph")
    with FakeGpu():
        executor = bound(symbol, mx.gpu(0), SHAPE)
        (group,) = rewritten_steps(executor)
        placed = {p.backend for p in executor.explain()}
    assert [n.op.name for n in group.nodes()] == ["_GpuConvolution", "sin", "tanh"]
    assert placed == {"cudagraph"}


@pytest.mark.parametrize("at_once", [True, False])
def test_statistics_move_at_the_end_of_a_backward_pass(at_once, monkeypatch):
    symbol = mx.sym.BatchNorm(conv(DATA), name="first", eps=1e-3, momentum=0.8)
    symbol = mx.sym.BatchNorm(mx.sym.relu(symbol), name="second", fix_gamma=False)
    calls = []
    every = batch_norm._Move.all

    def watched(moves):
        calls.append(len(moves))
        every(moves)

    monkeypatch.setattr(batch_norm._Move, "all", watched)
    monkeypatch.setattr(torch_api, "has_final_calls", lambda: at_once)

    def trained(context):
        executor = bound(mx.sym.sum(symbol), context, SHAPE)
        for _ in range(3):
            executor.forward(is_train=True)
            executor.backward()
        return {n: a.asnumpy() for n, a in executor.aux_dict.items()}

    wanted = trained(mx.cpu())
    assert not calls
    with FakeGpu():
        found = trained(mx.gpu(0))
    assert calls == ([2, 2, 2] if at_once else [])
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shared", ["moving_mean", "moving_var", "both"])
def test_statistics_of_a_layer_that_is_used_twice_move_twice(shared):
    states = {n: mx.sym.var(n) for n in ("moving_mean", "moving_var") if shared in (n, "both")}
    first = mx.sym.BatchNorm(DATA, name="first", momentum=0.5, **states)
    second = mx.sym.BatchNorm(DATA * 3, name="second", momentum=0.75, **states)
    third = mx.sym.BatchNorm(DATA - 1, name="third", momentum=0.5, **states)
    symbol = mx.sym.sum(first * second * third)

    def trained(context):
        executor = bound(symbol, context, SHAPE)
        executor.forward(is_train=True)
        executor.backward()
        return {n: a.asnumpy() for n, a in executor.aux_dict.items()}

    wanted = trained(mx.cpu())
    with FakeGpu():
        found = trained(mx.gpu(0))
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-5, atol=1e-6)


def test_what_waits_for_a_backward_pass_that_fails_is_not_written_by_the_next():
    def trained(context):
        executor = bound(mx.sym.sum(norm(conv(DATA))), context, SHAPE)
        executor.forward(is_train=True)
        return executor

    with FakeGpu():
        first, second = trained(mx.gpu(0)), trained(mx.gpu(0))
        before = first.aux_dict["b_moving_mean"].asnumpy()
        gradient._LATER.number, gradient._LATER.writes = 10**9, [None]  # what a failed one leaves
        second.backward()
        np.testing.assert_array_equal(first.aux_dict["b_moving_mean"].asnumpy(), before)
        assert (second.aux_dict["b_moving_mean"].asnumpy() != before).any()
