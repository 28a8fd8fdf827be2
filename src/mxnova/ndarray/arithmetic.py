# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on arrays and numbers, in any combination, as functions."""

from __future__ import annotations

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
    name: str, arrays: str, scalar: str, reflected: str, python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def function(lhs: Any, rhs: Any) -> Any:
        left, right = isinstance(lhs, NDArray), isinstance(rhs, NDArray)
        if left and right:
            return function_of(arrays)(lhs, rhs)
        if left or right:
            array, number = (lhs, rhs) if left else (rhs, lhs)
            if not isinstance(number, (int, float)) and not hasattr(number, "__float__"):
                raise ArgumentTypeError(f"{name}: a {type(number).__name__} is no number")
            return function_of(scalar if left else reflected)(array, scalar=float(number))
        return python(lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Operator `{arrays}` on two arrays, `{scalar}` on an array and a number."
    return function


# fmt: off
add           = _function("add", "broadcast_add", "_plus_scalar", "_plus_scalar", lambda a, b: a + b)
subtract      = _function("subtract", "broadcast_sub", "_minus_scalar", "_rminus_scalar", lambda a, b: a - b)
multiply      = _function("multiply", "broadcast_mul", "_mul_scalar", "_mul_scalar", lambda a, b: a * b)
divide        = _function("divide", "broadcast_div", "_div_scalar", "_rdiv_scalar", lambda a, b: a / b)
modulo        = _function("modulo", "broadcast_mod", "_mod_scalar", "_rmod_scalar", lambda a, b: a % b)
power         = _function("power", "broadcast_power", "_power_scalar", "_rpower_scalar", lambda a, b: a**b)
maximum       = _function("maximum", "broadcast_maximum", "_maximum_scalar", "_maximum_scalar", max)
minimum       = _function("minimum", "broadcast_minimum", "_minimum_scalar", "_minimum_scalar", min)
equal         = _function("equal", "broadcast_equal", "_equal_scalar", "_equal_scalar", lambda a, b: float(a == b))
not_equal     = _function("not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar", lambda a, b: float(a != b))
greater       = _function("greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar", lambda a, b: float(a > b))
greater_equal = _function("greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar", lambda a, b: float(a >= b))
lesser        = _function("lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar", lambda a, b: float(a < b))
lesser_equal  = _function("lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar", lambda a, b: float(a <= b))
# fmt: on
true_divide = divide


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Parts along `axis`: so many of equal size, or cut before each of the given indices."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)
