# SPDX-License-Identifier: Apache-2.0
"""Python's operators on symbols: ``a + b``, ``-a``, ``a < b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.python_operators import PythonOperators
from ..op import arithmetic as operators
from ..op.schema import find
from .base_symbol import BaseSymbol
from .functions import function_of

__all__ = ["Arithmetic"]


class Arithmetic(BaseSymbol, PythonOperators):
    """Gives symbols Python's operators; the methods are made from `core.op.arithmetic`."""

    __slots__ = ()


def _binary(row: operators.Method) -> Callable[..., Any]:
    """The method for ``self <op> other``, `other` a symbol or a number."""
    symbols, scalar = _names(row)

    def method(self: BaseSymbol, other: Any) -> Any:
        if isinstance(other, BaseSymbol):
            left, right = (other, self) if row.reflected else (self, other)
            return function_of(symbols)(left, right)
        if isinstance(other, (int, float, np.generic)):
            return function_of(scalar)(self, scalar=other)
        return NotImplemented

    method.__name__ = method.__qualname__ = row.name
    return method


def _names(row: operators.Method) -> tuple[str, str]:
    """What MXNet's own methods call the operators of two symbols and of a symbol and a number.

    Nodes are named after that: mostly an alias.
    """
    both, right, left = operators.symbol_names(row.function)
    scalar = left if row.reflected else right
    if row.is_comparison:
        return find(both).name, find(scalar).name
    return both, find(scalar).name if row.name == "__rpow__" else scalar


for _row in operators.PYTHON_METHODS:
    setattr(Arithmetic, _row.name, _binary(_row))


def _negative(self: BaseSymbol) -> Any:
    return function_of("_MulScalar")(self, scalar=-1.0)


def _absolute(self: BaseSymbol) -> Any:
    return function_of("abs")(self)


for _name, _method in (("__neg__", _negative), ("__abs__", _absolute)):
    setattr(Arithmetic, _name, _method)
