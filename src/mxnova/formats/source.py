# SPDX-License-Identifier: Apache-2.0
"""The bytes that a reader works on, and the bound on what it may allocate for them."""

from __future__ import annotations

import mmap
import os
import stat
import sys
from typing import BinaryIO, TypeAlias

from mxnova.core.base.errors import ArgumentTypeError, FormatError, MXNetError

__all__ = ["Readable", "Source", "require_little_endian"]

Readable: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO"

_SLACK = 15 << 20  # of the 16 MiB that are promised: the last one is for temporaries


class Source:
    """The bytes of a path, a buffer or a stream, with a name for messages and a memory budget.

    A path is mapped copy-on-write: nothing is read before it is touched, and what is written to
    the map never reaches the file. A file that is truncated in place while it is mapped makes
    later access fail with a signal; files that are replaced as a whole, as `atomic.replacing`
    does, are safe. A buffer is used where it lies. A stream is read to its end first.

    Reading takes no more memory than the size of the bytes plus 16 MiB: readers `charge` what they
    allocate, so that a small hostile file cannot become a large amount of memory.
    """

    __slots__ = ("_left", "_limit", "name", "view")

    def __init__(self, source: Readable) -> None:
        self.name, self.view = _open(source)
        self._limit = len(self.view) + _SLACK
        self._left = [self._limit]

    def part(self, name: str, view: memoryview) -> Source:
        """A source within this one, which spends the same budget."""
        part = Source(view)
        part.name, part._limit, part._left = f"{self.name}: {name}", self._limit, self._left
        return part

    def charge(self, n_bytes: int, place: str, offset: int | None = None) -> None:
        """Takes `n_bytes` from the budget.

        Raises:
            FormatError: the budget is spent.
        """
        self._left[0] -= n_bytes
        if self._left[0] < 0:
            raise self.error(
                place, offset, f"reading takes more than {self._limit} bytes of memory"
            )

    def error(self, place: str, offset: int | None, reason: str) -> FormatError:
        """The error ``FILE: array 3 at offset 1234: reason``."""
        where = place if offset is None else f"{place} at offset {offset}"
        return FormatError(f"{self.name}: {where}: {reason}")


def require_little_endian() -> None:
    """Refuses hosts whose numbers are not laid out as MXNet's files store them.

    Raises:
        MXNetError: this host is big-endian.
    """
    if sys.byteorder != "little":
        raise MXNetError("MXNet's array files are little-endian; this host is big-endian")


def _open(source: Readable) -> tuple[str, memoryview]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<{type(source).__name__}>", memoryview(source).cast("B")
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return path, _map(path)
    if hasattr(source, "read"):
        content = source.read()
        if isinstance(content, (bytes, bytearray)):
            return str(getattr(source, "name", f"<{type(source).__name__}>")), memoryview(content)
    raise ArgumentTypeError(f"source={source!r}: expected a path, bytes or a binary stream")


def _map(path: str) -> memoryview:
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
        return memoryview(file.read())
