# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's optimizers do to weights and states; run it where MXNet is installed.

    OMP_NUM_THREADS=1 python scripts/record/optimizers.py tests/data/optimizer

What MXNet refuses is recorded by the class of its error.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from pathlib import Path

os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import mxnet as mx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import optimizer_programs as programs


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    logging.disable()
    arrays, facts = {}, {}
    for name, *case in programs.cases():
        try:
            arrays[name], facts[name] = programs.trace(mx, *case)
        except Exception as error:  # noqa: BLE001 - that it refuses is what is recorded
            facts[name] = type(error).__name__
    lines = (f"{json.dumps(name)}: {json.dumps(fact)}" for name, fact in facts.items())
    (folder / "traces.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    # One array for all: an npz of hundreds would be larger than what it holds.
    np.savez_compressed(
        folder / "traces.npz",
        values=np.concatenate([*arrays.values()]),
        sizes=np.array([len(values) for values in arrays.values()]),
    )


main(Path(sys.argv[1]))
