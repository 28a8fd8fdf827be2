# SPDX-License-Identifier: Apache-2.0
"""Replays what MXNet 1.9.1's modules give; see scripts/record/module.py."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import module_programs as programs

FOLDER = Path(__file__).parent.parent / "data" / "module"
FACTS = json.loads((FOLDER / "traces.json").read_text())


def traces():
    """Program -> the numbers that MXNet gave."""
    with np.load(FOLDER / "traces.npz") as file:
        values = np.split(file["values"], np.cumsum(file["sizes"])[:-1])
    return dict(zip(FACTS, values))


TRACES = traces()


def test_all_programs_are_recorded():
    assert list(programs.PROGRAMS) == list(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_program(name):
    facts, values = programs.trace_of(mx, name)
    assert json.loads(json.dumps(facts)) == FACTS[name]
    # Adam divides gradients by their size: what is nearly zero moves weights by its rounding errors.
    atol = 1e-4 if "adam" in name else 1e-5
    np.testing.assert_allclose(values, TRACES[name], rtol=1e-4, atol=atol)
