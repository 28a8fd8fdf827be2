# SPDX-License-Identifier: Apache-2.0
"""Forwards of operators in calls that torch can trace, where their own read values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.op.record import Op

__all__ = ["traceable", "traceable_forward"]

Forward = Callable[..., Any]
_FORWARDS: dict[type[Op], Callable[[Any], Forward]] = {}


def traceable_forward(op: Op, train: bool) -> Forward:
    """The forward of `op` for modules."""
    return op.forward
