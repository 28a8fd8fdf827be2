# SPDX-License-Identifier: Apache-2.0
"""SHA-256 of the blocks of a file, so that a part of it can be checked without reading the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from mxnova.core.base.errors import FormatError, shown

__all__ = ["BLOCK", "BlockHasher", "FileHashes"]

BLOCK = 4 << 20
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class FileHashes:
    """What an index says of a file: its bytes, and the hash of each block of them."""

    size: int
    sha256: list[str]

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"size": self.size, "sha256": self.sha256}

    @classmethod
    def of(cls, value: Any, block: int) -> FileHashes:
        """What `plain` gave.

        Raises:
            FormatError: `value` is something else.
        """
        if not isinstance(value, dict) or set(value) != {"size", "sha256"}:
            raise FormatError(f"{shown(value)}: must have the fields size and sha256")
        size, hashes = value["size"], value["sha256"]
        if type(size) is not int or not 0 <= size < 1 << 60 or not isinstance(hashes, list):
            raise FormatError(f"{shown(value)}: must be a number of bytes with hashes")
        if len(hashes) != -(-size // block) or not all(map(_is_hash, hashes)):
            raise FormatError(f"{len(hashes)} hashes, or no hashes, of {size} bytes in {block}s")
        return cls(size, hashes)


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and _HEX.issuperset(value)


class BlockHasher:
    """Hashes blocks of what passes through it."""

    def __init__(self) -> None:
        self._size = 0
        self._hashes: list[str] = []
        self._current = hashlib.sha256()

    def passed(self, parts: Iterable[bytes | memoryview]) -> Iterator[memoryview]:
        """The parts, in pieces that end where blocks do."""
        for part in parts:
            rest = memoryview(part)
            while len(rest):
                piece = rest[: BLOCK - self._size % BLOCK]
                self._take(piece)
                yield piece
                rest = rest[len(piece) :]

    def _take(self, piece: memoryview) -> None:
        self._current.update(piece)
        self._size += len(piece)
        if not self._size % BLOCK:
            self._hashes.append(self._current.hexdigest())
            self._current = hashlib.sha256()

    def result(self) -> FileHashes:
        """Of all that has passed."""
        last = [self._current.hexdigest()] if self._size % BLOCK else []
        return FileHashes(self._size, [*self._hashes, *last])
