# SPDX-License-Identifier: Apache-2.0
"""One worker of a checkpoint on a store with latency: the first prints seconds, best of some.

Each operation on a file or folder there takes so long; bytes take what they take on this disc.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import mxnova as mx

_OPERATIONS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir"}
_SAVES = 4


def delay(folder: str, seconds: float) -> list[int]:
    """Has operations below a folder take longer; a list of one number, which counts them."""
    count = [0]

    def wait(event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if event in _OPERATIONS and arguments else None
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(folder):
            count[0] += 1
            time.sleep(seconds)

    sys.addaudithook(wait)
    return count


def main(folder: str, latency: float, elements: int) -> None:
    """Saves an array of so many floats, in shards, some times."""
    worker: dict[str, Any] = {
        "rank": int(os.environ["RANK"]),
        "world": int(os.environ["WORLD_SIZE"]),
    }
    arrays = {"weight": mx.nd.ones((elements // 8, 8))}
    place = Path(folder).resolve()
    count, taken = delay(str(place), latency), []
    for step in range(1, _SAVES + 1):
        if worker["rank"] == 0:
            (place / f"ready-{step}").touch()
        while not os.path.exists(place / f"ready-{step}"):
            time.sleep(0.001)
        begin, before = time.perf_counter(), count[0]
        mx.checkpoint.save(place / "c", step, arrays, keep=1, random=False, wait=True, **worker)
        taken.append((time.perf_counter() - begin, count[0] - before))
    if worker["rank"] == 0:
        print(json.dumps(min(taken[1:])))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
