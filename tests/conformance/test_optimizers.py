# SPDX-License-Identifier: Apache-2.0
"""Replays what MXNet 1.9.1's optimizers do; see scripts/record/optimizers.py."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import optimizer_programs as programs

FOLDER = Path(__file__).parent.parent / "data" / "optimizer"
FACTS = json.loads((FOLDER / "traces.json").read_text())

# What MXNet refuses and mxnova does; the rows of docs/deviations.md say why.
WORKS_HERE = (
    "dcasgd/momentum/", "adagrad//half/", "adadelta//half/", "rmsprop//half/", "ftrl//half/",
    "test//rows sparse/",
)  # fmt: skip
# Float16 sums differ by the roundings in between, and may be infinite or not a number here or there.
HALF, MASTER, SINGLE = 2e-2, 2e-3, 2e-5


def traces():
    """Case -> the numbers that MXNet gave."""
    with np.load(FOLDER / "traces.npz") as file:
        values = np.split(file["values"], np.cumsum(file["sizes"])[:-1])
    return dict(zip((n for n, fact in FACTS.items() if not isinstance(fact, str)), values))


TRACES = traces()
CASES = {name: case for name, *case in programs.cases()}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("MXNET_STORAGE_FALLBACK_LOG_VERBOSE", "0")


def test_all_cases_are_recorded():
    assert CASES.keys() == FACTS.keys()


@pytest.mark.filterwarnings("ignore:.* sums up in float16")
@pytest.mark.filterwarnings("ignore:.*storage")
@pytest.mark.parametrize("name", TRACES)
def test_trace(name):
    found, facts = programs.trace(mx, *CASES[name])
    assert facts == FACTS[name]
    wanted, way = TRACES[name], CASES[name][2]
    tolerance = HALF if "half" in way else MASTER if "master" in way else SINGLE
    finite = np.isfinite(wanted) & np.isfinite(found) if "half" in way else slice(None)
    if name.startswith("adamax"):  # MXNet divides 0 by 0 where gradients were all 0
        assert np.isfinite(found).all()
        finite = np.isfinite(wanted)
    np.testing.assert_allclose(found[finite], wanted[finite], rtol=tolerance, atol=tolerance / 10)


@pytest.mark.filterwarnings("ignore:.* sums up in float16")
@pytest.mark.filterwarnings("ignore:.*storage")
@pytest.mark.parametrize("name", [n for n in FACTS if n not in TRACES])
def test_what_mxnet_refuses(name):
    if name.startswith(WORKS_HERE):
        found, _ = programs.trace(mx, *CASES[name])
        assert np.isfinite(found).all()
    else:
        with pytest.raises(mx.base.MXNetError):
            programs.trace(mx, *CASES[name])
