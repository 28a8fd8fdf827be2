# SPDX-License-Identifier: Apache-2.0
"""How ONNX's operators are translated: the table, and what a translator is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...core.base.errors import MXNetError, shown
from .builder import Builder
from .values import MOST_AXES, Value, has_open

__all__ = ["REQUIRED", "TRANSLATORS", "RefusalError", "Site", "Translator", "translator"]

REQUIRED = object()


class RefusalError(MXNetError):
    """Raised if a node cannot be imported; the caller adds which node it is."""


class Site:
    """One node of an ONNX graph, on its way into a symbol.

    Attributes:
        kind: its operator.
        version: of the operators that the file is written in.
        inputs: what it reads; None where an optional input is left out.
        n_outputs: how many of its outputs have names.
        builder: what makes MXNet's nodes.
        budget: what the file may cost.
        model: what reads arrays of attributes, and translates graphs inside of the node.
    """

    def __init__(
        self,
        kind: str,
        version: int,
        inputs: Sequence[Value | None],
        n_outputs: int,
        attributes: dict[str, Any],
        builder: Builder,
        model: Any,
    ) -> None:
        self.kind = kind
        self.version = version
        self.inputs = list(inputs)
        self.n_outputs = n_outputs
        self.builder = builder
        self.budget = builder.budget
        self.model = model
        self.op = builder.op
        self.ops = builder.ops
        self._attributes = attributes
        self._asked: set[str] = set()

    # Attributes

    def attribute(self, name: str, default: Any = None) -> Any:
        """The value of an attribute.

        Raises:
            RefusalError: there is none, and the default is `REQUIRED`.
        """
        self._asked.add(name)
        found = self._attributes.get(name, default)
        if found is REQUIRED:
            raise RefusalError(f"attribute {name} is missing")
        if default is None or default is REQUIRED or isinstance(found, _like(default)):
            return found
        raise RefusalError(f"attribute {name}={shown(found)}: expected {_like(default).__name__}")

    def integers(self, name: str, default: Any = REQUIRED) -> list[int]:
        """An attribute that is a list of integers."""
        found = self.attribute(name, default)
        if not isinstance(found, list) or not all(isinstance(n, int) for n in found):
            raise RefusalError(f"attribute {name}={shown(found)}: expected integers")
        self._check_count(len(found), f"attribute {name}")
        return found

    def is_set(self, name: str) -> bool:
        """Whether an attribute is there."""
        return name in self._attributes

    def only(self, name: str, *allowed: Any) -> Any:
        """An attribute, the first of `allowed` by default, that must be one of these."""
        found = self.attribute(name)
        found = allowed[0] if found is None else found
        if found not in allowed:
            raise RefusalError(f"attribute {name}={shown(found)}: MXNet has no operator for that")
        return found

    def ignore(self, *names: str) -> None:
        """Attributes that do not matter here."""
        self._asked.update(names)

    def unread(self) -> list[str]:
        """Attributes that nobody has asked for."""
        return sorted(self._attributes.keys() - self._asked)

    # Inputs

    @property
    def x(self) -> Value:
        """The first input."""
        return self.input(0)

    def input(self, position: int) -> Value:
        """An input that must be there."""
        found = self.optional(position)
        if found is None:
            raise RefusalError(f"input {position} is missing")
        return found

    def optional(self, position: int) -> Value | None:
        """An input, None where it is left out."""
        return self.inputs[position] if position < len(self.inputs) else None

    @property
    def given(self) -> list[Value]:
        """All inputs of an operator that takes any number of them.

        Raises:
            RefusalError: there is none.
        """
        if not self.inputs or any(value is None for value in self.inputs):
            raise RefusalError("inputs are missing")
        return [value for value in self.inputs if value is not None]

    def numbers(self, position: int, what: str) -> np.ndarray:
        """An input that must be known.

        Raises:
            RefusalError: it is computed when the model runs.
        """
        array = self.input(position).array
        if array is None:
            raise RefusalError(f"input {position} ({what}) must be a constant")
        return array

    def sizes(self, position: int, what: str) -> list[int]:
        """An input of integers that must be known; sizes that are left open may be among them."""
        array = self.numbers(position, what)
        if array.dtype.kind not in "iuO":
            raise RefusalError(f"input {position} ({what}) must have integers, not {array.dtype}")
        self._check_count(array.size, f"input {position} ({what})")
        return [int(n) for n in array.reshape(-1)]

    def _check_count(self, count: int, what: str) -> None:
        """Lists of integers tell of axes, or of outputs."""
        most = max(2 * MOST_AXES, self.n_outputs)
        if count > most:
            raise RefusalError(f"{what} has {count} integers, expected at most {most}")

    def fixed(self, position: int, what: str) -> list[int]:
        """An input of integers that must be known, without open sizes."""
        found = self.sizes(position, what)
        if has_open(self.numbers(position, what)):
            raise RefusalError(
                f"input {position} ({what}) depends on sizes that the file leaves open"
            )
        return found

    def scalar(self, position: int, what: str, default: float | None = None) -> float:
        """An input of one number that must be known."""
        if self.optional(position) is None and default is not None:
            return default
        array = self.numbers(position, what)
        if array.size != 1:
            raise RefusalError(f"input {position} ({what}) must have one number, not {array.shape}")
        if has_open(array):
            raise RefusalError(f"input {position} ({what}) is a size that the file leaves open")
        number: float = array.item()
        return number

    def axis(self, axis: int, rank: int | None = None) -> int:
        """An axis, counted from the front."""
        rank = self.x.rank if rank is None else rank
        if not -rank <= axis < max(rank, 1):
            raise RefusalError(f"axis {axis} of {rank} axes")
        return axis % rank if rank else 0

    def axes(self, axes: Sequence[int], rank: int | None = None) -> list[int]:
        """Axes, counted from the front, in order."""
        found = sorted({self.axis(axis, rank) for axis in axes})
        if len(found) != len(axes):
            raise RefusalError(f"axes {shown(tuple(axes))} are not distinct")
        return found

    def constant(self, array: Any, like: Value | None = None) -> Value:
        """Numbers that the file does not have."""
        return self.builder.constant(array, like)


def _like(default: Any) -> type | Any:
    return (int, float) if type(default) is float else type(default)


Translator: TypeAlias = Callable[[Site], "Value | list[Value]"]
TRANSLATORS: dict[str, Translator] = {}


def translator(names: str) -> Callable[[Translator], Translator]:
    """Makes a function the translator of ONNX's operators of these names, separated by blanks."""

    def declare(translate: Translator) -> Translator:
        for name in names.split():
            TRANSLATORS[name] = translate
        return translate

    return declare
