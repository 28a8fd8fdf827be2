# SPDX-License-Identifier: Apache-2.0
"""The operators of arithmetic, found by the function and the form that their traits declare.

Arrays, sparse arrays, modules of functions, the exporter and the C interface read this table.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from . import library  # noqa: F401 - registers the operators
from .schema import REGISTRY, OpType
from .traits import Arithmetic, Form

__all__ = [
    "MIRRORED",
    "PYTHON_METHODS",
    "Method",
    "of_arrays",
    "symbol_names",
    "types_by_meaning",
    "with_number",
]


class Method(NamedTuple):
    """A method for one of Python's operators.

    Attributes:
        name: of the method, with underscores.
        function: what it computes, see `Arithmetic`.
        reflected: whether the array is the second operand.
    """

    name: str
    function: str
    reflected: bool

    @property
    def is_comparison(self) -> bool:
        """Whether the result is boolean."""
        return self.function in _COMPARISONS.values()


# fmt: off
_REFLECTABLE = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
                "div": "divide", "mod": "modulo", "pow": "power"}
_COMPARISONS = {"eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal",
                "lt": "less", "le": "less_equal"}
# fmt: on
PYTHON_METHODS = (
    *(Method(f"__{name}__", function, False) for name, function in _REFLECTABLE.items()),
    *(Method(f"__r{name}__", function, True) for name, function in _REFLECTABLE.items()),
    *(Method(f"__{name}__", function, False) for name, function in _COMPARISONS.items()),
)
# What ``number < array`` asks of the array.
MIRRORED = {
    "greater": "less",
    "greater_equal": "less_equal",
    "less": "greater",
    "less_equal": "greater_equal",
}


@functools.cache
def types_by_meaning() -> dict[Arithmetic, OpType]:
    """The operators that declare `Op.arithmetic`; of those that mean the same the first."""
    found: dict[Arithmetic, OpType] = {}
    for name in REGISTRY:
        meaning = REGISTRY[name].make.arithmetic
        if meaning is not None:
            found.setdefault(meaning, REGISTRY[name])
    return found


def of_arrays(function: str, form: Form = Form.BROADCAST) -> OpType:
    """The operator that computes `function` of two arrays."""
    return types_by_meaning()[Arithmetic(function, form)]


def with_number(function: str, reflected: bool = False) -> OpType:
    """The operator that computes `function` of an array and a number.

    Args:
        function: its name, see `Arithmetic`.
        reflected: whether the number is the first operand.
    """
    if reflected:
        own = types_by_meaning().get(Arithmetic(function, Form.REFLECTED))
        if own is not None:
            return own
    # The others commute, or have a mirror image.
    mirrored = MIRRORED.get(function, function) if reflected else function
    return types_by_meaning()[Arithmetic(mirrored, Form.SCALAR)]


def symbol_names(function: str) -> tuple[str, str, str]:
    """The aliases that MXNet names nodes of a function after: ``_Plus``, ``_PlusScalar``….

    Returns:
        Of the operator on two symbols, with a number that is the second, and the first.
    """
    both, right = of_arrays(function, Form.ELEMENTWISE), with_number(function)
    left = with_number(function, reflected=True)
    return both.aliases[0], right.aliases[0], left.aliases[0]
