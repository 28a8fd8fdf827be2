# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet makes of programs on sparse arrays; run it where MXNet is installed.

    OMP_NUM_THREADS=1 python scripts/record/sparse.py tests/data/sparse

Each program runs in a process of its own: MXNet does not survive all of them, and some hang.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from pathlib import Path

os.environ["MXNET_ENGINE_TYPE"] = "NaiveEngine"  # errors where they arise; threads do not fork
os.environ["MXNET_STORAGE_FALLBACK_LOG_VERBOSE"] = "0"

import copy

import mxnet as mx
import numpy as np
import scipy.sparse

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "conformance"))
import sparse_programs as programs

NAMES = {"mx": mx, "np": np, "scipy": scipy, "pickle": pickle, "copy": copy}


def recorded(program):
    """What a program gives; None where MXNet crashes or hangs."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(5)
        with os.fdopen(writing, "w") as pipe:
            json.dump(programs.run(program, NAMES), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, found in programs.PROGRAMS.items():
        lines = (f"{json.dumps(p)}: {json.dumps(recorded(p))}" for p in found)
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


main(Path(sys.argv[1]))
