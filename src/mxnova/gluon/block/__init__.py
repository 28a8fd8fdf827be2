# SPDX-License-Identifier: Apache-2.0
"""Networks and their layers as objects."""

# ruff: noqa: F401 - programs take what it is made of from here, too
from ... import initializer, ndarray, symbol
from ...core.base.doors import facade
from ...core.base.errors import MXNetError
from ...core.graph.symbol import Symbol
from ...core.nd.array import NDArray
from ..listing import brief as _brief_print_list
from ..listing import indented as _indent
from ..parameter import DeferredInitializationError, Parameter, ParameterDict
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


facade(__name__)
