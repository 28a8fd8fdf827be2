# SPDX-License-Identifier: Apache-2.0
"""What oneDNN's graphs do in their own way; their values: `test_model_backends`."""

import gc
import weakref

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.exec.backends import BY_NAME
from mxnova.core.exec.backends.conversion.graph import Part
from mxnova.core.runtime import torch_script

from .test_aten import X, answers, close, conv, residual

pytestmark = pytest.mark.skipif(
    BY_NAME["onednn"].unavailable() is not None, reason="PyTorch has no oneDNN graphs"
)


def test_it_compiles_convolutions_with_what_follows(monkeypatch):
    before = torch.jit.onednn_fusion_enabled()
    *both, predictor = answers(residual(conv(X, "stem"), "one"), monkeypatch, backend="onednn")
    close(*both)
    compiled = str(torch.jit.last_executed_optimized_graph())
    assert compiled.count("= prim::oneDNNFusionGroup_") == 3
    assert torch.jit.onednn_fusion_enabled() == before
    assert {row.backend for row in predictor.explain()} == {"onednn"}


def test_positions_that_nobody_reads_are_skipped_inside(monkeypatch):
    x = mx.sym.relu(residual(conv(X, "stem"), "one"))
    x = mx.sym.relu(conv(x, "a") + x)
    both = [conv(x, n, kernel=(1, 1), pad=(0, 0), stride=(2, 2)) for n in ("b", "c")]
    *values, predictor = answers(both[0] * both[1], monkeypatch, backend="onednn")
    close(*values)
    assert {row.backend for row in predictor.explain()} == {"onednn"}
    assert "aten::slice" not in str(torch.jit.last_executed_optimized_graph())


def test_weights_of_models_that_are_gone_are_freed():
    def weights_of_a_run():
        weights = np.ones((4, 4), np.float32)
        weight = torch.from_numpy(weights)
        run, _ = torch_script.compiled_by_onednn(lambda x: (x @ weight,), [torch.ones(1, 4)])
        assert run(torch.ones(1, 4))[0].tolist() == [[4.0] * 4]
        return weakref.ref(weights)

    gone = weights_of_a_run()
    gc.collect()
    assert gone() is None


HEADS = {
    "an input": lambda x, w: mx.sym.Group([x * 2, mx.sym.identity(x)]),
    "a view of an input": lambda x, w: mx.sym.Group([x * 2, mx.sym.reshape(x, shape=(-1,))]),
    "views of one value": lambda x, w: mx.sym.Group([x + 1, mx.sym.reshape(x + 1, shape=(-1,))]),
    "one number in many places": lambda x, w: mx.sym.broadcast_to(
        mx.sym.sum(x + 1, axis=(0, 1, 2, 3), keepdims=True), shape=(4, 8, 12, 12)
    ),
    "zeros": lambda x, w: mx.sym.Group([mx.sym.zeros_like(x), x + 1]),
    "a parameter": lambda x, w: mx.sym.Group([mx.sym.identity(w), mx.sym.broadcast_mul(x, w)]),
}


@pytest.mark.parametrize("head", HEADS)
def test_outputs_have_memory_of_their_own(head):
    x, weight = torch.rand(4, 8, 12, 12), torch.rand(1, 8, 1, 1)
    symbol = HEADS[head](mx.sym.var("x"), mx.sym.var("w"))
    run = BY_NAME["onednn"].make(Part(symbol, {"x": x.shape}, {"w": weight}))
    before = x.clone(), weight.clone()
    results = run([x])
    expected = [r.clone() for r in results]
    for i, result in enumerate(results):
        result.fill_(7)
        for other, value in zip(results[i + 1 :], expected[i + 1 :], strict=True):
            assert torch.equal(other, value)
    assert torch.equal(x, before[0]) and torch.equal(weight, before[1])
    for again, value in zip(run([x]), expected, strict=True):
        assert torch.equal(again, value)
