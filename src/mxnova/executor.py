# SPDX-License-Identifier: Apache-2.0
"""Executor: a symbol bound to arrays."""

from .core.exec.bind.executor import Executor

__all__ = ["Executor"]
