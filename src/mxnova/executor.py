# SPDX-License-Identifier: Apache-2.0
"""Executor: a symbol bound to arrays."""

from .core.base.doors import facade
from .core.exec.bind.executor import Executor

__all__ = ["Executor"]


facade(__name__)
