# SPDX-License-Identifier: Apache-2.0
"""`contrib` and `visualization` do what MXNet 1.9.1 did; see scripts/record/contrib.py."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

ROOT = Path(__file__).parents[3]
RECORDED = json.loads((ROOT / "tests/data/contrib.json").read_text())


def _script():
    spec = importlib.util.spec_from_file_location("contrib", ROOT / "scripts/record/contrib.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = _script()


def without_counts(table):
    """A summary's lines but for numbers of parameters, many of which are wrong in MXNet."""
    *lines, _total, _end = table.splitlines()
    start, end = (76, 88) if len(lines[0]) == 120 else (30, 40)
    return [line[:start] + line[end:] for line in lines]


def test_summaries():
    for ours, theirs in zip(SCRIPT.tables(mx), RECORDED["tables"], strict=True):
        assert without_counts(ours) == without_counts(theirs)


@pytest.mark.parametrize("name", ["loss scales", "vectors", "loaded"])
def test_equal(name):
    assert json.loads(json.dumps(SCRIPT.RECORDED[name](mx))) == RECORDED[name]


def test_operators_of_each_precision():
    made = SCRIPT.operator_lists(mx)
    assert {n: made[n] and sorted(made[n]) for n in made} == {
        n: names and sorted(names) for n, names in RECORDED["lists"].items()
    }


@pytest.fixture(scope="module")
def conversions():
    return SCRIPT.conversions(mx)


@pytest.mark.parametrize("name", RECORDED["conversions"])
def test_conversion(conversions, name):
    assert conversions[name] == RECORDED["conversions"][name]


@pytest.fixture(scope="module")
def quantized():
    return SCRIPT.quantized(mx)


@pytest.mark.parametrize("name", RECORDED["quantized"])
def test_quantized(quantized, name):
    (nodes, ranges, sums), expected = quantized[name], RECORDED["quantized"][name]
    assert nodes == expected[0]
    assert np.allclose(ranges, expected[1], rtol=1e-4, atol=1e-5)
    assert sums == pytest.approx(expected[2], rel=1e-5)


def test_combined_histograms():
    assert SCRIPT.histograms(mx) == [pytest.approx(h, rel=1e-6) for h in RECORDED["histograms"]]


def test_reduced_variance():
    made = SCRIPT.reduced_variance(mx)
    assert made.keys() == RECORDED["reduced variance"].keys()
    for name, weights in RECORDED["reduced variance"].items():
        assert np.allclose(made[name], weights, rtol=1e-4), name
