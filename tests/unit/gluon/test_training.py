# SPDX-License-Identifier: Apache-2.0
"""Networks learn as they do in MXNet, step by step."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import mxnova as mx

ROOT = Path(__file__).parents[3]
RECORDED = json.loads((ROOT / "tests/data/training/losses.json").read_text())


@pytest.fixture(scope="module")
def record():
    spec = importlib.util.spec_from_file_location("training", ROOT / "scripts/record/training.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("hybridized", [True, False])
@pytest.mark.parametrize("network", RECORDED)
def test_first_losses_are_those_of_mxnet(record, network, hybridized):
    expected = RECORDED[network]
    assert len(expected) == 20
    assert expected[-1] < 0.8 * expected[0]  # there is something to compare
    assert record.losses(mx, network, hybridized) == pytest.approx(expected, rel=1e-3)
