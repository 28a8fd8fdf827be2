# SPDX-License-Identifier: Apache-2.0
"""Modules: symbols that are bound, initialized, trained and asked, batch by batch."""

from ..core.base.doors import facade
from . import (
    base_module,
    bucketing_module,
    executor_group,
    module,
    python_module,
    sequential_module,
)
from .base_module import BaseModule
from .bucketing_module import BucketingModule
from .module import Module
from .python_module import PythonLossModule, PythonModule
from .sequential_module import SequentialModule

__all__ = [
    "BaseModule",
    "BucketingModule",
    "Module",
    "PythonLossModule",
    "PythonModule",
    "SequentialModule",
    "base_module",
    "bucketing_module",
    "executor_group",
    "module",
    "python_module",
    "sequential_module",
]


facade(__name__)
