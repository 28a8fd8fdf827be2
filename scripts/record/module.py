# SPDX-License-Identifier: Apache-2.0
"""Records what programs with MXNet's modules give; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/module.py tests/data/module
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet as mx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import module_programs as programs


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    facts, arrays = {}, []
    for name in programs.PROGRAMS:
        facts[name], values = programs.trace_of(mx, name)
        arrays.append(values)
    lines = (f"{json.dumps(n)}: {json.dumps(f, separators=(',', ':'))}" for n, f in facts.items())
    (folder / "traces.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sizes = np.array([len(values) for values in arrays])
    np.savez_compressed(folder / "traces.npz", values=np.concatenate(arrays), sizes=sizes)
    print(f"{len(facts)} programs, {sizes.sum()} numbers")


main(Path(sys.argv[1]))
