# SPDX-License-Identifier: Apache-2.0
"""Contexts: ``mx.cpu()``, ``mx.gpu(0)``."""

from .core.base.doors import facade
from .core.runtime.context import (
    Context,
    cpu,
    cpu_pinned,
    current_context,
    gpu,
    gpu_memory_info,
    num_gpus,
)

__all__ = [
    "Context",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gpu",
    "gpu_memory_info",
    "num_gpus",
]


facade(__name__)
