# SPDX-License-Identifier: Apache-2.0
"""Typed operator parameters: what declares them, whole sets of them, a printable doc.

A parameter is declared by a plain annotation: ``num_hidden: PosInt``, ``p: float = 0.5``,
``mode: Literal["clip", "wrap"] = "clip"``, ``axis: int | None = None``, ``kernel: Shape = ()``.
The kinds that annotations stand for are in `kinds`.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from .errors import ArgumentError, UnknownDTypeError, argument_error, candidates, shown
from .parameter_types import (
    NOT_GIVEN,
    REQUIRED,
    BoolKind,
    EnumKind,
    FloatKind,
    IntKind,
    Kind,
    OptionalKind,
    ShapeKind,
    StrKind,
    TupleKind,
)

__all__ = [
    "AnyCount",
    "Count",
    "Double",
    "Doubles",
    "Field",
    "Floats",
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
    "StructuralDoubles",
    "StructuralFloat",
    "StructuralFloats",
    "UInt",
    "ULong",
    "bounded",
    "describe",
    "doc_of_arguments",
    "fields_of",
    "kind_of",
    "parse_attrs",
    "parse_field",
]


MAX_COUNT = 16_384

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
StructuralFloat = Annotated[float, FloatKind(is_number=False)]
StructuralDouble = Annotated[float, FloatKind("double", is_number=False)]
StructuralDoubles = Annotated[tuple[float, ...], TupleKind(FloatKind("double", is_number=False))]
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
        kind_of_error = UnknownDTypeError if field.name == "dtype" else ArgumentError
        reason = f"{error}{_OF_ARRAYS if hasattr(value, 'asnumpy') else ''}"
        raise argument_error(op, field.name, value, reason, kind_of_error) from None


_OF_ARRAYS = " (int(x) or float(x) makes a number of an array with one element)"


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
