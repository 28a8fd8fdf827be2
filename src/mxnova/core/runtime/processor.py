# SPDX-License-Identifier: Apache-2.0
"""What the processor has, where kernels' speed depends on it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import torch

__all__ = ["HAS_AVX512", "HAS_ONEDNN", "IS_AVX2", "is_amd"]

_CPU_INFO = Path("/proc/cpuinfo")

# Whether torch was built with oneDNN, and what ATen's vectors are.
HAS_ONEDNN: Final[bool] = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
HAS_AVX512: Final = torch.backends.cpu.get_cpu_capability() == "AVX512"
IS_AVX2: Final = torch.backends.cpu.get_cpu_capability() == "AVX2"


def is_amd() -> bool:
    """Whether it is one of AMD's; False where nothing tells."""
    try:
        with open(_CPU_INFO, "rb") as file:
            return b"AuthenticAMD" in file.read(512)  # all of it takes milliseconds
    except OSError:
        return False
