# SPDX-License-Identifier: Apache-2.0
"""The view that an inference rule has of a node: its arrays by name, with the known shapes.

Reading a name gives what is known, or pauses the rule when nothing is; assigning unifies with what
is known, or raises with operator, array and both sides. A rule therefore only states what equals
what, and is run again whenever one of its arrays became better known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import prod
from typing import Any, ClassVar, Generic, TypeVar

import torch

from ..base.errors import MXNetError
from ..base.shapes import (
    UNKNOWN,
    Dim,
    PartialShape,
    Pause,
    ShapeMismatch,
    is_known,
    shape_text,
    unify,
)
from .dtypes import dtype_name

__all__ = ["DTypes", "MismatchError", "Shapes", "UndecidedTypeError", "advised"]

T = TypeVar("T")
_MOST_SHOWN = 4  # arrays in an error


class MismatchError(MXNetError):
    """What is known of an array is not what the others need.

    Attributes:
        array: its name.
    """

    array = ""


def advised(op: Any, facts: Shapes | DTypes, error: MismatchError) -> MXNetError:
    """`error` of a rule of operator `op`, with what to do about it."""
    advice = ""
    if isinstance(facts, DTypes):
        types = [t for t in map(facts.known, facts.inputs) if t is not None]
        common = _common_type(types, facts.known(error.array))
        advice = f"make them of one type, such as by x.astype({common!r})" if common else ""
    else:
        with suppress(Exception):  # it reads shapes of which one is wrong
            advice = op.shape_advice(facts, error.array)
    return MXNetError(f"{error}; {advice}" if advice else str(error))


def _common_type(types: Sequence[torch.dtype], wrong: torch.dtype | None) -> str:
    """What most have; among several such types one of fractions, then what is not `wrong`.

    Empty where all have one type, so that it is another one that is needed.
    """

    def weight(kind: torch.dtype) -> tuple[int, bool, bool]:
        return types.count(kind), kind.is_floating_point, kind is not wrong

    return dtype_name(max(types, key=weight)) if len(set(types)) > 1 else ""


class _Named(Generic[T]):
    """The facts about one node's arrays, by name."""

    __slots__ = ("_changed", "_facts", "_op", "inputs", "outputs")

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    _op: str
    _changed: bool
    _facts: dict[str, T | None]

    def __init__(
        self, op: str, inputs: Sequence[str], outputs: Sequence[str], facts: Sequence[T | None]
    ) -> None:
        put = object.__setattr__
        put(self, "_op", op)
        put(self, "inputs", tuple(inputs))
        put(self, "outputs", tuple(outputs))
        put(self, "_facts", dict(zip((*inputs, *outputs), facts, strict=True)))
        put(self, "_changed", False)

    def known(self, name: str) -> T | None:
        """Return what is known of array `name`, or None; never pauses."""
        return self._facts[name]

    @property
    def facts(self) -> list[T | None]:
        """All facts, inputs first."""
        return list(self._facts.values())

    @property
    def changed(self) -> bool:
        """Whether an assignment added something."""
        return bool(self._changed)

    def __contains__(self, name: str) -> bool:
        return name in self._facts

    def __getitem__(self, name: str) -> T:
        fact = self._facts[name]
        if fact is None:
            raise Pause
        return fact

    def __setitem__(self, name: str, fact: T | None) -> None:
        before = self._facts[name]
        after = self._unified(name, before, fact)
        if after is not before:
            self._facts[name] = after
            object.__setattr__(self, "_changed", True)

    def __getattr__(self, name: str) -> T:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{self._op} has no array {name!r}") from None

    def __setattr__(self, name: str, fact: T | None) -> None:
        self[name] = fact

    def same(self, *names: str) -> None:
        """States that the named arrays agree; what is known of one becomes known of all."""
        agreed: T | None = None
        for name in names:
            self[name] = agreed
            agreed = self._facts[name]
        for name in names:
            self[name] = agreed

    def _unified(self, name: str, before: T | None, fact: T | None) -> T | None:
        raise NotImplementedError

    def _mismatch(
        self, name: str, what: str, before: T | None, fact: T | None, text: Callable[[Any], str]
    ) -> MismatchError:
        """The error of array `name`, which has `before` where the others need `fact`."""
        known = [f"{n} {text(f)}" for n in self.inputs if (f := self._facts[n]) and n != name]
        if len(known) > _MOST_SHOWN:
            known[_MOST_SHOWN:] = [f"{len(known) - _MOST_SHOWN} more"]
        others = ", ".join(known) or "the operator's parameters"
        error = MismatchError(
            f"{self._op}: {name} has {what} {text(before)}, but needs {text(fact)} beside {others}"
        )
        error.array = name
        return error


class Shapes(_Named[tuple[Dim, ...]]):
    """Partial shapes of one node's arrays.

    Attributes:
        most_elements: of an array; by default so that the bytes of any type are less than 2**63.
    """

    __slots__ = ()
    most_elements: ClassVar[float] = 2**60 - 1

    def _unified(self, name: str, before: PartialShape, fact: PartialShape) -> PartialShape:
        try:
            after = unify(before, None if fact is None else tuple(fact))
        except ShapeMismatch:
            raise self._mismatch(name, "shape", before, fact, shape_text) from None
        if before is not None and after is not None and _as_known(before) == _as_known(after):
            return before
        if after is not None:
            self._check_size(name, after)
        return after

    def _check_size(self, name: str, shape: tuple[Dim, ...]) -> None:
        """Refuses what no memory could hold, before anything is made of it."""
        known = [d for d in shape if d is not UNKNOWN]
        if any(d < 0 for d in known):
            raise self.fail(f"{name} has shape {shape_text(shape)}: no axis can be negative")
        if prod(known) > self.most_elements:
            raise self.fail(f"{name} has shape {shape_text(shape)}: too many elements")

    def full(self, name: str) -> tuple[int, ...]:
        """The shape of `name`, every dimension known; pauses otherwise."""
        shape = self[name]
        if not is_known(shape):
            raise Pause
        return shape

    def rank(self, name: str, *allowed: int) -> int:
        """The rank of `name`; raises unless it is one of `allowed` (when given)."""
        rank = len(self[name])
        if allowed and rank not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise MXNetError(
                f"{self._op}: {name} has shape {shape_text(self[name])}: "
                f"it must have {wanted} dimensions, not {rank}"
            )
        return rank

    def axis(self, name: str, axis: int, argument: str = "axis") -> int:
        """`axis` of array `name`, counted from the front; raises when it is out of range."""
        rank = len(self[name])
        if not -rank <= axis < rank:
            raise MXNetError(
                f"{self._op}: {argument}={axis}: {name} {shape_text(self[name])} has {rank} axes"
            )
        return axis % rank

    def fail(self, reason: str) -> MXNetError:
        """The error for a rule of this operator that does not hold."""
        return MXNetError(f"{self._op}: {reason}")

    def fail_of(self, error: Exception) -> MXNetError:
        """The error for what ATen refuses of inputs of these shapes."""
        shapes = ", ".join(f"{n}={shape_text(self.known(n))}" for n in self.inputs)
        return self.fail(f"{str(error).splitlines()[0]} ({shapes})")


def _as_known(shape: tuple[Dim, ...]) -> tuple[Any, ...]:
    return tuple(None if d is UNKNOWN else d for d in shape)


class UndecidedTypeError(MXNetError):
    """A rule needs an element type that nothing decides."""


class DTypes(_Named[torch.dtype]):
    """Element types of one node's arrays."""

    __slots__ = ()

    def demand(self, name: str) -> None:
        """Makes sure that the type of an array is known.

        Raises:
            UndecidedTypeError: it is not.
        """
        if self.known(name) is None:
            raise UndecidedTypeError(f"{self._op}: {name}: its type must be given")

    def _unified(
        self, name: str, before: torch.dtype | None, fact: torch.dtype | None
    ) -> torch.dtype | None:
        if fact is None or before is fact:
            return before
        if before is not None:
            raise self._mismatch(name, "type", before, fact, dtype_name)
        return fact
