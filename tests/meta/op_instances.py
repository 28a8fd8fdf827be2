# SPDX-License-Identifier: Apache-2.0
"""Instances of any operator, without knowing what it does."""

from __future__ import annotations

from collections.abc import Iterator

import mxnova.operator  # noqa: F401 - registers custom_op
from mxnova.core.base.parameter_types import REQUIRED, BoolKind, EnumKind, IntKind, Kind
from mxnova.core.base.params import Field
from mxnova.core.op.schema import Op, OpType

__all__ = ["instances"]


def instances(type_: OpType) -> Iterator[Op]:
    """The operator at its defaults, then with one parameter changed: a flag, choice or integer."""
    required = {f.name: _some_text(f) for f in type_.fields if f.default is REQUIRED}
    yield type_.of(required)
    for field in type_.fields:
        for value in _values(field.kind):
            yield type_.of({**required, field.name: value})


def _some_text(field: Field) -> str:
    """Reads as a number, as text, and as a tuple of one."""
    if field.name == "op_type":
        return "custom_op"
    return field.kind.choices[0] if isinstance(field.kind, EnumKind) else "1"


def _values(kind: Kind) -> tuple[str, ...]:
    if isinstance(kind, EnumKind):
        return kind.choices
    if isinstance(kind, BoolKind):
        return ("False", "True")
    return ("2",) if isinstance(kind, IntKind) and kind.low <= 2 <= kind.high else ()
