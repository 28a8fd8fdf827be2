# SPDX-License-Identifier: Apache-2.0
"""What arrays that share memory have in common."""

from __future__ import annotations

import threading

from ..base import env
from ..runtime.context import Context
from ..runtime.engine import RUNNING, Var

__all__ = ["CHECKS_ACCESS", "Chunk", "ReadOnlyChunk", "new_chunk"]

_lock = threading.Lock()

# Whether operations of the engine are held to the vars that they declare.
CHECKS_ACCESS: bool = env.get("MXNOVA_CHECK_ENGINE_ACCESS")


class Chunk:
    """The memory behind an array and its views.

    Attributes:
        context: where the memory is.
        foreign: whether others (NumPy, a DLPack consumer) may write to it behind our back, so that
            nothing derived from its content may be kept.
        writable: whether in-place operators work.
    """

    __slots__ = ("_var", "context", "foreign")

    writable = True
    _var: Var | None

    def __init__(self, context: Context, foreign: bool = False) -> None:
        self.context = context
        self.foreign = foreign
        self._var = None

    @property
    def var(self) -> Var:
        """What the engine's operations on this memory depend on; made when first asked for."""
        if self._var is None:
            with _lock:
                self._var = self._var or Var()
        return self._var


class _CheckedChunk(Chunk):
    """Memory whose var knows the operation that made it."""

    __slots__ = ()

    def __init__(self, context: Context, foreign: bool = False) -> None:
        super().__init__(context, foreign)
        if RUNNING.task is not None:
            self.var.maker = RUNNING.task


class ReadOnlyChunk(Chunk):
    """The memory behind arrays that in-place operators refuse to write to."""

    __slots__ = ()
    writable = False


new_chunk: type[Chunk] = _CheckedChunk if CHECKS_ACCESS else Chunk
