# SPDX-License-Identifier: Apache-2.0
"""Compressed files of others: zip, tar and gzip, as Python's library reads them."""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from mxnova.core.base.errors import FormatError, MXNetError

__all__ = ["MOST_HEADERS", "copy_at_most", "tar_files", "tar_members", "unpacking"]

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


MOST_HEADERS = 1 << 20  # bytes; tarfile keeps an object of each, and sets of names and sizes


class _Headers:
    """The headers in a tar stream that is decompressed: what lies between them is skipped.

    Args:
        file: the stream.
        most: bytes that may come out of it.
    """

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self._most = file, most
        self._left = MOST_HEADERS

    def read(self, size: int) -> bytes:
        """The next bytes.

        Raises:
            FormatError: no archive that anybody needs has so many.
        """
        if not 0 <= size <= self._left:
            raise FormatError(f"more than {MOST_HEADERS} bytes of headers")
        self._left -= size
        return self._file.read(size)

    def seek(self, offset: int) -> int:
        """Goes to a place.

        Raises:
            FormatError: it is too far.
        """
        if offset > self._most + MOST_HEADERS:
            raise FormatError(f"it unpacks to more than {self._most} bytes")
        return self._file.seek(offset)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()


def tar_members(file: IO[bytes], most: int) -> Iterator[tarfile.TarInfo]:
    """What a tar stream holds: files, folders, links and whatever else.

    Args:
        file: the stream, which is decompressed.
        most: bytes that may come out of it, beside headers.

    Raises:
        FormatError: more would.
    """
    headers: Any = _Headers(file, most)
    with tarfile.open(fileobj=headers, mode="r:") as tar:
        yield from tar


def tar_files(file: IO[bytes], most: int) -> Iterator[tuple[str, int]]:
    """Names, without folders, and sizes of a tar stream's plain files.

    When one is given, `file` stands at its first byte.

    Args:
        file: the stream, which is decompressed.
        most: bytes that may come out of it, beside headers.

    Raises:
        FormatError: more would.
    """
    for member in tar_members(file, most):
        if member.isreg() and not member.issparse():
            file.seek(member.offset_data)
            yield os.path.basename(member.name), member.size


def copy_at_most(
    source: IO[bytes], target: IO[bytes], most: int, name: str, size: int | None = None
) -> None:
    """Copies what is left of a stream, or `size` bytes.

    Raises:
        FormatError: that is more than `most` bytes, or the stream ends before.
    """
    if size is not None and size > most:
        raise FormatError(f"{name} unpacks to more than {most} bytes")
    left = most if size is None else size
    while left and (piece := source.read(min(left, 1 << 16))):
        left -= len(piece)
        target.write(piece)
    if size is None and source.read(1):
        raise FormatError(f"{name} unpacks to more than {most} bytes")
    if size is not None and left:
        raise FormatError(f"{name} ends {left} bytes before its end")
