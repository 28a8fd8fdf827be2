# SPDX-License-Identifier: Apache-2.0
"""Networks and their layers as objects."""

from .base import Block
from .hooks import HookHandle
from .hybrid import HybridBlock
from .nesting import _flatten, _gather_type_ctx_info, _regroup
from .scope import _BlockScope
from .symbol_block import SymbolBlock

__all__ = [
    "Block",
    "HookHandle",
    "HybridBlock",
    "SymbolBlock",
    "_BlockScope",
    "_flatten",
    "_gather_type_ctx_info",
    "_regroup",
]
