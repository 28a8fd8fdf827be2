# SPDX-License-Identifier: Apache-2.0
"""Hooks that observe each operator applied to symbols, and may replace its inputs.

The counterpart of the modes of arrays (`core.nd.modes`), for graphs while they are composed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..op.schema import Op
from .node import Entry

__all__ = ["COMPOSERS", "Composer"]


class Composer(Protocol):
    """Observes operators that are applied to symbols; thread-safe."""

    def composed(self, op: Op, inputs: Sequence[Entry]) -> list[Entry]:
        """Return the inputs of `op`, in place of `inputs`."""


COMPOSERS: list[Composer] = []
