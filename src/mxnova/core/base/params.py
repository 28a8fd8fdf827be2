# SPDX-License-Identifier: Apache-2.0
"""Typed operator parameters: text -> value -> text, bounds, enums, optionals, a printable doc.

A parameter is declared by a plain annotation: ``num_hidden: PosInt``, ``p: float = 0.5``,
``mode: Literal["clip", "wrap"] = "clip"``, ``axis: int | None = None``, ``kernel: Shape = ()``.
Text is read as MXNet reads it ("True", "1"; "(3, 3)", "[3,3]", "(3L, 3L)"; "0.5f"), and C++ `float`
is rounded to float32, so that a default of 0.9 prints as 0.899999976.
"""

from __future__ import annotations

import re
import struct
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from .errors import ArgumentError, ArgumentTypeError, argument_error, candidates, shown
from .shapes import parse_shape

__all__ = [
    "NOT_GIVEN",
    "REQUIRED",
    "AnyCount",
    "Count",
    "Double",
    "Doubles",
    "Field",
    "Floats",
    "Kind",
    "Layers",
    "Long",
    "Longs",
    "OptionalInts",
    "PosInt",
    "Shape",
    "Shapes",
    "StepCount",
    "StepCounts",
    "StructuralDouble",
    "StructuralFloats",
    "UInt",
    "ULong",
    "attr_text",
    "bounded",
    "describe",
    "doc_of_arguments",
    "fields_of",
    "identities",
    "identity",
    "kind_of",
    "parse_attrs",
    "parse_field",
]


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
_FLOAT32_MAX = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]


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
            number = self._rounded(number)
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

    def _rounded(self, number: float) -> float:
        try:
            rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            raise ValueError("is out of the range of a float") from None
        if rounded == 0.0 and number != 0.0:
            raise ValueError("is out of the range of a float")
        return rounded

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
        return value if isinstance(value, Iterable) else (value,)
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


MAX_COUNT = 16_384

# Annotations -------------------------------------------------------------------------------------

# fmt: off
UInt = Annotated[int, IntKind("int (non-negative)", 0, 2**32 - 1)]
Long = Annotated[int, IntKind("long", -(2**63), 2**63 - 1)]
ULong = Annotated[int, IntKind("long (non-negative)", 0, 2**64 - 1)]
PosInt = Annotated[int, IntKind("int", low=1)]
Double = Annotated[float, FloatKind("double")]
Shape = Annotated[tuple[int, ...], ShapeKind()]
Shapes = Annotated[tuple[tuple[int, ...], ...], TupleKind(ShapeKind())]
Floats = Annotated[tuple[float, ...], TupleKind(FloatKind())]
Doubles = Annotated[tuple[float, ...], TupleKind(FloatKind("double"))]
# Numbers of arrays, layers or parts: names and loops are made of them, so that they are bounded.
Count = Annotated[int, IntKind("int", 1, MAX_COUNT)]
AnyCount = Annotated[int, IntKind("int", high=MAX_COUNT)]
Layers = Annotated[int, IntKind("int (non-negative)", 0, MAX_COUNT)]
# Floats that shapes or the choice of code depend on.
StructuralDouble = Annotated[float, FloatKind("double", is_number=False)]
StructuralFloats = Annotated[tuple[float, ...], TupleKind(FloatKind(is_number=False))]
# Integers that enter the arithmetic only.
StepCount = Annotated[int, IntKind(is_number=True)]
StepCounts = Annotated[tuple[int, ...], ShapeKind(is_number=True)]
Longs = Annotated[tuple[int, ...], TupleKind(IntKind("long", -(2**63), 2**63 - 1))]
OptionalInts = Annotated[  # begin, end, step of `slice`: items may be None
    tuple[int | None, ...],
    TupleKind(OptionalKind(IntKind("int", -(2**63), 2**63 - 1)), "Shape(tuple)"),
]
# fmt: on

_PLAIN: dict[Any, Kind] = {
    bool: BoolKind(),
    int: IntKind(),
    float: FloatKind(),
    str: StrKind(),
}


def bounded(kind: Any, low: float | None = None, high: float | None = None) -> Any:
    """An annotation for a number from `low` to `high`, such as ``bounded(float, 0, 1)``."""
    base = kind_of(kind)
    limits = {k: v for k, v in (("low", low), ("high", high)) if v is not None}
    return Annotated[float, type(base)(**{**vars(base), **limits})]


def kind_of(annotation: Any) -> Kind:
    """The Kind that an annotation declares."""
    if isinstance(annotation, Kind):
        return annotation
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return typing.cast(Kind, args[1])
    if origin is Literal:
        return EnumKind(tuple(a for a in args if a is not None), optional=None in args)
    if origin in (Union, types.UnionType) and type(None) in args:
        inner = kind_of(next(a for a in args if a is not type(None)))
        if isinstance(inner, EnumKind):
            return EnumKind(inner.choices, optional=True)
        return OptionalKind(inner)
    raise TypeError(f"{annotation!r} declares no operator parameter")


@dataclass(frozen=True, slots=True)
class Field:
    """One declared parameter: name, kind, typed default (`REQUIRED` when it has none)."""

    name: str
    kind: Kind
    default: Any = REQUIRED

    @property
    def type_text(self) -> str:
        """MXNet's description, such as ``float, optional, default=0.5``."""
        if self.default is REQUIRED:
            return f"{self.kind.label}, required"
        text = self.kind.text(self.default)
        quoted = isinstance(self.kind, (IntKind, EnumKind, StrKind)) or (
            isinstance(self.kind, OptionalKind) and isinstance(self.kind.item, IntKind)
        )
        comma = "," if isinstance(self.kind, EnumKind) else ", "
        unquoted_int = isinstance(self.kind, IntKind) and self.kind.label != "int"
        return f"{self.kind.label}{comma}optional, default=" + (
            f"'{text}'" if quoted and not unquoted_int else text
        )


def fields_of(
    annotations: Mapping[str, Any], defaults: Mapping[str, Any], names: Iterable[str]
) -> tuple[Field, ...]:
    """Fields for `names`, in order, from resolved annotations and raw defaults."""
    return tuple(_field(name, annotations[name], defaults) for name in names)


def _field(name: str, annotation: Any, defaults: Mapping[str, Any]) -> Field:
    kind = kind_of(annotation)
    default = defaults.get(name, REQUIRED)
    if isinstance(kind, ShapeKind):
        kind = replace(kind, none=default)
    return Field(name, kind, default if default is REQUIRED else kind.parse(default))


# Telling values apart -----------------------------------------------------------------------------

# Types whose values compare equal only where they mean the same, among values of one type.
_EXACT = frozenset({int, str, bool, type(None), _NullType, type})


def identity(value: Any) -> Any:
    """A hashable that two values share only if they read alike: 1, 1.0 and True differ, as do ±0.

    What is no plain value stands for its text.
    """
    kind = type(value)
    if kind in _EXACT:
        return kind, value
    if kind is tuple:
        kinds = tuple(map(type, value))
        return (kinds, value) if _EXACT.issuperset(kinds) else (kind, *map(identity, value))
    return kind, repr(value) if kind is float else attr_text(value)


def identities(values: Mapping[str, Any]) -> Any:
    """`identity` of all of `values` with their names."""
    kinds = tuple(map(type, values.values()))
    if _EXACT.issuperset(kinds):
        return kinds, tuple(values.items())
    return tuple([(name, identity(value)) for name, value in values.items()])


# Text of values ----------------------------------------------------------------------------------


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


# Reading a whole attribute set -------------------------------------------------------------------


def parse_attrs(op: str, fields: Sequence[Field], attrs: Mapping[str, Any]) -> dict[str, Any]:
    """Typed values for all of `fields`, in order, from `attrs` (text or Python values).

    Names of the form ``__x__`` are attributes of the node, not of the operator, and are skipped.

    Raises:
        ArgumentError: an unknown, missing or unusable argument; the text names op and argument.
    """
    attrs = {name: value for name, value in attrs.items() if value is not NOT_GIVEN}
    # MXNet reads no attributes for an operator without parameters, so any pass.
    if fields:
        _refuse_unknown(op, fields, attrs)
    values: dict[str, Any] = {}
    for field in fields:
        if field.name in attrs:
            values[field.name] = parse_field(op, field, attrs[field.name])
        elif field.default is REQUIRED:
            raise ArgumentError(f"{op}: {field.name} ({field.type_text}) is missing")
        else:
            values[field.name] = field.default
    return values


def parse_field(op: str, field: Field, value: Any) -> Any:
    """The typed value of one parameter; raises ArgumentError."""
    kind = field.kind
    try:
        if isinstance(value, str) and "np." in value and not isinstance(kind, StrKind):
            value = _NUMPY_SCALAR.sub(_plain_scalar, value)
        return kind.parse(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise argument_error(op, field.name, value, str(error)) from None


# A NumPy scalar in the text of a list, as NumPy 2 writes it: np.float32(0.01), np.True_.
_NUMPY_SCALAR = re.compile(r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)")


def _plain_scalar(match: re.Match[str]) -> str:
    return (match[1] or match[2] or "").strip("'")


def _refuse_unknown(op: str, fields: Sequence[Field], attrs: Mapping[str, Any]) -> None:
    known = {f.name for f in fields}
    for name in attrs:
        if name not in known and not (str(name).startswith("__") and name.endswith("__")):
            listing = "; ".join(f"{f.name}: {f.type_text}" for f in fields)
            hint = candidates(name, known)
            raise ArgumentError(
                f"{op}: there is no argument {shown(name)}{hint} (it has: {listing})"
            )


def describe(fields: Iterable[Field], docs: Mapping[str, str] | None = None) -> str:
    """A printable list of `fields`: name, type, default and what `docs` says of each."""
    lines = []
    for field in fields:
        lines.append(f"{field.name} : {field.type_text}")
        if docs and field.name in docs:
            lines.append(f"    {docs[field.name]}")
    return "\n".join(lines)


@cache
def doc_of_arguments(docstring: str) -> dict[str, str]:
    """Argument name -> text, from the ``Args:`` section of a Google-style docstring."""
    section = re.search(r"^( *)Args:\n(.*?)(?:\n\s*\n|\Z)", docstring, re.S | re.M)
    if section is None:
        return {}
    margin = len(section[1]) + 4
    entries: dict[str, list[str]] = {}
    texts: list[str] = []
    for line in section[2].splitlines():
        entry = re.match(rf" {{{margin}}}(\w+)(?: \([^)]*\))?: (.*)", line)
        if entry is None:
            texts.append(line.strip())
        else:
            texts = entries[entry[1]] = [entry[2].strip()]
    return {name: " ".join(parts) for name, parts in entries.items()}
