# SPDX-License-Identifier: Apache-2.0
"""Python's operators on symbols: ``a + b``, ``-a``, ``a < b``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.python_operators import PythonOperators
from .base_symbol import BaseSymbol
from .functions import function_of

__all__ = ["Arithmetic"]


class Arithmetic(BaseSymbol, PythonOperators):
    """Gives symbols Python's operators; the methods are made from the table below."""

    __slots__ = ()


def _binary(name: str, arrays: str, scalar: str) -> Callable[..., Any]:
    """The method for ``self <op> other``, `other` a symbol or a number."""
    reflected = name.startswith("__r")

    def method(self: BaseSymbol, other: Any) -> Any:
        if isinstance(other, BaseSymbol):
            left, right = (other, self) if reflected else (self, other)
            return function_of(arrays)(left, right)
        if isinstance(other, (int, float, np.generic)):
            return function_of(scalar)(self, scalar=other)
        return NotImplemented

    method.__name__ = method.__qualname__ = name
    return method


# The aliases are those that MXNet's own operators use: nodes are named after them.
# fmt: off
_ARITHMETIC = [  # method, on two symbols, with a number
    ("__add__",      "_Plus",          "_PlusScalar"),
    ("__radd__",     "_Plus",          "_PlusScalar"),
    ("__sub__",      "_Minus",         "_MinusScalar"),
    ("__rsub__",     "_Minus",         "_RMinusScalar"),
    ("__mul__",      "_Mul",           "_MulScalar"),
    ("__rmul__",     "_Mul",           "_MulScalar"),
    ("__truediv__",  "_Div",           "_DivScalar"),
    ("__rtruediv__", "_Div",           "_RDivScalar"),
    ("__div__",      "_Div",           "_DivScalar"),
    ("__rdiv__",     "_Div",           "_RDivScalar"),
    ("__mod__",      "_Mod",           "_ModScalar"),
    ("__rmod__",     "_Mod",           "_RModScalar"),
    ("__pow__",      "_Power",         "_PowerScalar"),
    ("__rpow__",     "_Power",         "_rpower_scalar"),
    ("__eq__",       "_equal",         "_equal_scalar"),
    ("__ne__",       "_not_equal",     "_not_equal_scalar"),
    ("__gt__",       "_greater",       "_greater_scalar"),
    ("__ge__",       "_greater_equal", "_greater_equal_scalar"),
    ("__lt__",       "_lesser",        "_lesser_scalar"),
    ("__le__",       "_lesser_equal",  "_lesser_equal_scalar"),
]
# fmt: on

for _name, _arrays, _scalar in _ARITHMETIC:
    setattr(Arithmetic, _name, _binary(_name, _arrays, _scalar))


def _negative(self: BaseSymbol) -> Any:
    return function_of("_MulScalar")(self, scalar=-1.0)


def _absolute(self: BaseSymbol) -> Any:
    return function_of("abs")(self)


for _name, _method in (("__neg__", _negative), ("__abs__", _absolute)):
    setattr(Arithmetic, _name, _method)
