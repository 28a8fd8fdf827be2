# SPDX-License-Identifier: Apache-2.0
"""Programs that record and differentiate give what MXNet 1.9.1 gave."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import autograd_programs as programs

TABLE = json.loads((Path(__file__).parents[1] / "data/autograd/programs.json").read_text())
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}

# MXNet's errors that are no MXNetError: the classes that stand for them.
STAND_INS = {
    "AssertionError": {"ValueError", "TypeError", "MXNetError"},
    "KeyError": {"KeyError", "ValueError"},
}

# What MXNet has no gradient for, or a wrong one of: no error here, values in the unit tests.
BEYOND = {
    "order_2_arcsinh",
    "order_3_arcsinh",
    "second_order_of_dense",
    "order_3_exp",
    "order_2_degrees",
    "order_3_degrees",
    "order_2_negative",
    "order_3_negative",
    "second_order_of_sum",
}


@pytest.mark.parametrize("name", sorted(TABLE.keys() - BEYOND))
def test_program(name):
    wanted, made = TABLE[name], programs.outcome(mx, name)
    if "error" in wanted:
        assert "error" in made, f"{made} instead of {wanted['error']}"
        assert STAND_INS.get(wanted["error"], {wanted["error"]}) & {*made["error"]}
    else:
        assert "result" in made, made["error"]
        check(made["result"], wanted["result"])


@pytest.mark.parametrize("name", sorted(BEYOND))
def test_beyond_mxnet(name):
    made = programs.outcome(mx, name)
    assert "result" in made
    assert made != TABLE[name]


def check(made, wanted):
    if isinstance(wanted, dict):
        assert made["dtype"] == wanted["dtype"]
        assert [*made["shape"]] == wanted["shape"]
        tolerance = TOLERANCE.get(wanted["dtype"], 0)
        np.testing.assert_allclose(made["values"], wanted["values"], tolerance, tolerance)
    elif isinstance(wanted, list):
        assert len(made) == len(wanted)
        for m, w in zip(made, wanted):
            check(m, w)
    else:
        assert made == wanted


def test_the_table_holds_every_program():
    assert [*TABLE] == [*programs.PROGRAMS]
