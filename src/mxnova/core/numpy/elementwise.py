# SPDX-License-Identifier: Apache-2.0
"""Element-wise functions: unary, binary, and of an array and a scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.array_hints import ArrayOrNumber
from ..base.errors import ArgumentTypeError, shown
from ..op.arithmetic import MIRRORED
from ..op.schema import REGISTRY
from .namespaces import NUMBER, World, function
from .selection import nonzero
from .ufunc_options import refuse_changes

__all__ = ["BINARY", "COMPARISONS", "UNARY", "operators_of"]

# name -> what it computes; the operator is `_npi_` and the name
UNARY = {
    "abs": "the absolute value", "absolute": "the absolute value", "arccos": "the inverse cosine",
    "arccosh": "the inverse hyperbolic cosine", "arcsin": "the inverse sine",
    "arcsinh": "the inverse hyperbolic sine", "arctan": "the inverse tangent",
    "arctanh": "the inverse hyperbolic tangent", "bitwise_not": "all bits the other way round",
    "cbrt": "the cube root", "ceil": "the least integer that is not less", "cos": "the cosine",
    "cosh": "the hyperbolic cosine", "degrees": "radians as degrees", "exp": "e to the power of x",
    "expm1": "exp(x) - 1", "fix": "the integer next to x toward zero",
    "floor": "the greatest integer that is not greater", "isfinite": "whether it is finite",
    "isinf": "whether it is infinite", "isnan": "whether it is no number",
    "isneginf": "whether it is minus infinity", "isposinf": "whether it is plus infinity",
    "log": "the natural logarithm", "log10": "the decimal logarithm", "log1p": "log(1 + x)",
    "log2": "the binary logarithm", "logical_not": "whether it is zero", "negative": "-x",
    "radians": "degrees as radians", "reciprocal": "1 / x", "rint": "the nearest integer",
    "sign": "-1, 0 or 1, as x is less than, equal to or greater than 0", "sin": "the sine",
    "sinh": "the hyperbolic sine", "sqrt": "the square root", "square": "x times x",
    "tan": "the tangent", "tanh": "the hyperbolic tangent",
    "trunc": "the integer next to x toward zero",
}  # fmt: skip
_SAME = {"fabs": "abs", "invert": "bitwise_not", "deg2rad": "radians", "rad2deg": "degrees"}

# name -> what it computes; `operators_of` has the operators
BINARY = {
    "add": "x1 + x2", "subtract": "x1 - x2", "multiply": "x1 * x2", "true_divide": "x1 / x2",
    "divide": "x1 / x2", "mod": "the remainder of x1 / x2",
    "remainder": "the remainder of x1 / x2", "power": "x1 to the power of x2",
    "maximum": "the greater one", "minimum": "the lesser one",
    "arctan2": "the angle of the point (x2, x1)", "hypot": "sqrt(x1² + x2²)",
    "copysign": "x1 with the sign of x2", "ldexp": "x1 times 2 to the power of x2",
    "lcm": "the lowest common multiple", "bitwise_and": "bits in both",
    "bitwise_or": "bits in either", "bitwise_xor": "bits in one only",
}  # fmt: skip
COMPARISONS = {
    "equal": "whether they are equal", "not_equal": "whether they differ",
    "greater": "whether x1 is greater than x2", "less": "whether x1 is less than x2",
    "greater_equal": "whether x1 is not less than x2",
    "less_equal": "whether x1 is not greater than x2",
}  # fmt: skip
_ALSO = {"divide": "true_divide", "remainder": "mod"}


def operators_of(name: str) -> tuple[str, str, str]:
    """Names of the operators for two arrays and for an array with a scalar on either side."""
    own = _ALSO.get(name, name)
    reflected = f"_npi_r{own}_scalar"
    if reflected not in REGISTRY:  # it commutes, or has a mirror image
        reflected = f"_npi_{MIRRORED.get(own, own)}_scalar"
    return f"_npi_{own}", f"_npi_{own}_scalar", reflected


def _unary(name: str, operator: str, meaning: str) -> Callable[..., Any]:
    of_number = getattr(np, name)
    is_condition = name.startswith("is")

    def implementation(F: World, x: Any, out: Any = None, **kwargs: Any) -> ArrayOrNumber:
        if kwargs:
            refuse_changes(name, kwargs)
        if isinstance(x, F.array):
            if is_condition and getattr(out, "dtype", np.bool_) != np.bool_:
                raise ArgumentTypeError(f"{name}: out: its elements must be truth values")
            return getattr(F, operator)(x, out=out)
        if isinstance(x, NUMBER):
            return of_number(x, **kwargs)
        raise _unusable(F, name, x)

    implementation.__name__ = name
    implementation.__doc__ = f"Of each element {meaning}."
    return implementation


def _both(F: World, name: str, operators: tuple[str, str, str], x1: Any, x2: Any, out: Any) -> Any:
    if isinstance(x1, F.array):
        if isinstance(x2, F.array):
            return getattr(F, operators[0])(x1, x2, out=out)
        if isinstance(x2, NUMBER):
            return getattr(F, operators[1])(x1, out=out, **number_attrs(x2))
    elif isinstance(x1, NUMBER):
        if isinstance(x2, F.array):
            return getattr(F, operators[2])(x2, out=out, **number_attrs(x1))
        if isinstance(x2, NUMBER):
            return getattr(np, name)(x1, x2)
    if not F.taken or not any(isinstance(x, np.ndarray) for x in (x1, x2)):
        raise _unusable(F, name, x2 if isinstance(x1, (F.array, *NUMBER)) else x1)
    return _both(F, name, operators, _taken(F, x1), _taken(F, x2), out)


def _taken(F: World, value: Any) -> Any:
    """Convert a NumPy array to an array of this world, or to a scalar if it has no axes."""
    if not F.taken or not isinstance(value, np.ndarray):
        return value
    return F.taken(value) if value.ndim else value.item()


def number_attrs(number: Any) -> dict[str, Any]:
    """Convert a scalar operand to the form that an operator takes."""
    return {"scalar": float(number), "is_int": isinstance(number, (int, np.integer, np.bool_))}


def _unusable(F: World, name: str, value: Any) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{name}: {shown(value)}: a {type(value).__name__} is neither a number nor a {F.shown}"
    )


def _binary(name: str, operators: tuple[str, str, str], meaning: str) -> Callable[..., Any]:
    on_arrays = operators[0]

    def implementation(F: World, x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> ArrayOrNumber:
        if kwargs:
            refuse_changes(name, kwargs)
        if isinstance(x1, F.array) and isinstance(x2, F.array):
            return getattr(F, on_arrays)(x1, x2, out=out)
        return _both(F, name, operators, x1, x2, out)

    def without_options(F: World, x1: Any, x2: Any, out: Any = None) -> ArrayOrNumber:
        return _both(F, name, operators, x1, x2, out)

    made = without_options if name in COMPARISONS or name == "true_divide" else implementation
    made.__name__ = name
    made.__doc__ = f"Of each pair of elements {meaning}; shapes broadcast."
    return made


for _name, _meaning in UNARY.items():
    function(_unary(_name, f"_npi_{_name}", _meaning))
for _name, _like in _SAME.items():
    function(_unary(_name, f"_npi_{_like}", UNARY[_like]))
for _name, _meaning in (BINARY | COMPARISONS).items():
    function(_binary(_name, operators_of(_name), _meaning))


@function
def around(F: World, x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> ArrayOrNumber:
    """Round to the given number of decimals."""
    if isinstance(x, F.array):
        return F._npi_around(x, decimals=decimals, out=out)
    if isinstance(x, NUMBER):
        return np.around(x, decimals, **kwargs)
    raise _unusable(F, "around", x)


@function
def round_(F: World, x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> ArrayOrNumber:
    """Round to the given number of decimals."""
    return around(F, x, decimals, out, **kwargs)


@function
def clip(F: World, a: Any, a_min: Any, a_max: Any, out: Any = None) -> ArrayOrNumber:
    """Clip the elements to ``[a_min, a_max]``; None means no bound."""
    if a_min is None and a_max is None:
        raise ValueError("clip: a_min=None, a_max=None: at least one is needed")
    if isinstance(a, NUMBER):
        return np.clip(a, a_min, a_max)
    low = float("-inf") if a_min is None else a_min
    high = float("inf") if a_max is None else a_max
    return F._npi_clip(a, low, high, out=out)


@function
def nan_to_num(
    F: World,
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> ArrayOrNumber:
    """Replace NaN and infinities by numbers: by default 0 and the largest and least finite ones."""
    if isinstance(x, NUMBER):
        return np.nan_to_num(x, copy, nan, posinf, neginf)
    F.check("nan_to_num", x)
    given = {"nan": nan, "posinf": posinf, "neginf": neginf}
    made = F._npi_nan_to_num(x, copy=copy, out=None if copy or F.is_symbolic else x, **given)
    return made if copy or F.is_symbolic else x


@function
def where(F: World, condition: Any, x: Any = None, y: Any = None) -> ArrayOrNumber:
    """Return elements of `x` where `condition` holds, else of `y`; without both, the indices."""
    if x is None and y is None:
        return nonzero(F, condition)
    if x is None or y is None:
        raise ValueError("where: x and y are given together, or not at all")
    if isinstance(condition, NUMBER):
        return x if condition else y
    if isinstance(x, NUMBER):
        if isinstance(y, NUMBER):
            return F._npi_where_scalar2(condition, x=float(x), y=float(y))
        return F._npi_where_lscalar(condition, y, scalar=float(x))
    if isinstance(y, NUMBER):
        return F._npi_where_rscalar(condition, x, scalar=float(y))
    return F._npi_where(condition, x, y)
