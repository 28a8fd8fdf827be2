# SPDX-License-Identifier: Apache-2.0
"""Name, family and instructions of the processor, without torch."""

from __future__ import annotations

import functools
from pathlib import Path

__all__ = ["amd_family", "cpu_flags", "cpu_name", "has_vnni"]

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
    fields = _fields()
    return fields.get("model name") or fields.get("Model", "")


def amd_family() -> int | None:
    """The family of AMD's, such as 25 for Zen 3 and 4; None for others and where nothing tells."""
    fields = _fields()
    if fields.get("vendor_id") != "AuthenticAMD" or "cpu family" not in fields:
        return None
    return int(fields["cpu family"])


def _fields() -> dict[str, str]:
    """What is told of the first core."""
    parts = (line.partition(":") for line in reversed(_text().splitlines()))
    return {key.strip(): value.strip() for key, _, value in parts}


def _text() -> str:
    try:
        with open(_CPU_INFO, "rb") as file:
            return file.read(_FIRST).decode("ascii", "replace")
    except OSError:
        return ""
