# SPDX-License-Identifier: Apache-2.0
"""Records the batches of MXNet's iterators over files; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/io.py tests/data/io
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import mxnet as mx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "unit" / "io"))
import programs

if __name__ == "__main__":
    os.chdir(sys.argv[1])
    programs.write_files(mx)
    recorded, arrays = {}, []
    kept = []  # MXNet dies of some iterators' end
    for program in programs.PROGRAMS:
        found = programs.batches(program, mx, kept)
        for batch in found:
            first = len(arrays)
            arrays += batch["arrays"]
            batch["arrays"] = [*range(first, len(arrays))]
        recorded[program] = found
    with open("recorded.json", "w") as file:
        json.dump(recorded, file, indent=None, separators=(",", ":"))
        file.write("\n")
    np.savez_compressed("recorded.npz", *arrays)
    print(len(recorded), "programs,", len(arrays), "arrays")
    sys.stdout.flush()
    os._exit(0)
