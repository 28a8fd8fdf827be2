# SPDX-License-Identifier: Apache-2.0
"""Exact seeds draw what MXNet 1.9.1 draws, as `scripts/record/seeds.py` recorded it."""

from __future__ import annotations

import json
import platform
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import seed_programs as programs

WANTED = json.loads((Path(__file__).parents[1] / "data" / "seeds.json").read_text())
SAME_LIBRARY = platform.libc_ver()[0] == "glibc" and platform.machine() == "x86_64"
SEED = partial(mx.random.seed, exact=True)
CASES = [(name, dtype) for name, (_, dtypes) in programs.TABLE.items() for dtype in dtypes]


@pytest.fixture(autouse=True)
def _exact():
    yield
    mx.random.seed(0, exact=False)


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=map(" ".join, CASES))
def test_numbers_are_those_of_mxnet(name, dtype):
    digest, first = programs.drawn(mx, SEED, name, dtype)
    wanted, wanted_first = WANTED[f"{name} {dtype}"]
    np.testing.assert_allclose(first, wanted_first, rtol=2e-3 if dtype == "float16" else 1e-6)
    if name in programs.EXACT or SAME_LIBRARY:
        assert digest == wanted


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_programs_repeat(name):
    found = programs.PROGRAMS[name](mx, SEED)
    for values, wanted in zip(found, WANTED[name], strict=True):
        np.testing.assert_allclose(values, wanted, rtol=1e-4, atol=1e-6)
