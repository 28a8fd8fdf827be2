# SPDX-License-Identifier: Apache-2.0
"""Records what programs with `mx.np` give; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/np_programs.py tests/data/np_programs.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import np_programs as programs


def rounded(value: object) -> object:
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main(path: Path) -> None:
    found = {
        name: {key: rounded(value) for key, value in programs.run(name).items()}
        for name in programs.PROGRAMS
    }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in found)
    path.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
