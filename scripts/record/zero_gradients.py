# SPDX-License-Identifier: Apache-2.0
"""Records what comes through operators without a slope; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/zero_gradients.py tests/data/autograd
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import zero_gradient_programs as programs


def recorded(source: str, cut: str) -> dict:
    """What each way gives; under "all" where they agree."""
    found = {way: programs.gradient(mxnet, way, source, cut) for way in programs.WAYS}
    same = all(outcome == found["calls"] for outcome in found.values())
    return {"all": found["calls"]} if same else found


def main(folder: Path) -> None:
    lines = [
        f"{json.dumps(f'{source} {cut}')}: {json.dumps(recorded(source, cut))}"
        for source in programs.SOURCES
        for cut in programs.CUTS
    ]
    (folder / "zero_gradients.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} pairs, {sum('error' in line for line in lines)} with errors")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
