# SPDX-License-Identifier: Apache-2.0
"""The most memory that this process has had, where the system tells it (Linux)."""

from __future__ import annotations

from pathlib import Path

__all__ = ["peak_memory", "reset_peak"]

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Counts from here on, from what the process has now."""
    if _RESET.exists():
        _RESET.write_text("5")


def peak_memory() -> int | None:
    """Bytes of the largest resident set since."""
    if not _STATUS.exists():
        return None
    lines = _STATUS.read_text().splitlines()
    kilobytes = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(kilobytes[0]) << 10 if kilobytes else None
