# SPDX-License-Identifier: Apache-2.0
"""The list of passes, what the environment chooses of it, and checks of what passes give."""

from __future__ import annotations

import importlib

import pytest

import mxnova as mx
from mxnova.core.base import env
from mxnova.core.exec.passes import pipeline
from mxnova.core.exec.passes.definition import Pass, Target
from mxnova.core.exec.program.program import ArrayFacts, Facts
from mxnova.core.graph.node import Entry, Node
from mxnova.core.graph.rewrite import rewrite
from mxnova.core.runtime.context import Context

from ..backends.test_aten import X, answers, close, operators, residual

PASSES = (*pipeline.INFERENCE, *pipeline.TRAINING)


def test_names_are_unique_and_those_of_modules():
    assert len({*pipeline.NAMES}) == len(pipeline.NAMES) == len(PASSES)
    for each in PASSES:
        module = "mkldnn_layer_lowering" if each.name.startswith("mkldnn") else each.name
        found = vars(importlib.import_module(f"mxnova.core.exec.passes.{module}")).values()
        assert any(each is value for value in found)
        assert each.requires
        assert each.ensures


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("", set()),
        ("-convolution_fusion", {"convolution_fusion"}),
        ("-in_place_sums, -batch_split", {"in_place_sums", "batch_split"}),
        ("simplification", {*pipeline.NAMES} - {"simplification"}),
    ],
)
def test_the_environment_chooses(text, missing, monkeypatch):
    monkeypatch.setenv("MXNOVA_PASSES", text)
    assert pipeline.enabled() == {*pipeline.NAMES} - missing


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-convolution_fusio", "did you mean 'convolution_fusion'"),
        ("everything", "known: mkldnn_layer_opening"),
        ("-simplification,batch_split", "must be names to leave out"),
    ],
)
def test_other_choices_are_refused(text, message, monkeypatch):
    monkeypatch.setenv("MXNOVA_PASSES", text)
    with pytest.raises(mx.MXNetError, match=message):
        pipeline.enabled()
    with pytest.raises(mx.MXNetError, match=message):
        mx.sym.exp(mx.sym.var("x")).simple_bind(mx.cpu(), x=(2,)).forward()


def names_of(predictor):
    return {op.name for op in operators(predictor)}


def test_what_is_switched_off_does_not_run(monkeypatch):
    net = residual(X, "r")
    assert "_FusedConvolution" in names_of(answers(net, monkeypatch)[2])
    monkeypatch.setenv("MXNOVA_PASSES", "-convolution_fusion")
    plain, found, predictor = answers(net, monkeypatch)
    assert "Convolution" in names_of(predictor)
    assert "_FusedConvolution" not in names_of(predictor)
    close(plain, found)


def target(**shapes):
    facts = {name: ArrayFacts(shape, None) for name, shape in shapes.items()}
    return Target(Facts(facts, Context("cpu", 0)), frozenset({"broken"}))


def broken(node, inputs):
    """Gives the first instead of the second half."""
    is_sum = node.op is not None and node.op.name == "elemwise_add"
    return None if not is_sum else node.copy([Entry(inputs[0].node, 1), inputs[1]])


def test_a_pass_that_breaks_a_graph_is_named(monkeypatch):
    monkeypatch.setenv("MXNOVA_LINT_PASSES", "1")
    x = mx.sym.var("x")
    wrong = Pass("broken", "-", "-", lambda symbol, _target: rewrite(symbol, broken))
    with pytest.raises(mx.MXNetError, match="broken: broken graph: .*has no output 1"):
        pipeline.rewritten([wrong], mx.sym.exp(x) + x, target(x=(2,)))
    monkeypatch.setenv("MXNOVA_LINT_PASSES", "0")
    pipeline.rewritten([wrong], mx.sym.exp(x) + x, target(x=(2,)))


def test_a_pass_that_changes_a_shape_is_named(monkeypatch):
    monkeypatch.setenv("MXNOVA_LINT_PASSES", "1")
    x = mx.sym.var("x")
    summed = mx.sym.sum(x, axis=0).entries[0].node

    def shorter(node, inputs):
        return None if node.op is None else Node(summed.op, node.name, dict(summed.attrs), inputs)

    wrong = Pass("broken", "-", "-", lambda symbol, _target: rewrite(symbol, shorter))
    with pytest.raises(mx.MXNetError, match=r"head 0 has shape \(3,\), not \(2, 3\)"):
        pipeline.rewritten([wrong], mx.sym.exp(x), target(x=(2, 3)))


def test_passes_are_checked_in_these_tests():
    assert env.get("MXNOVA_LINT_PASSES")
