# SPDX-License-Identifier: Apache-2.0
"""Kinds of operator parameters: text -> value -> text, with bounds.

Text is read as MXNet reads it ("True", "1"; "(3, 3)", "[3,3]", "(3L, 3L)"; "0.5f"), and C++ `float`
is rounded to float32, so that a default of 0.9 prints as 0.899999976.
"""

from __future__ import annotations

import re
import struct
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .errors import ArgumentTypeError, candidates
from .shapes import parse_shape

__all__ = ["NOT_GIVEN", "REQUIRED", "Kind", "attr_text"]


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Any = _Required()


class _NullType:
    def __repr__(self) -> str:
        return "_Null"


NOT_GIVEN: Any = _NullType()  # stands for an argument left out; MXNet's name for it is _Null


class Kind:
    """How one type of parameter is read and printed.

    Attributes:
        label: MXNet's name for the type.
        is_number: whether it only enters the arithmetic, so that operators which differ in it run
            the same code on the same shapes; otherwise it is part of an operator's structure.
    """

    label: str
    is_number: bool = False

    def form(self, value: Any) -> Any:
        """What of a number is structure: None, unless it may be absent or holds several."""
        return None

    def parse(self, value: Any) -> Any:
        """The typed value of `value`, text or Python object.

        Raises:
            ValueError: it is none; the text says what was expected.
        """
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """`value` as MXNet prints it."""
        return str(value)

    def __repr__(self) -> str:
        return self.label


_INT = re.compile(r"\s*([+-]?\d+)\s*")
_FLOAT = re.compile(
    r"\s*([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))f?", re.IGNORECASE
)


class BoolKind(Kind):
    """``boolean``: true, false, 1 or 0, in any case."""

    label = "boolean"
    _values: typing.ClassVar = {"true": True, "1": True, "false": False, "0": False}

    def parse(self, value: Any) -> bool:
        if value is True or value is False:
            return bool(value)
        found = self._values.get(str(value).lower())
        if found is None:
            raise ValueError("must be true or false")
        return found

    def text(self, value: Any) -> str:
        return str(int(value))


@dataclass(frozen=True, repr=False)
class IntKind(Kind):
    """``int``, ``long`` and their non-negative forms, within [low, high]."""

    label: str = "int"
    low: int = -(2**31)
    high: int = 2**31 - 1
    is_number: bool = False

    def parse(self, value: Any) -> int:
        if type(value) is not int:
            match = _INT.fullmatch(str(value))
            if match is None:
                raise ValueError(f"must be {_article(self.label)}")
            value = int(match[1])
        if value < self.low:
            raise ValueError(f"must be >= {self.low}")
        if value > self.high:
            raise ValueError(f"must be <= {self.high}")
        return int(value)


def _single(number: float) -> float:
    """A number as float32 has it."""
    try:
        rounded: float = _FLOAT32.unpack(_FLOAT32.pack(number))[0]
    except OverflowError:
        raise ValueError("is out of the range of a float") from None
    if rounded == 0.0 and number:
        raise ValueError("is out of the range of a float")
    return rounded


_FLOAT32 = struct.Struct("<f")


@dataclass(frozen=True, repr=False)
class FloatKind(Kind):
    """``float`` (kept at float32 precision) and ``double``, within [low, high]."""

    label: str = "float"
    low: float = float("-inf")
    high: float = float("inf")
    is_number: bool = True

    def parse(self, value: Any) -> float:
        number = value if type(value) is float else self._read(str(value))
        if self.label == "float":
            number = _single(number)
        if number < self.low:
            raise ValueError(f"must be >= {self.low:g}")
        if number > self.high:
            raise ValueError(f"must be <= {self.high:g}")
        return number

    def _read(self, text: str) -> float:
        match = _FLOAT.fullmatch(text)
        if match is None:
            raise ValueError("must be a number")
        number = float(match[1])
        if number in (float("inf"), float("-inf")) and "n" not in text.lower():
            raise ValueError(f"is out of the range of a {self.label}")
        return number

    def text(self, value: Any) -> str:
        return f"{value:.{9 if self.label == 'float' else 17}g}"


class StrKind(Kind):
    """``string``."""

    label = "string"

    def parse(self, value: Any) -> str:
        return attr_text(value)


@dataclass(frozen=True, repr=False)
class EnumKind(Kind):
    """One of a few names; with `optional`, also None."""

    choices: tuple[str, ...]
    optional: bool = False

    @property
    def label(self) -> str:  # type: ignore[override]
        names = [repr(c) for c in sorted(self.choices)]
        return "{" + ", ".join(["None", *names] if self.optional else names) + "}"

    def parse(self, value: Any) -> str | None:
        text = attr_text(value)
        if text in self.choices:
            return text
        if self.optional and text == "None":
            return None
        raise ValueError(f"must be one of {self.label}{candidates(text, self.choices)}")


@dataclass(frozen=True, repr=False)
class ShapeKind(Kind):
    """``Shape(tuple)``: a tuple of integers, a lone integer being a tuple of one.

    MXNet reads None as a shape without rank, which most operators refuse and the others take for
    the default; here it always stands for the default, `none`.
    """

    label = "Shape(tuple)"
    none: Any = REQUIRED
    is_number: bool = False

    def form(self, value: Any) -> Any:
        return value if value is None else len(value)

    def parse(self, value: Any) -> tuple[int, ...] | None:
        if type(value) is tuple and all(type(d) is int for d in value):
            return value
        try:
            shape = parse_shape(attr_text(value))
        except ValueError:
            raise ValueError("must be a tuple of integers") from None
        if shape is not None:
            return shape
        if self.none is REQUIRED:
            raise ValueError("must be a tuple of integers")
        return typing.cast("tuple[int, ...] | None", self.none)

    def text(self, value: Any) -> str:
        return "None" if value is None else "[" + ",".join(map(str, value)) + "]"


@dataclass(frozen=True, repr=False)
class TupleKind(Kind):
    """A tuple of `item`; a lone item is a tuple of one."""

    item: Kind
    name: str = ""

    @property
    def label(self) -> str:  # type: ignore[override]
        return self.name or f"tuple of <{self.item.label}>"

    @property
    def is_number(self) -> bool:  # type: ignore[override]
        return self.item.is_number

    def form(self, value: Any) -> Any:
        return len(value)

    def parse(self, value: Any) -> tuple[Any, ...]:
        parse = self.item.parse
        try:
            return tuple([parse(v) for v in _split(value)])
        except ValueError as error:
            raise ValueError(f"must be a {self.label}: an item {error}") from None

    def text(self, value: Any) -> str:
        # The numbers of a tuple print with six digits, those of lone parameters with all.
        write = "{:g}".format if isinstance(self.item, FloatKind) else self.item.text
        return "[" + ",".join(map(write, value)) + "]"


@dataclass(frozen=True, repr=False)
class OptionalKind(Kind):
    """`item`, or None."""

    item: Kind

    @property
    def label(self) -> str:  # type: ignore[override]
        name = "Shape" if isinstance(self.item, ShapeKind) else self.item.label
        return f"{name} or None"

    @property
    def is_number(self) -> bool:  # type: ignore[override]
        return self.item.is_number

    def form(self, value: Any) -> Any:
        return value is not None and (self.item.form(value),)

    def parse(self, value: Any) -> Any:
        absent = value is None or (isinstance(value, str) and value == "None")
        return None if absent else self.item.parse(value)

    def text(self, value: Any) -> str:
        return "None" if value is None else self.item.text(value)


def _article(label: str) -> str:
    return {"int": "an integer", "long": "an integer"}.get(label, f"an integer ({label})")


def _split(value: Any) -> Iterable[Any]:
    """The items of a tuple given as such or as text, one level of brackets deep or nested."""
    if not isinstance(value, str):
        is_number = (
            getattr(value, "ndim", None) == 0
        )  # of an array, which has an iterator all the same
        return value if isinstance(value, Iterable) and not is_number else (value,)
    text = value.strip()
    if not text:
        raise ValueError("is missing")
    if text[0] not in "([" or text[-1] not in ")]":
        if "," in text:
            raise ValueError("lacks its brackets")
        return (text,)
    items, depth, start = [], 0, 1
    for at in range(1, len(text)):
        c = text[at]
        if (c == "," and depth == 0) or at == len(text) - 1:
            items.append(text[start:at].strip())
            start = at + 1
        depth += (c in "([") - (c in ")]")
    if items and not items[-1]:
        items.pop()
    return items


def attr_text(value: Any) -> str:
    """`value` as MXNet's Python front end writes it into a node: ``str``, dtypes by name."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        try:
            items = ", ".join(map(attr_text, value))
        except RecursionError:
            raise ArgumentTypeError("lists nest too deep in a parameter") from None
        if isinstance(value, list):
            return f"[{items}]"
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, type) or (hasattr(value, "itemsize") and hasattr(value, "kind")):
        return _dtype_name(value)
    if getattr(value, "ndim", 0) and hasattr(value, "tolist"):  # its text has no commas, and is cut
        return attr_text(tuple(value.tolist()))
    return str(value)


def _dtype_name(value: Any) -> str:
    from .dtypes import dtype_of  # NumPy: who reads variables of the environment need not wait

    return dtype_of(value).name
