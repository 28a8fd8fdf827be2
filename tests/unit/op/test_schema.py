# SPDX-License-Identifier: Apache-2.0
"""Operators with their parameters set, and what is kept for them."""

from __future__ import annotations

import gc
import itertools
import math
import tracemalloc
import types

import numpy as np
import pytest
import torch

from mxnova import nd
from mxnova.core.base.errors import ArgumentError
from mxnova.core.op import library  # noqa: F401 - registers operators
from mxnova.core.op.schema import find


def test_operators_that_differ_in_numbers_share_a_structure():
    first, second = (find("adam_update").of({"lr": lr}) for lr in (0.1, "0.2"))
    assert first.structure is second.structure is first.changed(wd=0.5).structure
    assert first != second
    assert (first.lr, second.lr) == (pytest.approx(0.1), pytest.approx(0.2))
    assert second.changed(lazy_update=False).structure is not first.structure


def test_a_number_that_is_left_out_is_the_default():
    type_ = find("adam_update")
    assert type_.of({"lr": 0.1, "wd": 0.5}).wd == 0.5
    assert type_.of({"lr": 0.1}).wd == 0.0
    with pytest.raises(ArgumentError, match=r"lr \(float, required\) is missing"):
        type_.of({"wd": 0.5})


@pytest.mark.parametrize("name, attrs", [
    ("_npi_mean", ({"initial": None}, {"initial": 1.0})),
    ("multi_sgd_update", ({"lrs": (1.0,), "wds": (0.0,)}, {"lrs": (1.0, 1.0), "wds": (0.0,)})),
    ("_contrib_MultiBoxPrior", ({"sizes": (0.5,)}, {"sizes": (0.25,)})),
])  # fmt: skip
def test_absence_and_how_many_there_are_is_structure(name, attrs):
    first, second = (find(name).of(a) for a in attrs)
    assert first.structure is not second.structure


ALIKE = [
    ("sum", "axis", 1, True), ("sum", "axis", (1,), (True,)), ("sum", "keepdims", 1, True),
    ("_arange", "start", 0.0, -0.0), ("_arange", "start", 1, 1.0), ("transpose", "axes", (0, 1), (False, 1)),
    ("_contrib_MultiBoxPrior", "offsets", (0.0, 1.0), (-0.0, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize("name, argument, one, other", ALIKE, ids=str)
def test_what_compares_equal_is_told_apart(name, argument, one, other):
    def outcome(value):
        try:
            return repr(find(name).of({argument: value}).values[argument])
        except ArgumentError as error:
            return str(error)

    fresh = [outcome(v) for v in (one, other)]
    find(name)._structures.clear()
    assert [outcome(v) for v in (other, one)] == fresh[::-1]


def test_true_is_no_axis_even_when_1_was_one():
    x = nd.ones((2, 3))
    assert nd.sum(x, axis=1).shape == (2,)
    with pytest.raises(ArgumentError, match="axis=True"):
        nd.sum(x, axis=True)


def test_zeros_keep_their_sign():
    x = nd.ones((1,))
    assert [(x / z).asscalar() for z in (0.0, -0.0, 0.0)] == [math.inf, -math.inf, math.inf]
    plus, minus = (find("_div_scalar").of({"scalar": z}) for z in (0.0, -0.0))
    assert plus != minus
    assert len({plus, minus, find("_div_scalar").of({"scalar": "0"})}) == 2


@pytest.mark.parametrize("given, text", [
    ([1, 0], "[1, 0]"), (np.int64(1), "1"), (np.array([1, 0]), "(1, 0)"), (np.arange(2), "(0, 1)"),
])  # fmt: skip
def test_other_objects_stand_for_their_text(given, text):
    kept = find("sum").of({"axis": given})
    assert kept == find("sum").of({"axis": text})
    assert kept.structure is find("sum").of({"axis": text}).structure


def test_a_long_array_is_not_cut():
    rows = np.arange(3000)
    assert find("transpose").of({"axes": rows}).axes == tuple(range(3000))
    rows[1500] = 0
    assert find("transpose").of({"axes": rows}).axes[1500] == 0


def step(op, arrays, **numbers):
    getattr(nd, op)(*arrays, out=arrays[0], **numbers)


STEPS = [
    ("adam_update", 4, lambda i: {"lr": 0.1 + i * 1e-6}),
    ("ftml_update", 5, lambda i: {"lr": 0.1, "t": i + 1}),
    ("lamb_update_phase1", 4, lambda i: {"t": i + 1, "wd": i * 1e-6}),
    ("multi_sgd_update", 2, lambda i: {"lrs": (0.1 + i * 1e-6,), "wds": (0.0,)}),
    ("clip", 1, lambda i: {"a_min": -i - 1.0, "a_max": i + 1.0}),
    ("_mul_scalar", 1, lambda i: {"scalar": 1 + i * 1e-9}),
]


@pytest.mark.parametrize("op, n_arrays, numbers", STEPS, ids=[s[0] for s in STEPS])
def test_new_numbers_keep_no_memory(op, n_arrays, numbers):
    arrays = [nd.ones((2, 2)) for _ in range(n_arrays)]
    type_, i = find(op), itertools.count()

    def memory_after(n):
        for _ in range(n):
            step(op, arrays, **numbers(next(i)))
        gc.collect()  # empties Python's free lists, too
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    before = memory_after(300)
    known = len(type_._structures), len(type_._binding)
    after = memory_after(2000)
    tracemalloc.stop()
    assert (len(type_._structures), len(type_._binding)) == known
    assert after - before < 50_000


def test_subgraphs_belong_to_their_operator():
    type_ = find("relu")
    body = types.SimpleNamespace()
    op = type_.of({}, [body])
    assert op.subgraphs == (body,)
    assert op == type_.of({}, [body])
    assert op != type_.plain
    assert type_.plain.subgraphs == ()


@pytest.mark.parametrize("name", ["relu", "_plus_scalar", "SliceChannel"])
def test_whoever_replaces_the_function_is_obeyed(name, monkeypatch):
    attrs = {"num_outputs": 1} if name == "SliceChannel" else {}
    type_, x = find(name), nd.array([[-1.0, 2.0]])
    before = getattr(nd, name, None) or getattr(nd._internal, name)
    expected = before(x, **attrs).asnumpy()
    with monkeypatch.context() as patch:
        patch.setattr(type_, "function", lambda *tensors, **_: torch.full((1, 2), 7.0))
        assert type_.of(attrs).forward(x._tensor).tolist() == [[7.0, 7.0]]
        assert before(x, **attrs).asnumpy().tolist() == [[7.0, 7.0]]
    assert before(x, **attrs).asnumpy().tolist() == expected.tolist()


def test_an_operator_takes_a_forward_of_its_own():
    op = find("relu").of({})
    op.__dict__["forward"] = lambda data: data + 1
    try:
        assert find("relu").plain.forward(torch.zeros(1)).tolist() == [1.0]
    finally:
        del op.__dict__["forward"]


def test_new_numbers_are_bound_to_the_structure_that_is_known():
    type_ = find("sgd_update")
    first = type_.of({"lr": 0.1, "wd": 0.0, "lazy_update": True})
    for lr, wd in ((0.25, 0.5), (0.3, -0.0), (1, 2)):
        op = type_.of({"lr": lr, "wd": wd, "lazy_update": True})
        assert op.structure is first.structure
        assert repr(op.values) == repr(type_.parse({"lr": lr, "wd": wd, "lazy_update": True}))
    assert type_.of({"lr": 0.1, "wd": 0.0, "lazy_update": False}).structure is not first.structure
    with pytest.raises(ArgumentError, match="lr"):
        type_.of({"lr": 1e60, "wd": 0.0, "lazy_update": True})


@pytest.mark.parametrize("values", [(0.0, -0.0), (1, 2.0), (1.0, "2.0"), (math.inf, math.nan)])
def test_numbers_that_differ_give_different_operators(values):
    first, second = (find("sgd_update").of({"lr": 0.5, "wd": v}) for v in values)
    assert first is not second
    assert [repr(op.wd) for op in (first, second)] == [repr(float(v)) for v in values]


@pytest.mark.parametrize(
    "name, parameters, draws",
    [
        ("Dropout", {"p": 0.5}, True),
        ("Dropout", {"p": 0}, False),
        ("LeakyReLU", {"act_type": "rrelu"}, True),
        ("LeakyReLU", {"act_type": "gelu"}, False),
        ("RNN", {"mode": "lstm", "state_size": 2, "num_layers": 2, "p": 0.5}, True),
        ("RNN", {"mode": "lstm", "state_size": 2, "num_layers": 1, "p": 0.5}, False),
        ("_random_uniform", {}, True),
        ("exp", {}, False),
    ],
)
def test_which_operators_draw_random_numbers(name, parameters, draws):
    op = find(name).of(parameters)
    assert op.draws is draws
    assert op.can_run_twice is not draws
