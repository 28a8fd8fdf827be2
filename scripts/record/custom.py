# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet makes of operators written in Python; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/custom.py tests/data/custom
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
from custom_programs import PROGRAMS


def main(folder: Path) -> None:
    table = {name: program(mxnet) for name, program in PROGRAMS.items()}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "custom.json").write_text(json.dumps(table, separators=(",", ":")) + "\n")
    print(f"{len(table)} programs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
