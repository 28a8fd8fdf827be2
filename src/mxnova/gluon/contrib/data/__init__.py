# SPDX-License-Identifier: Apache-2.0
"""Data: experimental."""

from ....core.base.doors import facade
from . import sampler, text
from .sampler import IntervalSampler

__all__ = ["IntervalSampler", "sampler", "text"]


facade(__name__)
