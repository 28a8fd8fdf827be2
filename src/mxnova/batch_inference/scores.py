# SPDX-License-Identifier: Apache-2.0
"""The largest scores of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .reading import Array

__all__ = ["Score", "largest"]


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
