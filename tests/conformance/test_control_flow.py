# SPDX-License-Identifier: Apache-2.0
"""Programs with loops and branches give what MXNet 1.9.1 gave."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import control_flow_programs as programs

DATA = Path(__file__).parents[1] / "data" / "control_flow"
TABLE = json.loads((DATA / "control_flow.json").read_text())
ARRAYS = np.load(DATA / "control_flow.npz")


def recorded(name):
    prefix = f"{name}/"
    return {k.removeprefix(prefix): ARRAYS[k] for k in ARRAYS.files if k.startswith(prefix)}


def check_arrays(name, made):
    for key, wanted in recorded(name).items():
        assert made[key].dtype == wanted.dtype
        np.testing.assert_allclose(made[key], wanted, rtol=2e-5, atol=2e-6, err_msg=key)


def as_json(facts):
    return json.loads(json.dumps(facts))


@pytest.mark.parametrize("name", TABLE["symbolic"])
def test_symbolic(name):
    symbol, shapes, facts = programs.symbol_of(mx, programs.SYMBOLIC[name])
    wanted = TABLE["symbolic"][name]
    facts, shown = as_json(facts), facts["shapes"]
    if wanted["shapes"] == [None, None, None]:  # MXNet infers less
        facts["shapes"] = wanted["shapes"]
    assert facts == wanted
    assert shown[0] is not None
    check_arrays(name, programs.run_symbol(mx, symbol, shapes, gradients=True))


@pytest.mark.parametrize("name", TABLE["eager"])
def test_eager(name):
    form, made = programs.run_eager(mx, programs.EAGER[name])
    assert form == TABLE["eager"][name]
    check_arrays(name, made)


@pytest.mark.parametrize("name", TABLE["refused"])
def test_refused(name):
    wanted = TABLE["refused"][name]
    classes = programs.run_refused(mx, programs.REFUSED[name])
    if wanted == "AssertionError":
        assert {"ValueError", "TypeError"} & {*classes}
    else:
        assert wanted in classes


def test_the_table_holds_every_program():
    assert [*TABLE["symbolic"]] == [*programs.SYMBOLIC]
    assert [*TABLE["eager"]] == [*programs.EAGER]
    assert [*TABLE["refused"]] == [*programs.REFUSED]
