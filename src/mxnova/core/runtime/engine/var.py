# SPDX-License-Identifier: Apache-2.0
"""Var: what operations depend on. Reads of it run in parallel, writes alone and in push order."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bulk import Bulk
    from .failures import Failure
    from .operation import Task

__all__ = ["Var"]


class Var:
    """The name of something that operations read and write; only the scheduler changes it.

    Attributes:
        name: what errors call it.
        version: how many writes have finished.
        uses: how many operations that read or write it are pushed and not finished.
        writes: how many of these write it.
        failure: of the operation that should have written it last; matters until it is raised.
        bulk: what gathers an operation on it that is not pushed yet.
        deleted: whether `delete_variable` had it.
        maker: the operation that made the array it belongs to; known only while access is checked.
    """

    __slots__ = (
        "__weakref__",
        "_readers",
        "_waiting",
        "_writing",
        "bulk",
        "deleted",
        "failure",
        "maker",
        "name",
        "uses",
        "version",
        "writes",
    )

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.maker: Task | None = None
        self.failure: Failure | None = None
        self.version = 0
        self.deleted = False
        self.reset()

    def reset(self) -> None:
        """Forgets all operations."""
        self.uses = self.writes = self._readers = 0
        self._writing = False
        self._waiting: deque[tuple[Task, bool]] = deque()
        self.bulk: Bulk | None = None

    def __repr__(self) -> str:
        return self.name or f"var {id(self):#x}"

    def join(self, task: Task, write: bool) -> bool:
        """Puts `task` in line; returns whether it is its turn already."""
        self.uses += 1
        self.writes += write
        if self._writing or self._waiting or (write and self._readers):
            self._waiting.append((task, write))
            return False
        if write:
            self._writing = True
        else:
            self._readers += 1
        return True

    def leave(self, write: bool) -> Sequence[Task]:
        """Takes a finished task out; returns those whose turn it is now."""
        self.uses -= 1
        if write:
            self.writes -= 1
            self.version += 1
            self._writing = False
        else:
            self._readers -= 1
        waiting = self._waiting
        if not waiting or self._readers:
            return ()
        if waiting[0][1]:
            self._writing = True
            return (waiting.popleft()[0],)
        turn = []
        while waiting and not waiting[0][1]:
            turn.append(waiting.popleft()[0])
        self._readers = len(turn)
        return turn
