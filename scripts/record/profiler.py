# SPDX-License-Identifier: Apache-2.0
"""Records the tables that MXNet's profiler prints; run it where MXNet is installed.

OMP_NUM_THREADS=1 python scripts/record/profiler.py tests/data/profiler/tables.json
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import mxnet as mx


def main(path: Path) -> None:
    profiler = mx.profiler
    with tempfile.TemporaryDirectory() as folder:
        trace = str(Path(folder, "trace.json"))
        profiler.set_config(profile_all=True, aggregate_stats=True, filename=trace)
        profiler.set_state("run")
        run(profiler)
        profiler.set_state("stop")
        orders = ("total", "avg", "min", "max", "count")
        tables = {o: profiler.dumps(sort_by=o, ascending=o == "min") for o in orders}
        numbers = json.loads(profiler.dumps(format="json"))
    path.write_text(json.dumps({"tables": tables, "json": numbers}, indent=1) + "\n")


def run(profiler) -> None:
    array = mx.nd.ones((300, 300))
    for _ in range(5):
        array = mx.nd.dot(array, array) * 0.001
    array.wait_to_read()
    domain = profiler.Domain("training")
    for duration in (domain.new_task("step"), domain.new_frame("batch"), profiler.Event("epoch")):
        for _ in range(3):
            duration.start()
            mx.nd.relu(array).wait_to_read()
            duration.stop()
    counter = domain.new_counter("samples", 7)
    counter += 40
    counter -= 5
    domain.new_marker("here").mark()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
