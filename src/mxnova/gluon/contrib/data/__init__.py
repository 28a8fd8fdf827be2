# SPDX-License-Identifier: Apache-2.0
"""Data: experimental."""

from . import sampler, text
from .sampler import IntervalSampler

__all__ = ["IntervalSampler", "sampler", "text"]
