# SPDX-License-Identifier: Apache-2.0
"""Untrusted archives, zip and tar with or without gzip, read into memory.

An archive is validated as a whole before any content is returned. Paths must be relative, unique
and free of ``..``; links, devices and encrypted files are refused; so are archives with more than
`MOST_FILES` entries, and those that unpack to more than 32 MiB plus 20 times their own size.
Nothing is written to disk.
"""

from __future__ import annotations

import contextlib
import gzip
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from mxnova.core.base.errors import FormatError, shown

from .archives import MOST_HEADERS, tar_members, unpacking

__all__ = ["MOST_FILES", "ArchiveFiles", "Budget", "checked_name", "kind_of", "read_archive"]

MOST_FILES = 2000  # entries of an archive, and of those inside it
_RATIO = 20
_SLACK = 32 << 20
_MOST_NAME = 512  # characters of a path; more than any system's tools make
_CHUNK = 1 << 20
_HEAD = 262  # bytes that tell the kind of an archive


@dataclass
class ArchiveFiles:
    """What an archive holds.

    Attributes:
        sizes: bytes of each file by its path, which has slashes.
        contents: of those that were asked for.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    contents: dict[str, bytearray] = field(default_factory=dict)


@dataclass
class Budget:
    """What may come out of an archive, and of the archives inside it.

    Attributes:
        n_bytes: how many bytes may still be unpacked.
        n_files: how many entries may still come.
    """

    n_bytes: int
    n_files: int = MOST_FILES

    @classmethod
    def of(cls, size: int) -> Budget:
        """For an archive of `size` bytes."""
        return cls(_SLACK + _RATIO * size)

    def take_entry(self) -> None:
        """Counts an entry.

        Raises:
            FormatError: there are too many.
        """
        self.n_files -= 1
        if self.n_files < 0:
            raise FormatError(f"it holds more than {MOST_FILES} entries")

    def take_bytes(self, name: str, size: int) -> None:
        """Counts a file's bytes.

        Raises:
            FormatError: there are too many.
        """
        if not 0 <= size <= self.n_bytes:
            raise FormatError(
                f"{name} has {size} bytes, and {self.n_bytes} are left of {_SLACK >> 20} MiB and "
                f"{_RATIO} times the size of the archive"
            )
        self.n_bytes -= size


def kind_of(head: bytes | memoryview) -> str | None:
    """Tells by its first bytes what an archive is: zip, gzip or tar; None for all else."""
    start = bytes(head[:_HEAD])
    if start[:4] in (b"PK\3\4", b"PK\5\6"):
        return "zip"
    if start[:2] == b"\x1f\x8b":
        return "gzip"
    return "tar" if start[257:262] == b"ustar" else None


def read_archive(
    file: IO[bytes], name: str, wanted: Callable[[str], bool], budget: Budget
) -> ArchiveFiles:
    """The files of an archive.

    Args:
        file: the archive, at its beginning.
        name: what errors call it.
        wanted: tells by its path whether the content of a file is needed.
        budget: what may come out of it.

    Raises:
        FormatError: it is damaged, or breaks a rule of this module.
        OSError: it cannot be read.
    """
    kind = kind_of(file.read(_HEAD))
    file.seek(0)
    found = ArchiveFiles()
    try:
        with unpacking(name):
            if kind == "zip":
                _read_zip(file, wanted, budget, found)
            elif kind == "gzip":
                with gzip.GzipFile(fileobj=file) as unzipped:
                    _read_tar(unzipped, wanted, budget, found)
            else:
                _read_tar(file, wanted, budget, found)
    except FormatError as error:
        text = str(error)
        raise FormatError(text if text.startswith(f"{name}: ") else f"{name}: {text}") from None
    return found


def checked_name(name: str) -> str:
    """A path within an archive, with slashes and without a dot at its beginning.

    Raises:
        FormatError: it leads out of the archive's folder, or no system has such names.
    """
    parts = name.split("/")
    is_drive = len(parts[0]) > 1 and parts[0][1] == ":"
    if name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or is_drive:
        raise FormatError(f"the path {shown(name)} leads out of the archive")
    if len(name) > _MOST_NAME:
        raise FormatError(f"the path {shown(name)} has {len(name)} characters")
    return "/".join(part for part in parts if part not in ("", "."))


def _add(found: ArchiveFiles, name: str, size: int, budget: Budget) -> str:
    path = checked_name(name)
    if not path or path in found.sizes:
        raise FormatError(f"the path {shown(name)} stands there twice, or names no file")
    budget.take_bytes(path, size)
    found.sizes[path] = size
    return path


# Tar ----------------------------------------------------------------------------------------------

_KINDS = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


def _read_tar(
    file: Any, wanted: Callable[[str], bool], budget: Budget, found: ArchiveFiles
) -> None:
    for member in tar_members(file, budget.n_bytes):
        budget.take_entry()
        if member.isdir():
            checked_name(member.name)
            continue
        if not member.isreg() or member.issparse():
            kind = _KINDS.get(member.type, "no plain file")
            raise FormatError(f"{shown(member.name)} is {kind}")
        path = _add(found, member.name, member.size, budget)
        if wanted(path):
            file.seek(member.offset_data)
            found.contents[path] = _content(file, path, member.size)


def _content(file: IO[bytes], path: str, size: int) -> bytearray:
    """The next `size` bytes."""
    content = bytearray(size)
    view, n_read = memoryview(content), 0
    while n_read < size and (piece := file.read(min(size - n_read, _CHUNK))):
        view[n_read : n_read + len(piece)] = piece
        n_read += len(piece)
    if n_read < size:
        raise FormatError(f"{path} ends {size - n_read} bytes before its end")
    return content


# Zip ----------------------------------------------------------------------------------------------

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others take memory as their headers say
_ENCRYPTED = 0x1


class _Directory:
    """A file while its directory is read, of which only so much is.

    Args:
        file: the file.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left: int | None = MOST_HEADERS
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        """The next bytes.

        Raises:
            FormatError: the directory is too large.
        """
        if self._left is None:
            return self._file.read(size)
        wanted = self._left + 1 if size < 0 else size
        piece = self._file.read(min(wanted, self._left + 1))
        self._left -= len(piece)
        if self._left < 0:
            raise FormatError(f"more than {MOST_HEADERS} bytes of headers")
        return piece

    def seekable(self) -> bool:
        """Whether it can be read in any order."""
        return True

    def unlimited(self) -> None:
        """Lets all be read from now on."""
        self._left = None


@contextlib.contextmanager
def _opened(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    directory: Any = _Directory(file)
    with zipfile.ZipFile(directory) as archive:
        directory.unlimited()
        yield archive


def _read_zip(
    file: IO[bytes], wanted: Callable[[str], bool], budget: Budget, found: ArchiveFiles
) -> None:
    with _opened(file) as archive:
        members = {}
        for member in archive.infolist():
            budget.take_entry()
            if member.filename.endswith("/"):
                checked_name(member.filename)
            else:
                _check_member(member)
                members[_add(found, member.filename, member.file_size, budget)] = member
        for path, member in members.items():
            if wanted(path):
                with archive.open(member) as content:
                    found.contents[path] = _content(content, path, member.file_size)
                    content.read(1)  # at its end the checksum is compared


def _check_member(member: zipfile.ZipInfo) -> None:
    name, kind = shown(member.filename), stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise FormatError(f"{name} is a link, or no plain file")
    if member.flag_bits & _ENCRYPTED:
        raise FormatError(f"{name} is encrypted")
    if member.compress_type not in _METHODS:
        raise FormatError(f"{name} is compressed by method {member.compress_type}; deflate is read")
