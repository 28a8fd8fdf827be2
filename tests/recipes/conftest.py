# SPDX-License-Identifier: Apache-2.0
"""The model that recipes are tried with, and rows for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
ROWS = np.random.default_rng(4).normal(size=(300, 4)).astype("f")
WEIGHT = np.float32([[1, 0, -1, 0], [0, 1, 0, -1], [-1, 0, 1, 0]])


def pytest_collection_modifyitems(items):
    """All of them start engines."""
    for item in items:
        if "tests/recipes" in item.path.as_posix():
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(autouse=True)
def _path(monkeypatch):
    """Where processes of engines find this package and its recipes."""
    paths = [str(RECIPES.parents[1]), str(Path(mx.__file__).parents[1]), *filter(None, sys.path)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(dict.fromkeys(paths)))


@pytest.fixture
def prefix(tmp_path):
    """A checkpoint in a folder of its own."""
    fc = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    symbol = mx.sym.SoftmaxOutput(fc, name="softmax")
    weights = {"fc_weight": mx.nd.array(WEIGHT), "fc_bias": mx.nd.zeros(3)}
    (tmp_path / "model").mkdir()
    path = str(tmp_path / "model" / "flowers")
    mx.model.save_checkpoint(path, 0, symbol, weights, {})
    return path


@pytest.fixture
def predictor(prefix):
    return mx.open_model(prefix).predictor({"data": (1, 4)})


@pytest.fixture
def compiled(prefix):
    """The same as a compiled model."""
    pytest.importorskip("onnxruntime")
    path = f"{prefix}.mxnova"
    from mxnova.convert import convert

    convert(prefix, path, to="compiled", shapes={"data": ("N", 4)}, prove=False)
    return path


@pytest.fixture
def wanted():
    """The scores of ROWS."""
    e = np.exp(ROWS @ WEIGHT.T)
    return e / e.sum(1, keepdims=True)
