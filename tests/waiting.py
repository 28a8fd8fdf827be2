# SPDX-License-Identifier: Apache-2.0
"""Waiting for what other threads and processes do, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

PATIENCE = 120.0  # seconds until a test gives up


def wait_until(condition: Callable[[], object]) -> None:
    """Returns once `condition` holds; fails if it does not in good time."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE} s for nothing"
        time.sleep(0.01)


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie: whose child it is may be none of our business."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_ends(pids: Iterable[int]) -> None:
    """Returns once none of these processes runs."""
    wait_until(lambda: not any(map(is_running, pids)))
