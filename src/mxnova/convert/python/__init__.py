# SPDX-License-Identifier: Apache-2.0
"""Models as Python files that need torch and safetensors only."""

from .writer import tell_proof, text_of, write

__all__ = ["tell_proof", "text_of", "write"]
