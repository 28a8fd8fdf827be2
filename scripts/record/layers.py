# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's layers and losses do; run it with an interpreter that has MXNet.

    OMP_NUM_THREADS=1 python scripts/record/layers.py tests/data/layers.json

Of each layer: how it is shown, its parameters, its symbol, outputs and gradients; of each loss:
values and gradients; of calls that cannot be: what is raised.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import gluon_layers as cases


def main(path: Path) -> None:
    table = {
        "layers": {e: cases.layer(mxnet, e, shapes) for e, shapes in cases.LAYERS.items()},
        "losses": {e: cases.loss(mxnet, e, inputs) for e, inputs in cases.LOSSES.items()},
        "errors": {e: cases.error(mxnet, e) for e in cases.ERRORS},
    }
    parts = []
    for group, entries in table.items():
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items())
        parts.append(f"{json.dumps(group)}: {{\n{lines}\n}}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
