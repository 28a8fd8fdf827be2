# SPDX-License-Identifier: Apache-2.0
"""Instructions of the processor, without torch."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["has_vnni"]

_CPU_INFO = Path("/proc/cpuinfo")
_FIRST = 1 << 13  # bytes: the first core's; all of it takes milliseconds


@functools.cache
def has_vnni() -> bool:
    """Whether sums of products of 8-bit integers are exact and fast; False where nothing tells."""
    try:
        with open(_CPU_INFO, "rb") as file:
            flags = set(file.read(_FIRST).split())
    except OSError:
        return False
    return bool(flags & {b"avx512_vnni", b"avx_vnni"})
