# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on arrays and numbers, in any combination, as functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..core.base.errors import ArgumentTypeError
from ..core.nd.array import NDArray
from ..core.nd.functions import function_of

__all__ = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "power",
    "split_v2",
    "subtract",
    "true_divide",
]


def _function(
    name: str, on_arrays: str, scalar: str, reflected: str, python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    arrays, scalar, reflected = (
        f"broadcast_{on_arrays}",
        f"_{scalar}_scalar",
        f"_{reflected}_scalar",
    )

    def function(lhs: Any, rhs: Any) -> Any:
        left, right = isinstance(lhs, NDArray), isinstance(rhs, NDArray)
        if left and right:
            return function_of(arrays)(lhs, rhs)
        if left or right:
            array, number = (lhs, rhs) if left else (rhs, lhs)
            if not hasattr(number, "__float__"):
                raise ArgumentTypeError(f"{name}: a {type(number).__name__} is no number")
            return function_of(scalar if left else reflected)(array, scalar=float(number))
        return python(lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Operator `{arrays}` on two arrays, `{scalar}` on an array and a number."
    return function


def _compared(relation: Callable[[Any, Any], bool]) -> Callable[[Any, Any], float]:
    return lambda a, b: float(relation(a, b))


# What follows a name: the operator on two arrays, on array and number, on number and array.
# fmt: off
add           = _function("add", "add", "plus", "plus", operator.add)
subtract      = _function("subtract", "sub", "minus", "rminus", operator.sub)
multiply      = _function("multiply", "mul", "mul", "mul", operator.mul)
divide        = _function("divide", "div", "div", "rdiv", operator.truediv)
modulo        = _function("modulo", "mod", "mod", "rmod", operator.mod)
power         = _function("power", "power", "power", "rpower", operator.pow)
maximum       = _function("maximum", "maximum", "maximum", "maximum", max)
minimum       = _function("minimum", "minimum", "minimum", "minimum", min)
equal         = _function("equal", "equal", "equal", "equal", _compared(operator.eq))
not_equal     = _function("not_equal", "not_equal", "not_equal", "not_equal",
                          _compared(operator.ne))
greater       = _function("greater", "greater", "greater", "lesser", _compared(operator.gt))
greater_equal = _function("greater_equal", "greater_equal", "greater_equal", "lesser_equal",
                          _compared(operator.ge))
lesser        = _function("lesser", "lesser", "lesser", "greater", _compared(operator.lt))
lesser_equal  = _function("lesser_equal", "lesser_equal", "lesser_equal", "greater_equal",
                          _compared(operator.le))
# fmt: on
true_divide = divide


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Parts along `axis`: so many of equal size, or cut before each of the given indices."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)
