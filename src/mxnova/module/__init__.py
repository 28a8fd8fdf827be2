# SPDX-License-Identifier: Apache-2.0
"""Modules: symbols that are bound, initialized, trained and asked, batch by batch."""

from . import base_module, executor_group, module
from .base_module import BaseModule
from .module import Module

__all__ = ["BaseModule", "Module", "base_module", "executor_group", "module"]
