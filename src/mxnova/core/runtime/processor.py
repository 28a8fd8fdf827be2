# SPDX-License-Identifier: Apache-2.0
"""What the processor has, where kernels' speed depends on it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import torch

__all__ = ["HAS_AVX512", "HAS_FULL_AVX512", "HAS_ONEDNN", "IS_AMD", "IS_AVX2", "amd_family"]

_CPU_INFO = Path("/proc/cpuinfo")
_FAMILY = re.compile(rb"^cpu family\s*:\s*(\d+)", re.MULTILINE)

# Whether torch was built with oneDNN, and what ATen's vectors are.
HAS_ONEDNN: Final[bool] = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
HAS_AVX512: Final = torch.backends.cpu.get_cpu_capability() == "AVX512"
IS_AVX2: Final = torch.backends.cpu.get_cpu_capability() == "AVX2"


def amd_family() -> int | None:
    """The family of AMD's, such as 25 for Zen 3 and 4; None for others and where nothing tells."""
    try:
        with open(_CPU_INFO, "rb") as file:
            start = file.read(512)  # all of it takes milliseconds
    except OSError:
        return None
    family = _FAMILY.search(start)
    return int(family[1]) if family and b"AuthenticAMD" in start else None


IS_AMD: Final = amd_family() is not None
# Zen 4 executes instructions of 512 bits in two halves.
HAS_FULL_AVX512: Final = HAS_AVX512 and amd_family() != 25
