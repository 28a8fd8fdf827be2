# SPDX-License-Identifier: Apache-2.0
"""Replays what MXNet 1.9.1 makes of programs on sparse arrays; see scripts/record/sparse.py."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import sparse_programs as programs

FOLDER = Path(__file__).parent.parent / "data" / "sparse"
NAMES = {"mx": mx, "np": np, "pickle": pickle, "copy": copy}

# What differs -> program -> what mxnova does. The rows of docs/deviations.md say why.
DEVIATIONS = json.loads(Path(__file__).with_name("sparse_deviations.json").read_text())
PINNED = {program: found for group in DEVIATIONS.values() for program, found in group.items()}


def cases():
    for name in programs.PROGRAMS:
        for program, wanted in json.loads((FOLDER / f"{name}.json").read_text()).items():
            if wanted is not None:
                yield pytest.param(program, wanted, id=program)


@pytest.mark.parametrize(("program", "wanted"), list(cases()))
@pytest.mark.filterwarnings("ignore:a NumPy array is copied")
def test_program(program, wanted):
    names = dict(NAMES)
    if "scipy" in program:
        names["scipy"] = pytest.importorskip("scipy")
        pytest.importorskip("scipy.sparse")
    found = json.loads(json.dumps(programs.run(program, names)))
    if program in PINNED:
        assert found != wanted
        check(found, PINNED[program])
    else:
        check(found, wanted)


def check(found, wanted):
    """The same error class, or MXNetError for one of MXNet's own; else, the same value."""
    if (
        isinstance(wanted, dict)
        and isinstance(found, dict)
        and "raises" in found
        and "raises" in wanted
    ):
        assert {wanted["raises"][0], "MXNetError"} & set(found["raises"]), (found, wanted)
    else:
        assert_equal(found, wanted)


def assert_equal(found, wanted):
    """Structures must be equal, numbers close."""
    if isinstance(wanted, dict):
        assert isinstance(found, dict), (found, wanted)
        assert found.keys() == wanted.keys(), (found, wanted)
        for key, value in wanted.items():
            assert_equal(found[key], value)
    elif isinstance(wanted, list):
        assert isinstance(found, list), (found, wanted)
        assert len(found) == len(wanted), (found, wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_equal(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-5, abs=1e-6, nan_ok=True)
    else:
        assert found == wanted
