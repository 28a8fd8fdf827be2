# SPDX-License-Identifier: Apache-2.0
"""Objects that are opened: their sizes, and parts of their bytes."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from . import checksums
from .checksums import Checksum
from .failures import AnswerError, TruncatedError, retried
from .http import HttpObject
from .pools import Run
from .stores import Place

__all__ = ["RemoteObject", "opened"]

_CHECKED_S = 1.0  # seconds in which a store is asked once whether the object is still the same
_IDENTITY = (  # Names of the field in fsspec stores.
    "ETag",
    "etag",
    "VersionId",
    "generation",
    "LastModified",
    "last_modified",
    "modificationTime",
    "last_write_time",
    "mtime",
    "modified",
    "modify",
    "updated",
    "created",
    "sha",
)


class RemoteObject(Protocol):
    """An object, of which any threads may fetch parts.

    Attributes:
        size: in bytes.
        version: what differs between versions of the object, as far as the store tells.
        is_versioned: whether it tells anything beside the size.
    """

    size: int
    is_versioned: bool

    @property
    def version(self) -> object:
        """See the class."""

    @property
    def checksum(self) -> Checksum | None:
        """Of all bytes, where the store says it."""

    def begin(self, start: int, end: int, run: Run) -> Future[bytes]:
        """Asks for bytes `start` to `end`, which must not be beyond the last, and asks again.

        The answer is a FileError where the store fails, or the object has changed.

        Args:
            start: the first byte.
            end: the one after the last.
            run: calls a function that waits for the store.
        """


def opened(place: Place, n: int) -> RemoteObject:
    """The object at a place.

    Args:
        place: where it is.
        n: how many of its first bytes are read at once and kept, where that saves a request.

    Raises:
        FileError: there is none, or its store fails.
    """
    if place.is_http:
        found = HttpObject(place, n)
        found.settle()
        return found
    return retried(lambda: _StoreObject(place), place.url, place.settings)


class _StoreObject:
    """An object of any store."""

    def __init__(self, place: Place) -> None:
        self._place = place
        place.files.invalidate_cache(place.path)
        self._fetch, info = _reader(place.files, place.path)
        if info.get("type") == "directory":
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        self.size: int = info["size"]
        if type(self.size) is not int or self.size < 0:
            raise AnswerError(f"the store says that its size is {self.size!r}")
        self._info, self.version, self._checked = info, _version(info), time.monotonic()
        self.is_versioned = any(self.version[1:])

    @property
    def checksum(self) -> Checksum | None:
        files, path = self._place.files, self._place.path
        if hasattr(files, "call_s3"):
            bucket, key, _ = files.split_path(path)
            extra = {"Bucket": bucket, "Key": key, "ChecksumMode": "ENABLED"}
            return checksums.of_s3(files.call_s3("head_object", **extra))
        return checksums.of_info(self._info)

    def begin(self, start: int, end: int, run: Run) -> Future[bytes]:
        place = self._place
        return run(lambda: retried(lambda: self.fetch(start, end), place.url, place.settings))

    def fetch(self, start: int, end: int) -> bytes:
        content = self._fetch(start, end)
        if len(content) != end - start:
            self._check()
            raise TruncatedError(errno.EIO, f"the store sent {len(content)} bytes of {end - start}")
        if time.monotonic() - self._checked >= _CHECKED_S:
            self._check()
        return content

    def _check(self) -> None:
        files, path = self._place.files, self._place.path
        self._checked = time.monotonic()
        files.invalidate_cache(path)
        if _version(files.info(path)) != self.version:
            raise AnswerError("the file has changed since it was opened")


def _reader(files: Any, path: str) -> tuple[Callable[[int, int], bytes], Mapping[str, Any]]:
    """What reads a part of an object, by any thread, and what the store knows of it.

    Files of fsspec's own kind ask for parts of the version that they were opened with, where the
    store knows how.
    """
    from fsspec.spec import AbstractBufferedFile

    info = files.info(path)
    if info.get("type") != "directory" and info.get("size"):
        file = files.open(path, "rb")
        if isinstance(file, AbstractBufferedFile):
            return file.cache.fetcher, file.details
        file.close()
    return lambda start, end: files.cat_file(path, start=start, end=end), info


def _version(info: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(info.get(name) or "") for name in ("size", *_IDENTITY))
