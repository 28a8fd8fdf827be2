# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet gives for trainings as packages write them; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/training_programs.py tests/data/training
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import training_programs as programs


def recorded(name: str) -> dict:
    outcome = programs.outcome(mxnet, name)
    return {"error": outcome["error"][0]} if "error" in outcome else outcome


def main(folder: Path) -> None:
    table = {name: recorded(name) for name in programs.PROGRAMS}
    lines = (f"{json.dumps(name)}: {json.dumps(table[name])}" for name in table)
    (folder / "programs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    failed = [name for name, outcome in table.items() if "error" in outcome]
    print(f"{len(table)} programs, {len(failed)} of them raise")
    wrong = [n for n in table if n.startswith("mistake_") != (n in failed)]
    print("programs that raise, or mistakes that do not:", wrong)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
