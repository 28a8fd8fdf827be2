# SPDX-License-Identifier: Apache-2.0
"""Every way of running a graph gives the same; see `scripts/stress_graphs` for many more graphs."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .graph_programs import N_OPERATORS, check, check_prefixes, check_twins, draw


@settings(max_examples=24, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False), seed=st.integers(0, 1000))
def test_all_ways_of_running_a_graph_agree(rng, seed):
    check(draw(rng), seed)


@settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False), seed=st.integers(0, 1000))
def test_twins_lower_to_the_same_steps(rng, seed):
    check_twins(draw(rng), rng, seed)


@settings(max_examples=8, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False), seed=st.integers(0, 1000))
def test_every_prefix_of_the_passes_gives_the_same(rng, seed):
    check_prefixes(draw(rng), seed)


def test_passes_change_what_is_drawn():
    """There is something to compare."""
    changing = set().union(*(check_prefixes(draw(Random(i)), i) for i in range(10)))
    assert {
        "simplification",
        "padding_fusion",
        "constant_folding",
        "stride_hoisting",
        "convolution_fusion",
        "linear_fusion",
        "batch_split",
    } <= changing


def test_a_wrong_pass_is_found_by_its_prefix(monkeypatch):
    from mxnova.core.exec.passes import convolution_fusion

    monkeypatch.setattr(convolution_fusion, "_absorb_batch_norm", _forgets_the_mean)
    with pytest.raises(AssertionError, match="passes up to convolution_fusion"):
        _check_some_prefixes()


def test_twins_are_fused():
    """Most graphs are rewritten, so that there are steps to compare."""
    counts = [check_twins(draw(Random(i)), Random(i), i) for i in range(5)]
    assert sum(count > 0 for count in counts) > 2


def test_graphs_are_what_they_are_meant_to_be():
    graphs = [draw(Random(i)) for i in range(50)]
    assert all(len(g.steps) >= N_OPERATORS and len(g.heads) >= 2 for g in graphs)
    read = [[i for s in g.steps for i in s.inputs] for g in graphs]
    assert all(len(set(r)) < len(r) for r in read), "nodes are shared"
    assert len({s.op for g in graphs for s in g.steps}) > 25


def test_a_disagreement_is_found(monkeypatch):
    """A backend that rewrites wrongly is caught."""
    from mxnova.core.exec.passes import convolution_fusion

    monkeypatch.setattr(convolution_fusion, "_absorb_batch_norm", _forgets_the_mean)
    with pytest.raises(AssertionError, match="off by"):
        _check_some()


def test_a_twin_that_is_not_fused_is_found(monkeypatch):
    from mxnova.core.exec.passes import convolution_fusion

    named = convolution_fusion.is_sum_of_equals
    monkeypatch.setattr(
        convolution_fusion,
        "is_sum_of_equals",
        lambda node, *tables: named(node, *tables) and node.op.name == "elemwise_add",
    )
    seed = 50  # its graph adds what convolutions give
    with pytest.raises(AssertionError):
        check_twins(draw(Random(seed)), Random(seed), seed)


def _check_some_twins():
    for seed in range(20):
        check_twins(draw(Random(seed)), Random(seed), seed)


def _check_some_prefixes():
    for seed in range(20):
        check_prefixes(draw(Random(seed)), seed)


def _check_some():
    for seed in range(20):
        check(draw(Random(seed)), seed)


def _forgets_the_mean(graph, draft, values):
    from mxnova.core.exec.passes.convolution_fusion import Entry, _batch_norm_after

    norm = _batch_norm_after(graph, draft.last)
    if norm is not None:
        draft.last = Entry(norm, 0)
