# SPDX-License-Identifier: Apache-2.0
"""Rules for the storage types of gradients, by which executors make the arrays they go to.

A rule takes the operator, the storage types of its outputs' gradients and those of its inputs, and
gives those of the inputs' gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from .schema import Op

__all__ = ["GradientStypes", "as_equal_head", "as_head", "as_input"]

Stypes: TypeAlias = Sequence[str]
GradientStypes: TypeAlias = Callable[["Op", Stypes, Stypes], tuple[str, ...]]


def as_head(op: Op, heads: Stypes, stypes: Stypes) -> tuple[str, ...]:
    """Each input's gradient is stored as that of the output."""
    return (heads[0],) * len(stypes)


def as_equal_head(op: Op, heads: Stypes, stypes: Stypes) -> tuple[str, ...]:
    """The gradient is stored as that of the output where the input is stored so too."""
    return (heads[0] if heads[0] == stypes[0] else "default",) * len(stypes)


def as_input(op: Op, heads: Stypes, stypes: Stypes) -> tuple[str, ...]:
    """The gradient is zero, in the storage of the input."""
    return tuple(stypes)
