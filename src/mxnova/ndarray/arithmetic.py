# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on arrays and numbers, in any combination, as functions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..base import numeric_types
from ..core.base.errors import ArgumentTypeError
from ..core.base.examples import with_example
from ..core.nd.arithmetic import too_large
from ..core.nd.array import NDArray
from ..core.nd.functions import function_of
from ..core.op import arithmetic as operators

__all__ = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
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


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise too_large(name, value) from None


_DOC = """Operator `{}` on two arrays, `{}` on an array and a number; on two numbers, Python's.

Args:
    lhs: an array, or a number.
    rhs: an array, or a number; the shapes of both broadcast."""


def _function(
    name: str, meaning: str, python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    arrays = operators.of_arrays(meaning).name
    scalar = operators.with_number(meaning).name
    reflected = operators.with_number(meaning, reflected=True).name

    def function(lhs: Any, rhs: Any) -> Any:
        left, right = isinstance(lhs, NDArray), isinstance(rhs, NDArray)
        if left and right:
            return function_of(arrays)(lhs, rhs)
        if isinstance(rhs if left else lhs, numeric_types):
            if right:
                return function_of(reflected)(rhs, scalar=_number(name, lhs))
            if left:
                return function_of(scalar)(lhs, scalar=_number(name, rhs))
            if isinstance(rhs, numeric_types):
                return python(lhs, rhs)
        kinds = f"{type(lhs).__name__} and {type(rhs).__name__}"
        raise ArgumentTypeError(f"{name}: its arguments must be arrays or numbers, not {kinds}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = with_example(_DOC.format(arrays, scalar), "nd", name)
    return function


def _truth(relation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], int]:
    return lambda a, b: int(bool(relation(a, b)))


# What follows a name: what `core.op.arithmetic` calls the function.
# fmt: off
add           = _function("add", "add", operator.add)
subtract      = _function("subtract", "subtract", operator.sub)
multiply      = _function("multiply", "multiply", operator.mul)
divide        = _function("divide", "divide", operator.truediv)
modulo        = _function("modulo", "modulo", operator.mod)
maximum       = _function("maximum", "maximum", max)
minimum       = _function("minimum", "minimum", min)
equal         = _function("equal", "equal", _truth(operator.eq))
not_equal     = _function("not_equal", "not_equal", _truth(operator.ne))
greater       = _function("greater", "greater", _truth(operator.gt))
greater_equal = _function("greater_equal", "greater_equal", _truth(operator.ge))
lesser        = _function("lesser", "less", _truth(operator.lt))
lesser_equal  = _function("lesser_equal", "less_equal", _truth(operator.le))
logical_and   = _function("logical_and", "logical_and", _truth(lambda a, b: a and b))
logical_or    = _function("logical_or", "logical_or", _truth(lambda a, b: a or b))
logical_xor   = _function("logical_xor", "logical_xor", _truth(lambda a, b: bool(a) != bool(b)))
# fmt: on
true_divide = divide
_power = _function("power", "power", operator.pow)


def power(base: Any, exp: Any) -> Any:
    """`base` to the power of `exp`, arrays or numbers.

    Args:
        base: an array, or a number.
        exp: an array, or a number.

    Example:
        >>> mx.nd.power(mx.nd.array([2, 3]), 2).asnumpy()
        array([4., 9.], dtype=float32)
    """
    return _power(base, exp)


def split_v2(
    ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Split along `axis` into equal sections, or before each of the given indices.

    Args:
        ary: the array.
        indices_or_sections: how many parts, or where each but the first begins.
        axis: along which axis.
        squeeze_axis: remove that axis from parts of length 1.

    Example:
        >>> [x.shape for x in mx.nd.split_v2(mx.nd.zeros((5, 2)), (2,))]
        [(2, 2), (3, 2)]
    """
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)
