# SPDX-License-Identifier: Apache-2.0
"""Operators give the values, gradients and side effects that MXNet gave."""

import json
from pathlib import Path

import pytest

import mxnova as mx
from tests.conformance.replay import GOLDEN, Replay, arrays, cases

DEVIATIONS = json.loads((Path(__file__).parent / "deviations.json").read_text())
FAMILIES = sorted(p.stem for p in (GOLDEN / "ops").glob("*.json"))


def _selected():
    for family in FAMILIES:
        for name, case in cases(f"ops/{family}").items():
            if case["mode"] == "symbol" and name not in DEVIATIONS:
                yield pytest.param(family, name, id=name)


@pytest.mark.parametrize("family, name", list(_selected()))
def test_operator(family, name):
    case = cases(f"ops/{family}")[name]
    with mx.util.np_shape(case["np_shape"]):
        Replay(case, arrays(f"ops/{family}")).run()


@pytest.mark.parametrize("name", DEVIATIONS)
def test_every_deviation_names_a_case_and_a_reason(name):
    assert any(name in cases(f"ops/{family}") for family in FAMILIES)
    assert len(DEVIATIONS[name]) > 20
