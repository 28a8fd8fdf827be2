# SPDX-License-Identifier: Apache-2.0
"""Programs at random give what MXNet 1.9.1 gave; `scripts/differential` runs more of them on both.

scripts/differential PYTHON --programs 10 --record tests/data/differential
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from .differential import KINDS, program
from .differential.compare import differences
from .differential.deviations import DEVIATIONS, row_of
from .differential.runner import perturbed, run

RECORDED = Path(__file__).parents[1] / "data" / "differential"


def recorded(kind):
    """(number, steps, results) of each program that MXNet ran."""
    return json.loads(gzip.decompress((RECORDED / f"{kind}.json.gz").read_bytes()))


@pytest.mark.parametrize("kind", KINDS)
def test_programs_give_what_mxnet_gave(kind):
    found = []
    for number, steps, wanted in recorded(kind):
        ours = json.loads(json.dumps(run(steps, mx)))
        for step, text in differences(steps, wanted, ours):
            if not text.startswith("accepted") and row_of(steps, step, text) is None:
                found.append(f"{kind} {number}, step {step}: {steps[step]}\n    {text[:500]}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_makes_the_same_program_again(kind):
    assert len(recorded(kind)) >= 8
    assert program(kind, 5) == program(kind, 5) != program(kind, 6)


ARRAY = ["NDArray", "NDArray", "default", "array", "float32", [2], [1.0, 2.0]]


@pytest.mark.parametrize(
    "wanted, found, kind",
    [
        (["value", ARRAY], ["value", [*ARRAY[:-1], [1.0, 2.00001]]], None),
        (["value", ARRAY], ["value", [*ARRAY[:-1], [1.0, 2.01]]], "value"),
        (["value", ARRAY], ["value", [*ARRAY[:-1], [1.0, float("nan")]]], "value"),
        (["value", ARRAY], ["value", [*ARRAY[:4], "float64", *ARRAY[5:]]], "value"),
        (["value", 1], ["value", True], "value"),
        (["value", 1], ["error", ["MXNetError"], ""], "kind"),
        (["error", ["MXNetError"], ""], ["value", 1], "accepted"),
        (["error", ["ValueError"], ""], ["error", ["ArgumentError", "ValueError"], ""], None),
        (["error", ["ValueError"], ""], ["error", ["TypeError"], ""], "error"),
    ],
)
def test_comparison(wanted, found, kind):
    differ = differences(["x"], [wanted], [found])
    assert [text.split(":")[0] for _, text in differ] == ([kind] if kind else [])


@pytest.mark.parametrize(
    "moved, differs", [([1.0, 2.0], True), ([1.0, 2.004], False), ([1.0, float("nan")], True)]
)
def test_what_moves_with_its_data_differs_by_rounding(moved, differs):
    wanted = ["value", [*ARRAY[:-1], [1.0, 2.01]]]
    other = ["value", [*ARRAY[:-1], moved]]
    assert bool(differences(["x"], [wanted], [["value", ARRAY]], [[other]])) == differs


def test_perturbations_keep_equal_sizes_and_zeros():
    numbers = np.array([1, -1, 0, 2, 1], "float32")
    found = perturbed(numbers, 0, 2.0**-10)
    assert found[0] == -found[1] == found[4] != 1
    assert found[2] == 0
    np.testing.assert_allclose(found, numbers, rtol=2.0**-10)
    np.testing.assert_array_equal(perturbed(np.arange(3), 0, 0.5), np.arange(3))


@pytest.mark.parametrize("deviation", DEVIATIONS, ids=lambda d: d.step)
def test_deviations_have_their_rows(deviation):
    table = (Path(__file__).parents[2] / "docs" / "deviations.md").read_text()
    assert table.count(f"\n| {deviation.row}") == 1


def test_only_listed_differences_have_a_row():
    steps = ["x", "np.where(a, b, c)", "np.where(a, b, c) + 1"]
    empty = "value: ['value', 1] ['value', ['NDArray', 'array', 'bool', [2, 0, 3], []]]"
    assert row_of(steps, 1, empty)
    assert row_of(steps, 1, empty.replace("0", "1")) is None
    assert row_of(steps, 1, empty.replace("value:", "error:")) is None
    assert row_of(steps, 0, empty) is None
    norms = ["s = nd.norm(x)", "x = nd.array([1], dtype='int8')"]
    assert row_of(norms, 0, "value: ['float32', 1] ['float32', 2]") is None
    assert row_of(norms, 0, "value: ['int8', 1] ['int8', 2]")


def test_what_follows_a_failed_statement_is_not_compared_until_an_empty_step():
    failed, done = ["error", ["ValueError"], ""], ["done"]
    steps = ["x = f()", "x", "", "y"]
    wanted = [failed, ["value", 1], done, ["value", 1]]
    found = [failed, ["value", 2], done, ["value", 2]]
    assert [step for step, _ in differences(steps, wanted, found)] == [3]
