# SPDX-License-Identifier: Apache-2.0
"""Operators give the values, gradients and side effects that MXNet gave."""

import json
from pathlib import Path

import pytest

import mxnova as mx
from tests.conformance.replay import GOLDEN, EagerReplay, Replay, arrays, cases

DEVIATIONS = json.loads((Path(__file__).parent / "deviations.json").read_text())
FAMILIES = sorted(p.stem for p in (GOLDEN / "ops").glob("*.json"))


SELECTED = [
    pytest.param(family, name, id=name)
    for family in FAMILIES
    for name in cases(f"ops/{family}")
    if name not in DEVIATIONS
]


@pytest.mark.parametrize("family, name", SELECTED)
def test_operator(family, name):
    case = cases(f"ops/{family}")[name]
    replay = Replay if case["mode"] == "symbol" else EagerReplay
    with mx.util.np_shape(case["np_shape"]):
        replay(case, arrays(f"ops/{family}")).run()


def test_almost_everything_that_was_recorded_is_replayed():
    recorded = sum(len(cases(f"ops/{family}")) for family in FAMILIES)
    assert len(DEVIATIONS) < 0.01 * recorded


@pytest.mark.parametrize("name", DEVIATIONS)
def test_every_deviation_names_a_case_and_a_reason(name):
    assert any(name in cases(f"ops/{family}") for family in FAMILIES)
    assert len(DEVIATIONS[name]) > 20
