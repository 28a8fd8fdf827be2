# SPDX-License-Identifier: Apache-2.0
"""The bytes that a reader works on, and the bound on what it may allocate for them.

Every path of a user's is opened here (`atomic` replaces files as a whole, `paths` knows folders):
as a `Source`, or by `read_file`, `map_file`, `open_buffer` and `open_regular`. A path that is a URL
leads to a store that fsspec knows.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import mmap
import os
import stat
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, BinaryIO, Literal, TypeAlias

from mxnova.core.base.aligned import aligned_memory
from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.errors import ArgumentTypeError, FileError, FormatError, MXNetError, shown

from .parallel_read import read_into
from .remote.urls import is_remote, local_path

if TYPE_CHECKING:
    from .remote.ranges import RemoteFile

__all__ = [
    "Buffer",
    "Path",
    "Readable",
    "Slice",
    "Source",
    "check_length",
    "check_regular",
    "discard",
    "file_size",
    "is_link",
    "map_file",
    "named",
    "open_buffer",
    "open_regular",
    "path_exists",
    "read_aligned",
    "read_file",
    "release",
    "require_little_endian",
    "sha1_of",
    "sha256_of",
]

Path: TypeAlias = "str | os.PathLike[str]"
Buffer: TypeAlias = "memoryview | RemoteFile"
Slice: TypeAlias = bytes | memoryview  # of a buffer
Readable: TypeAlias = "Path | bytes | bytearray | memoryview | BinaryIO"

_CHUNK = 1 << 20  # bytes that are hashed at once
_SLACK = 15 << 20  # of the 16 MiB that are promised: the last one is for temporaries


class Source:
    """The bytes of a path, a buffer or a stream, with a name for messages and a memory budget.

    A path is mapped copy-on-write: nothing is read before it is touched, and what is written to
    the map never reaches the file. When a file is truncated in place while it is mapped, the system
    ends the process that touches what is gone (SIGBUS); files that are replaced as a whole, as
    `atomic.replacing` does, are safe. A buffer is used where it lies. A stream is read to its end
    first, and so is what a URL leads to.

    Reading takes no more memory than 16 MiB and `factor` times the size of the bytes: readers
    `charge` what they allocate, so that a small hostile file cannot become a large amount of
    memory.

    Args:
        source: where the bytes are.
        mapped: False to read a path into memory instead.
        factor: how much memory a byte may take.

    Attributes:
        name: for messages.
        view: the bytes.
    """

    __slots__ = ("_left", "_limit", "name", "view")

    def __init__(self, source: Readable, *, mapped: bool = True, factor: int = 1) -> None:
        self.name, self.view = _open(source, mapped)
        self._limit = factor * len(self.view) + _SLACK
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


def _open(source: Readable, mapped: bool) -> tuple[str, memoryview]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<{type(source).__name__}>", memoryview(source).cast("B")
    if isinstance(source, (str, os.PathLike)):
        name = without_credentials(os.fsdecode(source))
        return name, map_file(source) if mapped else memoryview(_content(source))
    if hasattr(source, "read"):
        content = source.read()
        if isinstance(content, (bytes, bytearray)):
            return str(getattr(source, "name", f"<{type(source).__name__}>")), memoryview(content)
    raise ArgumentTypeError(f"source={shown(source)}: expected a path, bytes or a binary stream")


# -- Files -----------------------------------------------------------------------------------------


def open_regular(path: Path, mode: Literal["rb", "wb"] = "rb") -> BinaryIO:
    """The file at `path`, opened to be read, or to be written from its start.

    A file in a store is read at once, and written when it is closed; `discard` closes it without.

    Raises:
        FileError: it cannot be opened, or is a directory, a pipe, a socket or a device: reading
            those may wait for ever, or never end.
    """
    if is_remote(path):
        return _open_remote(path, mode)
    path = local_path(path)
    try:
        if mode == "rb" or os.path.exists(path):
            check_regular(os.stat(path).st_mode, path)
        file = open(path, mode, opener=_at_once)  # noqa: SIM115 - the caller's
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from None
    except ValueError as error:  # a NUL character, half a surrogate pair
        raise FileError(errno.EINVAL, str(error), repr(path)) from None
    try:
        check_regular(os.fstat(file.fileno()).st_mode, path)
    except OSError:  # it has just been exchanged
        file.close()
        raise
    return file


def _open_remote(url: str, mode: Literal["rb", "wb"]) -> BinaryIO:
    if mode == "rb":
        return io.BytesIO(_content(url))
    from .remote.writing import RemoteWriter

    return RemoteWriter(url)


def discard(file: IO[bytes]) -> bool:
    """Closes a file that is being written to a store, which does not get it; False for others."""
    if not hasattr(file, "discard"):
        return False
    file.discard()
    return True


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)  # less the umask


def check_regular(mode: int, path: Path) -> None:
    """Refuses what is no regular file.

    Raises:
        FileError: it is something else; the text says what.
    """
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        refused: OSError = IsADirectoryError(errno.EISDIR, "is a directory")
    else:
        kind = _KINDS.get(stat.S_IFMT(mode), "is something else")
        refused = OSError(errno.EINVAL, f"{kind}, not a regular file")
    raise FileError.of(refused, os.fsdecode(path))


_KINDS = {
    stat.S_IFIFO: "is a pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
}


def read_file(path: Path) -> bytes:
    """The content of the regular file at `path`.

    Raises:
        FileError: it cannot be opened or read, or is no regular file.
    """
    return bytes(_content(path))


@contextlib.contextmanager
def named(path: Path) -> Iterator[None]:
    """Errors of readers name `path`, and not the bytes that `read_file` made of it."""
    try:
        yield
    except FormatError as error:
        text = str(error).replace("<bytes>", os.fsdecode(path), 1)
        raise FormatError(text) from None


def _content(path: Path) -> bytearray | memoryview:
    if is_remote(path):
        from .remote.ranges import content_of

        return content_of(path)
    with open_regular(path) as file:
        try:
            size = os.fstat(file.fileno()).st_size
        except OSError as error:
            raise FileError.of(error, os.fsdecode(path)) from None
        return read_aligned(file, size, path)


def read_aligned(file: BinaryIO, n: int, path: Path) -> memoryview:
    """The next `n` bytes of an open file, fewer at its end, in `aligned_memory`.

    Raises:
        FileError: they cannot be read.
        MXNetError: there is no memory for them.
    """
    try:
        content = aligned_memory(n).data
        n_read = read_into(file, content)
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from None
    except MemoryError:
        raise MXNetError(f"{os.fsdecode(path)}: no memory for its content") from None
    return content[:n_read]


def open_buffer(path: Path) -> Buffer:
    """The content of the file at `path`, to be read in slices.

    Raises:
        FileError: it cannot be opened or mapped, or is no regular file.
    """
    if is_remote(path):
        from .remote.ranges import RemoteFile

        return RemoteFile(path)
    return map_file(path, mmap.ACCESS_READ)


def check_length(content: Buffer, path: Path) -> None:
    """Refuses to touch what is no longer there, for which the system would end the process.

    Stores see it themselves.

    Raises:
        FileError: the mapped file has been cut off since it was opened.
    """
    mapped = content.obj if isinstance(content, memoryview) else None
    if isinstance(mapped, mmap.mmap) and mapped.size() < len(content):
        reason = f"was cut off from {len(content)} to {mapped.size()} bytes while open"
        raise FileError(errno.EIO, reason, os.fsdecode(path))


def release(content: Buffer) -> None:
    """Gives back what `open_buffer` took, without waiting for the collector of garbage."""
    if not isinstance(content, memoryview):
        content.close()
        return
    mapped = content.obj
    content.release()
    if isinstance(mapped, mmap.mmap):
        mapped.close()


def path_exists(path: Path) -> bool:
    """Whether there is a file at `path`; a store may fail to say it, which is an error."""
    if is_remote(path):
        from .remote import folders

        return folders.exists(path)
    return os.path.exists(local_path(path))


def file_size(path: Path) -> int:
    """How many bytes the file at `path` has.

    Raises:
        FileError: there is none.
    """
    if is_remote(path):
        return len(open_buffer(path))
    try:
        return os.stat(local_path(path)).st_size
    except OSError as error:
        raise FileError.of(error, os.fsdecode(path)) from None


def is_link(path: Path) -> bool:
    """Whether `path` is a symbolic link, of which stores have none."""
    return not is_remote(path) and os.path.islink(path)


def map_file(path: Path, access: int = mmap.ACCESS_COPY) -> memoryview:
    """The content of the regular file at `path`, mapped into memory; what is in a store is read.

    Raises:
        FileError: it cannot be opened or mapped, or is no regular file.
    """
    if is_remote(path):
        return memoryview(_content(path))
    with open_regular(path) as file:
        try:
            if not os.fstat(file.fileno()).st_size:
                return memoryview(b"")  # cannot be mapped
            return memoryview(mmap.mmap(file.fileno(), 0, access=access))
        except OSError as error:
            raise FileError.of(error, os.fsdecode(path)) from None


def sha256_of(path: Path) -> str:
    """SHA-256 of the content of the regular file at `path`, in hexadecimal digits.

    Raises:
        FileError: it cannot be opened or read, or is no regular file.
    """
    return _digest_of(path, hashlib.sha256())


def sha1_of(path: Path) -> str:
    """SHA-1 of it, which says no more than that a file is the published one."""
    return _digest_of(path, hashlib.sha1(usedforsecurity=False))


def _digest_of(path: Path, digest: hashlib._Hash) -> str:
    with open_regular(path) as file:
        try:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
        except OSError as error:
            raise FileError.of(error, os.fsdecode(path)) from None
    return digest.hexdigest()
