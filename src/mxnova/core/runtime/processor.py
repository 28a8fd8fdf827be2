# SPDX-License-Identifier: Apache-2.0
"""What the processor has, where kernels' speed depends on it."""

from __future__ import annotations

from typing import Final

import torch

from ..base.cpu_flags import amd_family

__all__ = ["HAS_AVX512", "HAS_FULL_AVX512", "HAS_ONEDNN", "IS_AMD", "IS_AVX2"]

# Whether torch was built with oneDNN, and what ATen's vectors are.
HAS_ONEDNN: Final[bool] = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
HAS_AVX512: Final = torch.backends.cpu.get_cpu_capability() == "AVX512"
IS_AVX2: Final = torch.backends.cpu.get_cpu_capability() == "AVX2"

_AMD_FAMILY = amd_family()
IS_AMD: Final = _AMD_FAMILY is not None
# Zen 4 executes instructions of 512 bits in two halves.
HAS_FULL_AVX512: Final = HAS_AVX512 and _AMD_FAMILY != 25
