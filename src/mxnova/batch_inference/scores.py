# SPDX-License-Identifier: Apache-2.0
"""The largest scores of a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .reading import Array

__all__ = ["Score", "json_value", "largest"]


@dataclass(frozen=True)
class Score:
    """A score: the number of its class, its name if it has one, and the value."""

    index: int
    label: str | None
    score: float

    def __str__(self) -> str:
        return f"{self.index}: {f'{self.label} ' if self.label is not None else ''}{self.score:.6g}"


def largest(row: Array, top: int, labels: Sequence[str] = ()) -> list[Score]:
    """The `top` largest scores of a vector; labels that are not as many are left out."""
    best = np.argsort(-row.astype(np.float64), kind="stable")[:top]
    names: Sequence[str | None] = labels if len(labels) == len(row) else [None] * len(row)
    return [Score(int(i), names[i], row[i].item()) for i in best]


def json_value(output: Array, top: int, labels: Sequence[str] = ()) -> Any:
    """An output of an item as JSON has it: of a vector the largest scores, else all numbers.

    Numbers that JSON lacks are words.
    """
    if output.ndim != 1:
        return _finite(output.tolist())
    scores = (asdict(score) for score in largest(output, top, labels))
    return [{k: _finite(v) for k, v in s.items() if v is not None} for s in scores]


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
