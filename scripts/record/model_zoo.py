# SPDX-License-Identifier: Apache-2.0
"""Records the networks of MXNet's model zoo; run it with an interpreter that has MXNet.

    OMP_NUM_THREADS=1 python scripts/record/model_zoo.py tests/data/model_zoo.json

Of each network: digests of its symbol, arguments and parameters, and two numbers for the output of
each of its layers, with parameters made of their names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import gluon_layers as cases


def main(path: Path) -> None:
    table = {name: cases.model(mxnet, name, size) for name, size in cases.MODELS.items()}
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
    path.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
