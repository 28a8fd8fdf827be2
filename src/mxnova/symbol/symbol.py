# SPDX-License-Identifier: Apache-2.0
"""Symbol, symbols of constants, and arithmetic as functions."""

from ..base import (
    ExecutorHandle,
    MXNetError,
    NDArrayHandle,
    NotImplementedForSymbol,
    SymbolHandle,
    c_array,
    c_array_buf,
    c_handle_array,
    c_str,
    c_str_array,
    check_call,
    integer_types,
    mx_int,
    mx_int64,
    mx_uint,
    numeric_types,
    py_str,
    string_types,
)
from ..core.base.codes import (
    _DTYPE_MX_TO_NP,
    _DTYPE_NP_TO_MX,
    _GRAD_REQ_MAP,
    _STORAGE_TYPE_STR_TO_ID,
)
from ..core.base.doors import facade
from ..core.base.scopes import AttrScope
from ..core.graph.symbol import Group, Symbol, Variable, var
from ..core.runtime.context import Context, current_context
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
    "_DTYPE_MX_TO_NP",
    "_DTYPE_NP_TO_MX",
    "_GRAD_REQ_MAP",
    "_STORAGE_TYPE_STR_TO_ID",
    "AttrScope",
    "Context",
    "ExecutorHandle",
    "Group",
    "MXNetError",
    "NDArrayHandle",
    "NotImplementedForSymbol",
    "Symbol",
    "SymbolBase",
    "SymbolHandle",
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
    "integer_types",
    "is_np_shape",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "mx_int",
    "mx_int64",
    "mx_uint",
    "numeric_types",
    "ones",
    "pow",
    "power",
    "py_slice",
    "py_str",
    "split_v2",
    "string_types",
    "var",
    "zeros",
]

SymbolBase = Symbol
py_slice = slice  # `slice` is an operator here


facade(__name__)
