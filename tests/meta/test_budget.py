# SPDX-License-Identifier: Apache-2.0
"""The package stays within its budget of lines, files and frames: numbers may only fall."""

import json

import pytest

import mxnova as mx

from . import budget
from .call_paths import count_calls, measure_paths

BUDGET = json.loads(budget.FILE.read_text(encoding="utf-8"))
ADVICE = "; delete code, or edit tests/meta/budget.json and give the reason in the commit"


@pytest.mark.usefixtures("no_collector")
def test_packages_stay_within_budget():
    measured = budget.measure_packages()
    assert list(budget.excesses(BUDGET["packages"], measured)) == [], ADVICE
    assert measured.keys() == BUDGET["packages"].keys()


@pytest.mark.slow
def test_call_paths_stay_within_budget():
    pytest.importorskip("starlette")
    assert list(budget.excesses(BUDGET["call paths"], measure_paths())) == [], ADVICE


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("", 0),
        ('"""A module."""\nx = 1\n', 1),
        ('def f():\n    """Return 1.\n\n    Really.\n    """\n    return 1\n', 2),
        ('x = """not\na docstring"""\n', 2),
        ("class A:\n    # a comment\n\n    x = 1\n", 4),
    ],
)
def test_count_lines_leaves_out_docstrings(source, lines):
    assert budget.count_lines(source) == lines


def test_excesses_report_growth_and_unknown_parts():
    allowed = {"a": {"lines": 2}}
    assert list(budget.excesses(allowed, {"a": {"lines": 2}})) == []
    assert list(budget.excesses(allowed, {"a": {"lines": 3}})) == ["a: 3 lines, the budget is 2"]
    assert len(list(budget.excesses(allowed, {"b": {"lines": 1}}))) == 1


def test_lower_never_raises_a_number():
    allowed = {"a": {"lines": 2, "files": 2}, "gone": {"lines": 1}}
    assert budget.lower(allowed, {"a": {"lines": 3, "files": 1}, "new": {"lines": 4}}) == {
        "a": {"lines": 2, "files": 1},
        "new": {"lines": 4},
    }


def test_count_calls_counts_frames_of_the_package_alone():
    assert count_calls(lambda: sorted([3, 1, 2])) == {"frames": 0, "files": 0}
    counts = count_calls(lambda: mx.nd.ones((2, 3)))
    assert counts["frames"] >= counts["files"] > 0
