# SPDX-License-Identifier: Apache-2.0
"""What public functions and methods give, against what MXNet gave for the same expression."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova
from tests.conformance import api_expressions

FOLDER = Path(__file__).parent.parent / "data" / "api"
RECORDED = json.loads((FOLDER / "calls.json").read_text())

FUNCTIONS = json.loads((FOLDER / "functions.json").read_text())

# What differs -> expression -> what mxnova gives. The rows of docs/deviations.md say why.
DEVIATIONS = json.loads(Path(__file__).with_name("api_deviations.json").read_text())
PINNED = {code: found for group in DEVIATIONS.values() for code, found in group.items()}
CASES = [(group, case) for group, cases in RECORDED.items() for case in cases]


def test_every_expression_is_recorded():
    assert {g: set(c) for g, c in RECORDED.items()} == {
        g: set(c) for g, c in api_expressions.GROUPS.items()
    }


def agrees(got, want):
    """Equal, floats nearly; of errors, one of the classes."""
    if isinstance(want, dict) and isinstance(got, dict):
        if want.keys() == {"error"} and "error" in got:
            return want["error"] in got["error"]
        return want.keys() == got.keys() and all(agrees(got[k], want[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(agrees, got, want))
    if isinstance(want, float) and isinstance(got, float):
        return bool(np.isclose(got, want, rtol=1e-4, atol=1e-6))
    return got == want


@pytest.mark.filterwarnings("ignore:infer_:UserWarning")
@pytest.mark.parametrize(("group", "case"), CASES)
def test_gives_what_mxnet_gave(group, case):
    got = json.loads(json.dumps(outcome(case, group)))
    assert agrees(got, PINNED.get(case, RECORDED[group][case])), got
    assert agrees(got, RECORDED[group][case]) is (case not in PINNED), got


def outcome(case, group):
    """What an expression gives, or the classes of what it raises."""
    try:
        return api_expressions.value(mxnova, case, group)
    except Exception as error:  # noqa: BLE001 - what is raised is the outcome
        return {"error": [kind.__name__ for kind in type(error).__mro__]}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_symbols_makes_what_mxnet_made(name):
    attrs, want = FUNCTIONS[name]
    room, _, function = name.rpartition(".")
    assert api_expressions.made(mxnova, room, function, attrs) == want
