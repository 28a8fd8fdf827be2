# SPDX-License-Identifier: Apache-2.0
"""Trainings as packages write them go as with MXNet 1.9.1: losses, parameters, names, errors."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from ..on_gpu import rounding
from . import training_programs as programs

TABLE = json.loads((Path(__file__).parents[1] / "data/training/programs.json").read_text())
RELATIVE, ABSOLUTE = 2e-4, 2e-6


@pytest.mark.parametrize("name", sorted(TABLE))
def test_program(name, caplog):
    caplog.set_level(logging.ERROR)
    wanted, made = TABLE[name], programs.outcome(mx, name)
    if "error" in wanted:
        assert "error" in made, f"{made} instead of {wanted['error']}"
        assert wanted["error"] in made["error"]
        return
    assert "result" in made, made.get("text")
    check(made["result"], wanted["result"])


def check(made, wanted):
    if isinstance(wanted, dict):
        assert [*made] == [*wanted]
        for key in wanted:
            check(made[key], wanted[key])
    elif isinstance(wanted, list):
        assert len(made) == len(wanted)
        for m, w in zip(made, wanted, strict=True):
            check(m, w)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(made, wanted, RELATIVE, ABSOLUTE * rounding())
    else:
        assert made == wanted


def test_the_table_holds_every_program():
    assert [*TABLE] == [*programs.PROGRAMS]
