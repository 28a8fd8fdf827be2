# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet gives for programs on blocks and parameters; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/gluon.py tests/data/gluon
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import gluon_programs as programs


def recorded(name: str) -> dict:
    outcome = programs.outcome(mxnet, name)
    return {"error": outcome["error"][0]} if "error" in outcome else outcome


def main(folder: Path) -> None:
    table = {name: recorded(name) for name in programs.PROGRAMS}
    folder.mkdir(parents=True, exist_ok=True)
    lines = (f"{json.dumps(name)}: {json.dumps(table[name])}" for name in table)
    (folder / "programs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    failed = sum("error" in outcome for outcome in table.values())
    print(f"{len(table)} programs, {failed} of them raise")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
