# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's symbolic cells and sentences give; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/rnn.py tests/data/rnn
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "unit" / "rnn"))
import rnn_programs as programs
import sentences


def record(make, settings, shape, arrays, name):
    with mxnet.name.NameManager():
        cell = make(mxnet.rnn)
        facts = {**programs.facts_of(cell), "graphs": []}
        for i, setting in enumerate(settings):
            cell = make(mxnet.rnn)
            symbol, graph, shapes = programs.unrolled(mxnet, cell, setting, shape)
            facts["graphs"].append(graph)
            try:
                arrays[f"{name}/{i}"] = programs.run(mxnet, symbol, shapes).astype(np.float32)
            except mxnet.MXNetError as error:
                print(name, setting, str(error).splitlines()[-1])
        parts = programs.packings(mxnet, cell, symbol, shapes)[1]
        facts["parts"] = programs.brief_packing(parts)
    return facts


def main(folder: Path) -> None:
    table, arrays = {}, {}
    for name, make in programs.CELLS.items():
        table[name] = record(make, programs.ALL, (programs.WIDTH,), arrays, name)
    for name, make in programs.SPATIAL.items():
        table[name] = record(make, [programs.LOOSE_STEPS], programs.SPACE, arrays, name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rnn.json").write_text(json.dumps(table, separators=(",", ":")) + "\n")
    np.savez_compressed(folder / "rnn.npz", **arrays)
    facts = [sentences.facts_of(mxnet, options) for options in sentences.OPTIONS]
    (folder / "sentences.json").write_text(json.dumps(facts, separators=(",", ":")) + "\n")
    print(f"{len(table)} cells, {len(arrays)} runs, {len(facts)} iterators over sentences")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
