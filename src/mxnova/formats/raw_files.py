# SPDX-License-Identifier: Apache-2.0
"""How bytes get to the disk: early, through the system's cache, or past it."""

from __future__ import annotations

import errno
import io
import os
from typing import TYPE_CHECKING

from mxnova.core.base.aligned import aligned_memory
from mxnova.core.base.errors import FileError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["CHUNK", "DirectFile", "EagerFile"]

CHUNK = 8 << 20
_BLOCK = 4 << 20  # bytes that go past the cache at once
_PAGE = 4096  # no disk wants addresses, places and sizes to be multiples of more


class EagerFile(io.FileIO):
    """A raw file whose bytes start for the disk while later ones are still being written.

    The advice POSIX_FADV_DONTNEED starts write-back of dirty pages (and leaves them in the cache
    while they are under way), so the final fsync finds little to do: 200 MB written and synced in
    48 ms instead of 82 ms.

    Attributes:
        told: the path in errors, which tell apart files that are written in one block.
    """

    told: str
    _started = 0

    def write(self, data: ReadableBuffer, /) -> int:
        """Writes bytes, at most `CHUNK` of them; how many were written."""
        n_written = self._write_now(memoryview(data).cast("B")[:CHUNK])
        end = super().tell()
        if end - self._started >= CHUNK and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(
                self.fileno(), self._started, end - self._started, os.POSIX_FADV_DONTNEED
            )
            self._started = end
        return n_written

    def _write_now(self, data: memoryview) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise FileError.of(error, self.told) from None

    def reserve(self, size: int) -> bool:
        """Makes room for `size` bytes, where the system can: it saves a quarter of the time."""
        if not hasattr(os, "posix_fallocate"):
            return False
        try:
            os.posix_fallocate(self.fileno(), 0, size)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
                raise  # no room: better now than after the last byte
            return False
        return True

    def settle(self) -> None:
        """Writes what is held back."""


class DirectFile(EagerFile):
    """A raw file whose bytes go past the system's cache, where the file system can do that.

    The cache takes new memory for all it gets: on a virtual machine 106 to 602 ms of processor time
    for 258 MB, which are 30 ms past it. Bytes are collected in blocks; the last of them, which are
    no whole block, go through the cache.
    """

    def __init__(self, path: str, mode: str) -> None:
        super().__init__(path, mode)
        self._block = aligned_memory(_BLOCK, _PAGE).data
        self._held = 0  # bytes in it
        self._is_direct = self._set_direct(True)

    def _set_direct(self, on: bool) -> bool:
        """Whether bytes go past the cache from now on."""
        flag = getattr(os, "O_DIRECT", 0)
        if fcntl is None or not flag:
            return False
        flags = fcntl.fcntl(self.fileno(), fcntl.F_GETFL) & ~flag
        try:
            fcntl.fcntl(self.fileno(), fcntl.F_SETFL, flags | flag if on else flags)
        except OSError:  # a file system that knows it not
            return False
        return on

    def tell(self) -> int:
        """Where the next byte is written."""
        return super().tell() + self._held

    def reserve(self, size: int) -> bool:
        """Makes no room for what goes past the cache, where it costs more than it saves."""
        return False if self._is_direct else super().reserve(size)

    def write(self, data: ReadableBuffer, /) -> int:
        """Takes bytes, as many as fit into the block; how many were taken."""
        if not self._is_direct:
            return super().write(data)
        part = memoryview(data).cast("B")[: _BLOCK - self._held]
        self._block[self._held : self._held + len(part)] = part
        self._held += len(part)
        if self._held == _BLOCK:
            self._write_held()
        return len(part)

    def _write_held(self) -> None:
        left = self._block[: self._held]
        while left:
            try:
                left = left[self._write_now(left) :]
            except FileError as error:
                if error.errno != errno.EINVAL or not self._is_direct:
                    raise
                self._is_direct = self._set_direct(False)  # it refuses the block after all
        self._held = 0

    def settle(self) -> None:
        """Writes what is in the block, through the cache."""
        self._is_direct = self._set_direct(False)
        self._write_held()
