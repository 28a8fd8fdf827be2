# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's recurrent cells and layers give; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/gluon_rnn.py tests/data/gluon_rnn
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import gluon_rnn_programs as programs


def attempted(run, *args):
    """What `run` gives, nothing where MXNet fails."""
    try:
        return run(mxnet, *args)
    except (mxnet.MXNetError, ValueError, TypeError) as error:
        print(run.__name__, args, str(error).splitlines()[-1])
        return {}


def keep(arrays, key, run, *args):
    made = attempted(run, *args)
    if made:
        arrays[key] = programs.joined(made)


def record_cell(make, settings, shape, facts, arrays, name):
    with mxnet.name.NameManager():
        cell = make()
        facts[name] = programs.facts_of(cell)
        facts[name]["graphs"] = [
            attempted(programs.unrolled_symbol, cell, setting, shape) for setting in settings
        ]
        programs.set_values(cell)
        for i, setting in enumerate(settings):
            keep(arrays, f"{name}/{i}", programs.unrolled_arrays, cell, setting, shape)


def record_layer(make, facts, arrays, name):
    with mxnet.name.NameManager():
        layer = make()
        facts[name] = programs.facts_of(layer)
        ways = programs.layer_calls(layer)
        facts[name]["graphs"] = {w: attempted(programs.layer_symbol, layer, w) for w in ways}
        programs.set_values(layer)
        for way in () if name in programs.IGNORED else ways:
            keep(arrays, f"layer_{name}/{way}", programs.layer_arrays, layer, way)


def main(folder: Path) -> None:
    cells, spatial, layers, arrays = {}, {}, {}, {}
    gluon = mxnet.gluon
    for name, (make, settings) in programs.CELLS.items():
        record_cell(lambda make=make: make(gluon), settings, (3,), cells, arrays, name)
    for name, (make, shape) in programs.SPATIAL.items():
        settings = [programs.ONE]
        record_cell(
            lambda make=make: make(gluon.contrib.rnn), settings, shape, spatial, arrays, name
        )
    for name, make in programs.LAYERS.items():
        record_layer(lambda make=make: make(gluon.rnn), layers, arrays, name)
    folder.mkdir(parents=True, exist_ok=True)
    table = {"cells": cells, "spatial": spatial, "layers": layers}
    (folder / "gluon_rnn.json").write_text(json.dumps(table, separators=(",", ":")) + "\n")
    np.savez_compressed(folder / "gluon_rnn.npz", **arrays)
    print(f"{len(cells)} + {len(spatial)} cells, {len(layers)} layers, {len(arrays)} arrays")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
