# SPDX-License-Identifier: Apache-2.0
"""Tells ATen's allocator of GPU memory what MXNET_GPU_MEM_POOL_TYPE asks for."""

from __future__ import annotations

import os

from ..base import env

__all__ = ["tune"]

_SETTINGS: dict[str, dict[str, str]] = {
    "Naive": {},
    "Round": {"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:1"},
    "Unpooled": {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
}


def tune() -> None:
    """Sets ATen's variables, which it reads at the first allocation, unless they are set."""
    for name, value in _SETTINGS[env.get("MXNET_GPU_MEM_POOL_TYPE")].items():
        os.environ.setdefault(name, value)
