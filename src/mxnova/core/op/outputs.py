# SPDX-License-Identifier: Apache-2.0
"""Outputs of operators: names of as many as a parameter says, and tuples of results."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

__all__ = ["as_tuple", "lone", "numbered"]


@functools.lru_cache(maxsize=256)
def numbered(prefix: str, count: int) -> tuple[str, ...]:
    """``prefix0, prefix1, …``: names of a variable number of arrays."""
    return tuple([f"{prefix}{i}" for i in range(count)])


def lone(results: Sequence[Any]) -> Any:
    """Return the outputs as a forward returns them: a single one without a tuple."""
    return tuple(results) if len(results) != 1 else results[0]


def as_tuple(results: Any) -> tuple[Any, ...]:
    """Return the outputs of a forward as a tuple, also if there is only one."""
    return results if isinstance(results, tuple) else (results,)
