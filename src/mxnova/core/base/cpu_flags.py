# SPDX-License-Identifier: Apache-2.0
"""Name and instructions of the processor, without torch."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["cpu_flags", "cpu_name", "has_vnni"]

_CPU_INFO = Path("/proc/cpuinfo")
_FIRST = 1 << 13  # bytes: the first core's; all of it takes milliseconds


def has_vnni() -> bool:
    """Whether sums of products of 8-bit integers are exact and fast; False where nothing tells."""
    return bool(cpu_flags() & {"avx512_vnni", "avx_vnni"})


@functools.cache
def cpu_flags() -> frozenset[str]:
    """Names of instruction sets, as Linux has them; none where nothing tells."""
    return frozenset(_text().split())


def cpu_name() -> str:
    """What the processor is called; empty where nothing tells."""
    for line in _text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model"):
            return value.strip()
    return ""


def _text() -> str:
    try:
        with open(_CPU_INFO, "rb") as file:
            return file.read(_FIRST).decode("ascii", "replace")
    except OSError:
        return ""
