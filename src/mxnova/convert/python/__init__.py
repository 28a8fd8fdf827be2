# SPDX-License-Identifier: Apache-2.0
"""Models as Python files that need torch and safetensors only."""

from .writer import write

__all__ = ["write"]
