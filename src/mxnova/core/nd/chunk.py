# SPDX-License-Identifier: Apache-2.0
"""What arrays that share memory have in common."""

from __future__ import annotations

from ..runtime.context import Context

__all__ = ["Chunk"]


class Chunk:
    """The memory behind an array and its views.

    Attributes:
        context: where the memory is.
        foreign: whether others (NumPy, a DLPack consumer) may write to it behind our back, so that
            nothing derived from its content may be kept.
    """

    __slots__ = ("context", "foreign")

    def __init__(self, context: Context, foreign: bool = False) -> None:
        self.context = context
        self.foreign = foreign
