# SPDX-License-Identifier: Apache-2.0
"""Models on 8-bit integers, measured: `quantize`."""

from __future__ import annotations

from .outcome import Quantization
from .quantizing import quantize

__all__ = ["Quantization", "quantize"]
