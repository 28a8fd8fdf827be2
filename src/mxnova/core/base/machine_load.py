# SPDX-License-Identifier: Apache-2.0
"""Whether other programs keep the machine busy."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["is_busy", "waited"]

_TASKS = Path("/proc/self/task")


def is_busy() -> bool:
    """Whether others want the processor so much that what is measured now says little of later."""
    if not hasattr(os, "getloadavg"):
        return False
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def waited() -> float:
    """Seconds that this process's threads have waited for a core so far; 0 where none tells."""
    total = 0
    for path in _TASKS.glob("*/schedstat"):
        try:
            total += int(path.read_text(encoding="ascii").split()[1])
        except OSError:  # a thread that has ended meanwhile
            continue
    return total / 1e9
