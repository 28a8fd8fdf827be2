# SPDX-License-Identifier: Apache-2.0
"""Sparse arrays, and operators on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import c_array_buf, check_call
from ..core.base.doors import leave
from ..core.facade import operator_names, operators
from ..core.nd.array import NDArray
from ..core.nd.functions import function_of
from ..core.nd.sparse import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from ..core.nd.sparse_creation import array, csr_matrix, empty, row_sparse_array, zeros
from ..core.op.schema import REGISTRY
from ..core.runtime.context import current_context
from . import arithmetic

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "c_array_buf",
    "check_call",
    "csr_matrix",
    "current_context",
    "divide",
    "empty",
    "gs_retain",
    "multiply",
    "row_sparse_array",
    "subtract",
    "zeros",
]


def _function(name: str, strict: str) -> Callable[[Any, Any], Any]:
    general = getattr(arithmetic, name)

    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray) and lhs.shape == rhs.shape:
            return function_of(strict)(lhs, rhs)
        return general(lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Operator `{strict}` on arrays of one shape, which keeps sparse storage; "
    function.__doc__ += f"on all else, `nd.{name}`."
    return function


add = _function("add", "elemwise_add")
subtract = _function("subtract", "elemwise_sub")
multiply = _function("multiply", "elemwise_mul")
divide = _function("divide", "elemwise_div")
gs_retain = function_of("_sparse_retain")

_plain = operators(__name__, function_of)
_sparse = operators(__name__, function_of, "_sparse_")


def __getattr__(name: str) -> Any:
    try:
        return _sparse(name) if f"_sparse_{name}" in REGISTRY else _plain(name)
    except Exception as error:
        leave(error)
        raise


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names(), *operator_names("_sparse_")})
