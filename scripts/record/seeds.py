# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet draws for seeds; run it where MXNet 1.9.1 is installed.

OMP_NUM_THREADS=1 python scripts/record/seeds.py tests/data/seeds.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet as mx

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import seed_programs as programs


def main(path: Path) -> None:
    found = {
        f"{name} {dtype}": programs.drawn(mx, mx.random.seed, name, dtype)
        for name, (_, dtypes) in programs.TABLE.items()
        for dtype in dtypes
    }
    ran = {name: program(mx, mx.random.seed) for name, program in programs.PROGRAMS.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in {**found, **ran}.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
