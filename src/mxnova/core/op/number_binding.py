# SPDX-License-Identifier: Apache-2.0
"""Binding the numbers of a call to a structure that is known from calls of the same form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base.parameter_types import NOT_GIVEN
from ..base.params import Field, parse_field

__all__ = ["NumberBinding"]

_LIMIT = 4096
_PLAIN_NUMBERS = frozenset({int, float})
_Names = tuple[str, ...]
_Values = tuple[Any, ...]
_Kinds = tuple[type[Any], ...]


class NumberBinding:
    """Structures of an operator, by what a call says: names, types, all values but its numbers.

    New numbers, such as the learning rate of each step, are then read and bound, no more.

    Args:
        op: name of the operator.
        numbers: those of its parameters that are no part of a structure.
    """

    def __init__(self, op: str, numbers: Mapping[str, Field]) -> None:
        self._op = op
        self._numbers = numbers
        self._others: dict[_Names, tuple[int, ...]] = {}
        # Structure, and where the numbers are in a call.
        self._known: dict[Any, tuple[Any, tuple[tuple[int, str, Field], ...]]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def bound(self, names: _Names, values: _Values, kinds: _Kinds) -> Any:
        """The operator of a call with immutable values; None where its form is not known.

        Raises:
            ArgumentError: a number is refused.
        """
        known = self._known.get(self._form(names, values, kinds))
        if known is None:
            return None
        structure, numbers = known
        return structure.with_numbers(
            {name: parse_field(self._op, field, values[i]) for i, name, field in numbers}
        )

    def learn(self, names: _Names, values: _Values, kinds: _Kinds, structure: Any) -> None:
        """Remembers the structure of a call where others of its form are sure to have it."""
        numbers = []
        for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
            field = self._numbers.get(name)
            if field is None:
                if kind is float:  # 0.0 and -0.0 are one key
                    return
            elif kind in _PLAIN_NUMBERS:
                numbers.append((i, name, field))
            elif kind is not type(NOT_GIVEN):  # whether there is one at all may be structure
                return
        if len(self._known) >= _LIMIT:
            self._known.clear()
        self._known[self._form(names, values, kinds)] = structure, tuple(numbers)

    def clear(self) -> None:
        """Forgets all structures."""
        self._known.clear()

    def _form(self, names: _Names, values: _Values, kinds: _Kinds) -> Any:
        others = self._others.get(names)
        if others is None:
            others = tuple(i for i, n in enumerate(names) if n not in self._numbers)
            self._others[names] = others
        return (names, kinds, *[values[i] for i in others]) if others else (names, kinds)
