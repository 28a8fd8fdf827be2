# SPDX-License-Identifier: Apache-2.0
"""One worker that makes stores with others, where connecting takes long: seconds, the best."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import mxnova as mx

_STORES = 4


def main(latency: float) -> None:
    """Makes some stores; the first one waits for all to have started."""
    first: Any = mx.kv.create("dist_sync")

    def wait(event: str, _arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            time.sleep(latency)

    sys.addaudithook(wait)
    taken = []
    for _ in range(_STORES):
        first._barrier()
        begin = time.perf_counter()
        store: Any = mx.kv.create("dist_sync")
        store._barrier()
        taken.append(time.perf_counter() - begin)
    if first.rank == 0:
        print(json.dumps(min(taken)))


if __name__ == "__main__":
    main(float(sys.argv[1]))
