# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells and layers give what MXNet 1.9.1 gave: names, graphs, outputs, gradients."""

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

from ..on_gpu import rounding
from . import gluon_rnn_programs as programs

DATA = Path(__file__).parents[1] / "data" / "gluon_rnn"
TABLE = json.loads((DATA / "gluon_rnn.json").read_text())
ARRAYS = np.load(DATA / "gluon_rnn.npz")
CELLS = {
    **{n: (lambda m=m: m(mx.gluon), s, (3,)) for n, (m, s) in programs.CELLS.items()},
    **{
        n: (lambda m=m: m(mx.gluon.contrib.rnn), [programs.ONE], shape)
        for n, (m, shape) in programs.SPATIAL.items()
    },
}
RECORDED = {**TABLE["cells"], **TABLE["spatial"]}


def check(key, made):
    if key not in ARRAYS:  # MXNet fails
        assert all(np.isfinite(a).all() for a in made.values())
    else:
        tolerances = (2e-5 * rounding(), 2e-6 * rounding())
        np.testing.assert_allclose(programs.joined(made), ARRAYS[key], *tolerances, err_msg=key)


def check_graph(graph, wanted):
    graph = json.loads(json.dumps(graph))
    if not wanted:  # MXNet fails
        return
    if wanted["form"][0] == ["*"]:  # a list of one symbol, which has all steps as its outputs
        assert graph.pop("form")[0] == ["*"] * programs.STEPS
        wanted.pop("form")
    assert graph == wanted


@pytest.mark.parametrize("name", RECORDED)
def test_cell_has_names_and_graphs_of_mxnet(name):
    make, settings, shape = CELLS[name]
    with mx.name.NameManager():
        cell = make()
        facts = json.loads(json.dumps(programs.facts_of(cell)))
        assert facts == {k: v for k, v in RECORDED[name].items() if k != "graphs"}
        for setting, wanted in zip(settings, RECORDED[name]["graphs"], strict=True):
            check_graph(programs.unrolled_symbol(mx, cell, setting, shape), wanted)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("name", RECORDED)
def test_cell_gives_arrays_of_mxnet(name, hybridize):
    make, settings, shape = CELLS[name]
    with mx.name.NameManager():
        cell = make()
    programs.set_values(cell)
    cell.hybridize(hybridize)
    for i, setting in enumerate(settings):
        check(f"{name}/{i}", programs.unrolled_arrays(mx, cell, setting, shape))


@pytest.mark.parametrize("name", programs.LAYERS)
def test_layer_has_names_and_graphs_of_mxnet(name):
    wanted = TABLE["layers"][name]
    with mx.name.NameManager():
        layer = programs.LAYERS[name](mx.gluon.rnn)
        facts = json.loads(json.dumps(programs.facts_of(layer)))
        assert facts == {k: v for k, v in wanted.items() if k != "graphs"}
        for way, graph in wanted["graphs"].items():
            check_graph(programs.layer_symbol(mx, layer, way), graph)


@pytest.mark.parametrize("hybridize", [False, True])
@pytest.mark.parametrize("name", programs.LAYERS)
def test_layer_gives_arrays_of_mxnet(name, hybridize):
    with mx.name.NameManager():
        layer = programs.LAYERS[name](mx.gluon.rnn)
    programs.set_values(layer)
    layer.hybridize(hybridize)
    for way in programs.layer_calls(layer):
        check(f"layer_{name}/{way}", programs.layer_arrays(mx, layer, way))
