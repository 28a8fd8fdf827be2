# SPDX-License-Identifier: Apache-2.0
"""Gradients of zeros arrive as in MXNet 1.9.1, behind whatever has no slope."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from . import zero_gradient_programs as programs

TABLE = json.loads((Path(__file__).parents[1] / "data/autograd/zero_gradients.json").read_text())


@pytest.mark.filterwarnings("ignore:input")  # of the block is not used
@pytest.mark.parametrize("way", programs.WAYS)
@pytest.mark.parametrize("source", programs.SOURCES)
def test_zeros_start_gradients(way, source):
    for cut in programs.CUTS:
        recorded = TABLE[f"{source} {cut}"]
        wanted = recorded.get("all", recorded.get(way))
        if wanted == {"error": "AttributeError"}:  # symbols of MXNet lack the operator
            continue
        made = programs.gradient(mx, way, source, cut)
        if "error" in wanted or "error" in made:
            assert made == wanted, f"{source} {cut} {way}"
            continue
        np.testing.assert_allclose(made, wanted, 1e-5, 1e-5, err_msg=f"{source} {cut} {way}")
