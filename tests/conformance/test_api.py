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

# Expressions that knowingly end otherwise than in MXNet, and why.
DIFFERENT = {
    "mx.sym.split_v2(x, [1, 2])": "lists are taken like tuples",
    "(x + y).infer_shape(x=[2, 3])": "lists are taken like tuples",
    "(x + y).infer_shape((2, 3), (2, 3))": "MXNet 1.9.1 fails on shapes by position",
    "(x + y).infer_type('float64', 'float64')": "MXNet 1.9.1 fails on types by position",
    "(x + 1)(y)": "MXNet composes by name only",
    "mx.nd.random.uniform(0, A)": "numbers and arrays may be mixed",
    "mx.nd.random.uniform(A, 1)": "numbers and arrays may be mixed",
    "mx.nd.random.uniform(low=B, high=3.)": "numbers and arrays may be mixed",
    "mx.sym.random.uniform(x, 1)": "numbers and symbols may be mixed",
    "mx.sym.random.uniform(1, x)": "numbers and symbols may be mixed",
    "mx.nd.random.exponential(0)": "refused as a bad argument, not as a division by zero",
    "bn.get_internals()": "versions of heads are written as 0",
    "bn.get_children()": "versions of heads are written as 0",
}
CASES = [(group, case) for group, cases in RECORDED.items() for case in cases]


def test_every_expression_is_recorded():
    assert {g: set(c) for g, c in RECORDED.items()} == {
        g: set(c) for g, c in api_expressions.GROUPS.items()
    }


def agrees(got, want):
    """Equal, floats nearly; where MXNet raised an error of its own, any error will do."""
    if isinstance(want, dict) and isinstance(got, dict):
        if want.keys() == got.keys() == {"error"}:
            return want["error"] in ("MXNetError", got["error"])
        return want.keys() == got.keys() and all(agrees(got[k], want[k]) for k in want)
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(agrees, got, want))
    if isinstance(want, float) and isinstance(got, float):
        return bool(np.isclose(got, want, rtol=1e-4, atol=1e-6))
    return got == want


@pytest.mark.filterwarnings("ignore:infer_:UserWarning")
@pytest.mark.parametrize(("group", "case"), CASES)
def test_gives_what_mxnet_gave(group, case):
    got = json.loads(json.dumps(api_expressions.outcome(mxnova, case, group)))
    assert agrees(got, RECORDED[group][case]) is (case not in DIFFERENT), got


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_symbols_makes_what_mxnet_made(name):
    attrs, want = FUNCTIONS[name]
    room, _, function = name.rpartition(".")
    assert api_expressions.made(mxnova, room, function, attrs) == want
