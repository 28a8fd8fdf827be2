# SPDX-License-Identifier: Apache-2.0
"""Cells of the symbolic interface give what MXNet 1.9.1 gave: names, graphs, numbers, weights."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from ..on_gpu import rounding
from . import rnn_programs as programs

DATA = Path(__file__).parents[1] / "data" / "rnn"
TABLE = json.loads((DATA / "rnn.json").read_text())
ARRAYS = np.load(DATA / "rnn.npz")


@pytest.mark.parametrize("name", TABLE)
def test_cell(name):
    spatial = name in programs.SPATIAL
    make = (programs.SPATIAL if spatial else programs.CELLS)[name]
    settings = [programs.LOOSE_STEPS] if spatial else programs.ALL
    wanted, shape = TABLE[name], programs.SPACE if spatial else (programs.WIDTH,)
    with mx.name.NameManager():
        cell = make(mx.rnn)
        facts = json.loads(json.dumps(programs.facts_of(cell)))
        assert facts == {k: wanted[k] for k in facts}
        for i, setting in enumerate(settings):
            cell = make(mx.rnn)
            symbol, graph, shapes = programs.unrolled(mx, cell, setting, shape)
            assert graph == wanted["graphs"][i]
            made = programs.run(mx, symbol, shapes)
            if f"{name}/{i}" in ARRAYS:
                tolerances = (5e-5 * rounding(), 5e-6 * rounding())
                np.testing.assert_allclose(made, ARRAYS[f"{name}/{i}"], *tolerances)
        weights, parts, again = programs.packings(mx, cell, symbol, shapes)
    for (name, *facts), (wanted_name, *wanted_facts) in zip(
        programs.brief_packing(parts), wanted["parts"], strict=True
    ):
        assert (name, facts[0]) == (wanted_name, wanted_facts[0])
        assert facts[1] == pytest.approx(wanted_facts[1], abs=2e-3)
    assert {*again} == {*weights}
    for name, array in weights.items():
        np.testing.assert_array_equal(again[name].asnumpy(), array.asnumpy())
