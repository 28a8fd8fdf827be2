# SPDX-License-Identifier: Apache-2.0
"""What sees every operator that is applied to symbols, and may change what it reads.

The counterpart of the modes of arrays (`core.nd.modes`), for graphs while they are composed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..op.record import Op
from .node import Entry

__all__ = ["COMPOSERS", "Composer"]


class Composer(Protocol):
    """Sees operators that are applied to symbols, in any thread."""

    def composed(self, op: Op, inputs: Sequence[Entry]) -> list[Entry]:
        """What `op` is to read instead of `inputs`."""


COMPOSERS: list[Composer] = []
