# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet makes of programs on images and data; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/image.py tests/data/image
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet as mx
import mxnet.gluon.contrib.data
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "unit" / "image"))
import programs

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    png, grey = ((folder / name).read_bytes() for name in ("colour.png", "grey.png"))
    recorded, arrays = {}, []
    for program in programs.PROGRAMS:
        value = programs.run(program, mx, png, grey)
        recorded[program] = programs.described(value, arrays)
    (folder / "recorded.json").write_text(json.dumps(recorded, indent=1) + "\n")
    np.savez_compressed(folder / "recorded.npz", *arrays)
    print(len(recorded), "programs,", len(arrays), "arrays")
