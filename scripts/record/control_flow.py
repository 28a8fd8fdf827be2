# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet makes of programs with loops and branches; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/control_flow.py tests/data/control_flow
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import control_flow_programs as programs


def arrays_of(symbol, shapes):
    """What a symbol gives: with gradients where MXNet can compute them, nothing where it fails."""
    for gradients in (True, False):
        try:
            return programs.run_symbol(mxnet, symbol, shapes, gradients)
        except mxnet.MXNetError as error:
            reason = str(error).splitlines()[-1]
    print(reason)
    return {}


def main(folder: Path) -> None:
    table = {"symbolic": {}, "eager": {}, "refused": {}}
    arrays = {}

    def keep(name, made):
        arrays.update((f"{name}/{key}", value) for key, value in made.items())

    for name, program in programs.SYMBOLIC.items():
        symbol, shapes, table["symbolic"][name] = programs.symbol_of(mxnet, program)
        keep(name, arrays_of(symbol, shapes))
    for name, program in programs.EAGER.items():
        table["eager"][name], made = programs.run_eager(mxnet, program)
        keep(name, made)
    for name, program in programs.REFUSED.items():
        table["refused"][name] = programs.run_refused(mxnet, program)[0]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "control_flow.json").write_text(json.dumps(table, separators=(",", ":")) + "\n")
    np.savez_compressed(folder / "control_flow.npz", **arrays)
    print(f"{len(table['symbolic'])} symbolic, {len(table['eager'])} eager, {len(arrays)} arrays")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
