# SPDX-License-Identifier: Apache-2.0
"""Operators written in Python give what they gave with MXNet 1.9.1."""

import json
from pathlib import Path

import pytest

import mxnova as mx

from .custom_programs import PROGRAMS

TABLE = json.loads((Path(__file__).parents[1] / "data" / "custom" / "custom.json").read_text())


def close(found, wanted):
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        return all(close(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    return found == (pytest.approx(wanted, 1e-5) if isinstance(wanted, float) else wanted)


@pytest.mark.filterwarnings("ignore:.*PythonOp has been deprecated")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    found = json.loads(json.dumps(PROGRAMS[name](mx)))
    assert close(found, TABLE[name]), (found, TABLE[name])
