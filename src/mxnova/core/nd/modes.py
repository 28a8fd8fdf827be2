# SPDX-License-Identifier: Apache-2.0
"""Modes: what sees every operator that a thread runs on arrays, and may change it.

Casting to lower precision, drawing a graph of what runs, other semantics of an operator: each is a
mode. While a mode deals with an operator it is out of force itself, so that what it invokes goes to
the modes around it, and in the end to the kernel. A mode is in force inside its block, or from
`everywhere` on in all threads, around every block.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from ..op.schema import Op
from ..runtime.slow_path import SLOW_PATH
from .base_array import BaseArray

__all__ = ["MODES", "Mode"]


class Mode:
    """In force inside its ``with`` block, in this thread; blocks nest, the innermost sees first.

    Attributes:
        wants_operators: whether hybridized blocks run operator by operator inside it, and
            executors are handed to its `monitor`.
    """

    wants_operators = False

    def invoke(self, op: Op, arrays: Sequence[BaseArray], out: Any, **how: Any) -> Any:
        """The result of `op` on `arrays`.

        Args:
            op: the operator.
            arrays: its inputs, in order.
            out: array, or list of arrays, for the results.
            how: further arguments of `dispatch.invoke`, by which to go on.
        """
        raise NotImplementedError(f"{type(self).__name__}.invoke")

    def everywhere(self) -> None:
        """Puts it in force in all threads, inside what is in force everywhere already, for good."""
        MODES.everywhere.append(self)
        SLOW_PATH.add(_Reason())

    def __enter__(self) -> Mode:
        reason = _Reason()
        SLOW_PATH.add(reason)  # if Ctrl-C comes behind it, calls are slower from then on, and right
        MODES.reasons += (reason,)
        MODES.stack += (self,)
        return self

    def __exit__(self, *_error: object) -> None:
        MODES.stack.pop()
        SLOW_PATH.discard(MODES.reasons.pop())


class _Reason:
    """One block of a mode; other threads may be inside others of the same mode."""

    def leave_if_idle(self) -> None:
        """Stays until the end of the block."""


class _Modes(threading.local):
    """The modes in force: those of this thread inside those of all, the innermost last.

    Attributes:
        everywhere: those of all threads.
        left: how many of them this thread is outside of, since they deal with an operator.
        stack: those of this thread.
    """

    everywhere: ClassVar[list[Mode]] = []

    def __init__(self) -> None:
        self.left = 0
        self.stack: list[Mode] = []
        self.reasons: list[_Reason] = []

    def __bool__(self) -> bool:
        return bool(self.stack) or self.left < len(self.everywhere)

    def watchers(self) -> list[Any]:
        """Those of this thread that want to see operators inside graphs, too."""
        return [mode for mode in self.stack if mode.wants_operators]

    @contextmanager
    def outer(self) -> Iterator[Mode]:
        """A block in which the innermost mode, which it gives, is out of force."""
        if not self.stack:
            self.left += 1
            try:
                yield self.everywhere[-self.left]
            finally:
                self.left -= 1
            return
        mode = self.stack.pop()
        try:
            yield mode
        finally:
            self.stack.append(mode)


MODES = _Modes()
