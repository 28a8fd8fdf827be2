# SPDX-License-Identifier: Apache-2.0
"""Symbol, symbols of constants, and arithmetic as functions."""

from ..base import c_array, c_array_buf, c_handle_array, c_str, c_str_array, check_call, py_str
from ..core.graph.symbol import Group, Symbol, Variable, var
from ..core.runtime.context import current_context
from ..util import is_np_shape
from .creation import (
    arange,
    eye,
    full,
    histogram,
    hypot,
    linspace,
    maximum,
    minimum,
    ones,
    pow,
    power,
    split_v2,
    zeros,
)
from .files import fromjson, load, load_json

__all__ = [
    "Group",
    "Symbol",
    "SymbolBase",
    "Variable",
    "arange",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "current_context",
    "eye",
    "fromjson",
    "full",
    "histogram",
    "hypot",
    "is_np_shape",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "ones",
    "pow",
    "power",
    "py_str",
    "split_v2",
    "var",
    "zeros",
]

SymbolBase = Symbol
