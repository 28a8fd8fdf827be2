# SPDX-License-Identifier: Apache-2.0
"""Which models a server serves, agreed upon by all of its processes.

Processes share a JSON file that is replaced as a whole; each looks at it, a system call, for every
request. A server of one process keeps the same in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..formats.atomic import replacing
from .settings import ModelSource

__all__ = ["Entry", "SharedState"]

Entries = Mapping[str, "Entry"]


@dataclass(frozen=True)
class Entry:
    """A model that is served.

    Attributes:
        source: where it is.
        generation: how often it was loaded.
    """

    source: ModelSource
    generation: int = 0


class SharedState:
    """Entries by name.

    Args:
        path: of the file; None: in memory only.
        initial: entries, where there is no file yet.
    """

    def __init__(self, path: Path | None, initial: Entries) -> None:
        self._path = path
        self._entries: Entries = dict(initial)
        self._seen: tuple[int, ...] = ()

    def entries(self) -> Entries:
        """What is served now."""
        if self._path is not None:
            try:
                facts = os.stat(self._path)
            except FileNotFoundError:
                return self._entries
            seen = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            if seen != self._seen:
                self._entries, self._seen = _read(self._path), seen
        return self._entries

    def change(self, change: Callable[[dict[str, Entry]], None]) -> None:
        """Applies `change` to the entries; processes do so one after the other."""
        if self._path is None:
            changed = dict(self._entries)
            change(changed)
            self._entries = changed
            return
        import fcntl  # not on Windows, where a server has one process

        with open(f"{self._path}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            changed = dict(self.entries())
            change(changed)
            with replacing(self._path) as file:
                file.write(json.dumps({n: asdict(e) for n, e in changed.items()}).encode())

    def reload(self, name: str, source: ModelSource) -> Entry:
        """Has all processes load a model, again if it is there."""
        made = Entry(source)

        def change(entries: dict[str, Entry]) -> None:
            nonlocal made
            if name in entries:
                made = replace(made, generation=entries[name].generation + 1)
            entries[name] = made

        self.change(change)
        return made

    def remove(self, name: str) -> None:
        """Has all processes forget a model."""

        def change(entries: dict[str, Entry]) -> None:
            entries.pop(name, None)

        self.change(change)


def _read(path: Path) -> dict[str, Entry]:
    told: dict[str, Any] = json.loads(path.read_bytes())
    return {name: _entry(fields) for name, fields in told.items()}


def _entry(fields: dict[str, Any]) -> Entry:
    source = ModelSource(**fields["source"])
    shapes = {name: tuple(shape) for name, shape in source.shapes.items()}
    return Entry(replace(source, shapes=shapes), fields["generation"])
