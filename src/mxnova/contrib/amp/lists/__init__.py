# SPDX-License-Identifier: Apache-2.0
"""Which operators compute in which element type, for each of the two low precisions."""

from . import symbol_bf16, symbol_fp16

__all__ = ["symbol_bf16", "symbol_fp16"]
