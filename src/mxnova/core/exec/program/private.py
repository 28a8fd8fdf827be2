# SPDX-License-Identifier: Apache-2.0
"""Operators that no user can name: graph passes and backends put them into graphs."""

from __future__ import annotations

from typing import TypeVar

from ...op.schema import Op, OpType

__all__ = ["private_operator"]

T = TypeVar("T", bound=type[Op])


def private_operator(cls: T) -> T:
    """Class decorator: an operator under no public name, each instance equal to itself only.

    Its values are tensors, graphs or operators, which compare element by element or at length.
    """
    cls.type = OpType([f"_{cls.__name__.lstrip('_')}"], cls, cls.forward)
    cls.__eq__ = object.__eq__  # type: ignore[method-assign]
    cls.__hash__ = object.__hash__  # type: ignore[method-assign]
    return cls
