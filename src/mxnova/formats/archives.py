# SPDX-License-Identifier: Apache-2.0
"""Compressed files of others: zip, tar and gzip, as Python's library reads them."""

from __future__ import annotations

import contextlib
import errno
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from mxnova.core.base.errors import FormatError, MXNetError

__all__ = ["BoundedReader", "copy_at_most", "unpacking"]

# RuntimeError: a password is needed; NotImplementedError: an unknown compression.
_REASONS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, struct.error,
    EOFError, KeyError, RuntimeError, ValueError,
)  # fmt: skip
_OF_BYTES = (None, errno.EINVAL)  # gzip's own errors; places before the beginning of the file


@contextlib.contextmanager
def unpacking(archive: str, advice: str = "") -> Iterator[None]:
    """A block that reads the compressed file `archive`.

    Args:
        archive: what errors call it.
        advice: what to do about one that is damaged.

    Raises:
        FormatError: a library stumbled over its bytes.
        OSError: a file cannot be read or written.
    """
    try:
        yield
    except MXNetError:
        raise
    except (OSError, *_REASONS) as error:
        if isinstance(error, OSError) and error.errno not in _OF_BYTES:
            raise
        raise FormatError(f"{archive}: damaged: {error}{advice}") from None


_AT_ONCE = 1 << 20  # bytes


class BoundedReader:
    """A stream that is decompressed, no further than to a place, and in small steps.

    Args:
        file: the stream.
        most: bytes that may come out of it.
    """

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most

    def read(self, size: int = -1) -> bytes:
        """The next bytes.

        Raises:
            FormatError: they are more than anybody needs.
        """
        if not 0 <= size <= _AT_ONCE:
            raise FormatError(f"a piece of {size} bytes, expected at most {_AT_ONCE}")
        self._check(self._file.tell() + size)
        return self._file.read(size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Goes to a place."""
        if whence == 0:
            self._check(offset)
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()

    def _check(self, end: int) -> None:
        if end > self._most + _AT_ONCE:  # archives end in padding
            raise FormatError(f"it unpacks to {end} bytes and more, expected at most {self._most}")


def copy_at_most(source: IO[bytes], target: IO[bytes], most: int, name: str) -> None:
    """Copies what is left of a stream.

    Raises:
        FormatError: that is more than `most` bytes.
    """
    left = most
    while piece := source.read(1 << 16):
        left -= len(piece)
        if left < 0:
            raise FormatError(f"{name} unpacks to more than {most} bytes")
        target.write(piece)
