# SPDX-License-Identifier: Apache-2.0
"""Programs with `mx.np` and Gluon, which import `mxnet`, give the numbers of MXNet 1.9.1."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
WANTED = json.loads((HERE.parent / "data" / "np_programs.json").read_text())
START = "import mxnova.as_mxnet, runpy; runpy.run_path({!r}, run_name='__main__')"
TOLERANCES = {"residual_network": (2e-3, 5e-4)}  # four steps of Adam through BatchNorm


@pytest.fixture(scope="module")
def given():
    code = START.format(str(HERE / "np_programs.py"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def test_every_program_is_recorded(given):
    assert list(given) == list(WANTED)


@pytest.mark.parametrize("name", WANTED)
def test_program(name, given):
    rtol, atol = TOLERANCES.get(name, (1e-3, 1e-5))
    assert list(given[name]) == list(WANTED[name])
    for key, wanted in WANTED[name].items():
        compare(given[name][key], wanted, rtol, atol, f"{name}: {key}")


def compare(given, wanted, rtol, atol, where):
    if isinstance(wanted, list) and any(isinstance(w, list) for w in wanted):
        assert len(given) == len(wanted), where
        for i, (one, other) in enumerate(zip(given, wanted, strict=True)):
            compare(one, other, rtol, atol, f"{where}[{i}]")
        return
    np.testing.assert_allclose(given, wanted, rtol, atol, err_msg=where)
