# SPDX-License-Identifier: Apache-2.0
"""Programs on blocks and parameters give what MXNet 1.9.1 gave: names, numbers, bytes, errors."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import gluon_programs as programs

TABLE = json.loads((Path(__file__).parents[1] / "data/gluon/programs.json").read_text())
# MXNet warns of inputs of SymbolBlocks without a type, and of hooks that cost memory planning.
QUIETER = {
    "exported_and_imported", "import_extra_ignored", "import_of_other_types", "operator_hooks",
    "operator_hooks_with_inputs", "symbol_block", "symbol_block_cast", "symbol_block_in_a_block",
    "symbol_block_of_internals", "symbol_block_types",
}  # fmt: skip
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-10}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_program(name):
    wanted, made = TABLE[name], programs.outcome(mx, name)
    if "error" in wanted:
        assert "error" in made, f"{made} instead of {wanted['error']}"
        assert wanted["error"] in made["error"]
        return
    assert "result" in made, made.get("error")
    check(made["result"], wanted["result"])
    assert made.get("printed") == wanted.get("printed")
    if name not in QUIETER:
        assert made.get("warnings", 0) == wanted.get("warnings", 0)


def check(made, wanted):
    if isinstance(wanted, dict) and "values" in wanted:
        assert made["dtype"] == wanted["dtype"]
        assert made["shape"] == wanted["shape"]
        tolerance = TOLERANCE.get(wanted["dtype"], 0)
        np.testing.assert_allclose(made["values"], wanted["values"], tolerance, tolerance)
    elif isinstance(wanted, dict):
        assert [*made] == [*wanted]
        for key in wanted:
            check(made[key], wanted[key])
    elif isinstance(wanted, list):
        assert len(made) == len(wanted)
        for m, w in zip(made, wanted, strict=True):
            check(m, w)
    else:
        assert made == wanted


def test_the_table_holds_every_program():
    assert [*TABLE] == [*programs.PROGRAMS]
