# SPDX-License-Identifier: Apache-2.0
"""What loops on arrays and on symbols are given: nested lists, loop variables, limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ...base.errors import ArgumentError, ArgumentTypeError, AssertedTypeError, shown
from ...graph.symbol import Symbol

__all__ = ["Form", "as_variables", "flatten", "limit_of", "regroup", "scalar_of"]

T = TypeVar("T")
Form = Any  # None stands for one array, a list for a list of forms


def flatten(value: Any, kind: type[T], what: str) -> tuple[list[T], Form]:
    """The arrays (or symbols) in nested lists, in order, and the form that `regroup` takes.

    A symbol of several outputs stands for the list of them.

    Raises:
        ArgumentTypeError: something is neither a `kind` nor a list.
    """
    if isinstance(value, Symbol) and len(value) > 1:
        value = list(value)
    if isinstance(value, kind):
        return [value], None
    if not isinstance(value, (list, tuple)):
        raise AssertedTypeError(
            f"{what} must be {kind.__name__}s in (nested) lists, not a {type(value).__name__}"
        )
    flat: list[T] = []
    form = []
    for item in value:
        try:
            items, item_form = flatten(item, kind, what)
        except RecursionError:
            raise ArgumentTypeError(f"{what}: lists nest too deep") from None
        flat += items
        form.append(item_form)
    return flat, form


def regroup(items: Iterator[Any], form: Form) -> Any:
    """The next of `items` in nested lists of this form."""
    return next(items) if form is None else [regroup(items, f) for f in form]


def limit_of(max_iterations: Any) -> int:
    """`max_iterations` as a number.

    Raises:
        ArgumentError: it is not given, or is none.
    """
    if max_iterations is None:
        raise ArgumentError("while_loop: max_iterations should be specified")
    return int(scalar_of(max_iterations, int, "max_iterations"))


def scalar_of(value: Any, type_: Callable[[Any], Any], what: str) -> Any:
    """The Python number in an array or a number.

    Raises:
        ArgumentError: there is none.
    """
    try:
        return type_(value.asscalar() if hasattr(value, "asscalar") else value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{what}: {shown(value)} is not one number") from None


def as_variables(values: Any, count: int | None = None) -> list[Any]:
    """Loop variables as a list, of `count` where that is given.

    Raises:
        ArgumentError: there are none, or others than before.
    """
    found = list(values) if isinstance(values, (list, tuple)) else [values]
    if not found and count is None:
        raise ArgumentError("while_loop: loop_vars should contain at least one element")
    if count is not None and len(found) != count:
        raise ArgumentError(
            f"while_loop: func gives {len(found)} loop variables, it was given {count}"
        )
    return found
