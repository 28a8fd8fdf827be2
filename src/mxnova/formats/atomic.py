# SPDX-License-Identifier: Apache-2.0
"""Files that change as a whole: after a failure or a crash, a path holds old bytes or new ones."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from mxnova.core.base.errors import FileError

from .raw_files import CHUNK, DirectFile, EagerFile
from .remote.urls import is_remote, local_path
from .source import check_regular
from .temporary import temporary_file

__all__ = ["replacing", "sync_folder"]

_BUFFER = 1 << 16


@contextlib.contextmanager
def replacing(
    path: str | os.PathLike[str], size: int = 0, *, direct: bool = False
) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when the block ends, if it ends without an error.

    It grows beside the file that it replaces, and is on the disk (fsync) before it takes its name.
    A new file's permissions follow the umask, an old file's are kept, a symbolic link stays and
    its target is replaced. What processes that were killed in here left in the folder is removed.

    An empty file, which has nothing to lose, is filled where it is: whoever made it may hold it
    open, as those do who made it by `tempfile`.

    The file in a store that a URL leads to is sent as a whole when the block ends.

    Args:
        path: of the file.
        size: how many bytes it will have, where that is known: room is made for them at once.
        direct: whether they go to the disk past the system's cache, where it can do that: for what
            is large, written beside other work, and not read soon.

    Raises:
        FileError: the file cannot be written, or `path` is a directory, a pipe or a device; what
            stood there is as it was.
    """
    if is_remote(path):
        from .remote import writing

        with writing.replacing(path) as file:
            yield file
        return
    path = local_path(path)
    target, old = _located(path)
    try:
        is_empty = old is not None and old.st_size == 0
        kind = DirectFile if direct and size >= CHUNK else EagerFile
        with _filling(target) if is_empty else _beside(target, old, size, kind) as file:
            file.raw.told = os.fsdecode(path)
            yield file
    except FileError:
        raise
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from error


@contextlib.contextmanager
def _beside(
    target: str, old: os.stat_result | None, size: int, kind: type[EagerFile]
) -> Iterator[_Buffered]:
    with temporary_file(os.path.dirname(target), kind) as raw:
        file = _Temporary(raw, _BUFFER)  # after an error it is never flushed: `raw` is closed first
        if old is not None:
            os.chmod(file.name, stat.S_IMODE(old.st_mode))
        file.reserve(size)
        yield file
        file.replace(target)


@contextlib.contextmanager
def _filling(target: str) -> Iterator[_Buffered]:
    with EagerFile(target, "r+b") as raw:
        try:
            file = _Buffered(raw, _BUFFER)
            yield file
            file.flush()
            os.fsync(raw.fileno())
        except BaseException:
            raw.truncate(0)
            raise


def _located(path: str | os.PathLike[str]) -> tuple[str, os.stat_result | None]:
    """Where the file at `path` really is, and what is known of it if it is there."""
    try:
        target = os.path.realpath(path)
        return target, _status_of(target)
    except FileError:
        raise
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from None
    except ValueError as error:  # a NUL character, half a surrogate pair
        raise FileError(errno.EINVAL, str(error), repr(path)) from None


def _status_of(target: str) -> os.stat_result | None:
    """Of the file at `target`, which must be writable: a rename would not ask."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    check_regular(status.st_mode, target)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), target)
    return status


def sync_folder(path: str) -> None:
    """Brings the names of files in a folder to the disk, where the system can; stores do so.

    Raises:
        FileError: it cannot be opened.
    """
    if os.name == "nt" or is_remote(path):
        return
    try:
        folder = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise FileError.of(error, path) from None
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):  # no folders there
            raise FileError.of(error, path) from None
    finally:
        os.close(folder)


# -- The file that is written ---------------------------------------------------------------------


class _Buffered(io.BufferedWriter):
    raw: EagerFile


class _Temporary(_Buffered):
    """A new file that takes the place of another one."""

    _reserved = 0

    def reserve(self, size: int) -> None:
        """Makes room for `size` bytes, if that is much and of use."""
        if size >= CHUNK and self.raw.reserve(size):
            self._reserved = size

    def replace(self, target: str) -> None:
        """Brings the content to the disk and gives the file the name `target`."""
        self.flush()
        self.raw.settle()
        if self._reserved > self.tell():
            self.raw.truncate(self.tell())
        os.fsync(self.fileno())
        if os.name == "nt":  # which renames no open file
            self.close()
        os.replace(str(self.raw.name), target)
