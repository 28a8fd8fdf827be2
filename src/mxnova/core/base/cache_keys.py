# SPDX-License-Identifier: Apache-2.0
"""Identities of parameter values, for use in cache keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .parameter_types import NOT_GIVEN, attr_text

__all__ = ["EXACT", "identities", "identity"]

# Types whose values compare equal only where they mean the same, among values of one type.
EXACT = frozenset({int, str, bool, type(None), type(NOT_GIVEN), type})


def identity(value: Any) -> Any:
    """A hashable that two values share only if they read alike: 1, 1.0 and True differ, as do ±0.

    What is no plain value stands for its text.
    """
    kind = type(value)
    if kind in EXACT:
        return kind, value
    if kind is tuple:
        kinds = tuple(map(type, value))
        return (kinds, value) if EXACT.issuperset(kinds) else (kind, *map(identity, value))
    return kind, repr(value) if kind is float else attr_text(value)


def identities(values: Mapping[str, Any]) -> Any:
    """`identity` of all of `values` with their names."""
    kinds = tuple(map(type, values.values()))
    if EXACT.issuperset(kinds):
        return kinds, tuple(values.items())
    return tuple([(name, identity(value)) for name, value in values.items()])
