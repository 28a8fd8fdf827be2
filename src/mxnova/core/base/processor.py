# SPDX-License-Identifier: Apache-2.0
"""Who made the processor, where kernels' speed depends on it."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_amd"]

_CPU_INFO = Path("/proc/cpuinfo")


def is_amd() -> bool:
    """Whether it is one of AMD's; False where nothing tells."""
    try:
        with open(_CPU_INFO, "rb") as file:
            return b"AuthenticAMD" in file.read(512)  # all of it takes milliseconds
    except OSError:
        return False
