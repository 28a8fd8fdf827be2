# SPDX-License-Identifier: Apache-2.0
"""Processes of one thread each, told by torchrun's variables; the first one answers in JSON."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["answer_of", "quickest"]

_TIMEOUT = 300.0  # seconds


def answer_of(module: str, n: int, *arguments: object) -> Any:
    """What the first of `n` processes of a module of this package prints.

    Raises:
        RuntimeError: one of them failed.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    common = {"WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    command = [sys.executable, "-m", f"benchmarks.simulator.{module}", *map(str, arguments)]
    processes = []
    try:
        for rank in range(n):
            variables = {**os.environ, **common, "RANK": str(rank), "OMP_NUM_THREADS": "1"}
            processes.append(subprocess.Popen(command, env=variables, stdout=subprocess.PIPE))
        outputs = [process.communicate(timeout=_TIMEOUT)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    if any(process.returncode for process in processes):
        raise RuntimeError(f"{' '.join(command[2:])} of {n} processes failed")
    return json.loads(outputs[0])


def quickest(act: Callable[[], Any], times: int, before: Callable[[], Any] | None = None) -> float:
    """Seconds of the call that others disturb least, after one that does not count.

    Args:
        act: what is called.
        times: how often.
        before: called before each, out of the time.
    """
    taken = []
    for _ in range(times + 1):
        if before is not None:
            before()
        begin = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begin)
    return min(taken[1:])
