# SPDX-License-Identifier: Apache-2.0
"""Remote files that change as a whole: what is written grows here, and is sent at the end.

Object stores show an object when all of it has come; large ones come in parts that are committed
together. Other stores get a file of another name beside it, which is renamed.
"""

from __future__ import annotations

import contextlib
import errno
import io
import itertools
import logging
import os
import posixpath
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.errors import FileError

from .failures import AnswerError, retried
from .stores import Place, located

__all__ = ["RemoteWriter", "replacing"]

_LOG = logging.getLogger("mxnova")
_WHOLE = 64 << 20  # bytes that are sent with one call; more in parts


@contextlib.contextmanager
def replacing(url: str) -> Iterator[BinaryIO]:
    """A new file on this machine, which takes the place of that at `url` when the block ends.

    Raises:
        FileError: the store fails; what is there is as it was, or complete.
    """
    place = located(url)
    try:
        with tempfile.TemporaryFile(prefix="mxnova-") as file:
            yield file
            file.flush()
            _send(place, file)
    except FileError:
        raise
    except OSError as error:  # no room for it here
        raise FileError.of(error, url) from error


class RemoteWriter(io.BufferedRandom):
    """A new file on this machine, which is sent to its place when it is closed.

    Args:
        url: of the place.
    """

    def __init__(self, url: str) -> None:
        self._place, self._pid, self._is_done = located(url), os.getpid(), False
        with tempfile.TemporaryFile(prefix="mxnova-") as file:
            super().__init__(io.FileIO(os.dup(file.fileno()), "r+b"))

    def close(self) -> None:
        """Sends the file, once; a process that has inherited it does not.

        Raises:
            FileError: the store fails; what is there is as it was, or complete.
        """
        is_done, self._is_done = self._is_done, True
        try:
            if self._pid != os.getpid() and not self.closed:
                self._detach()
            elif not is_done:
                self.flush()
                _send(self._place, self)
        finally:
            super().close()

    def _detach(self) -> None:
        """Lets go of the file, which the process goes on to write that opened it."""
        with open(os.devnull, "r+b") as sink:
            os.dup2(sink.fileno(), self.fileno())

    def discard(self) -> None:
        """Closes it, and leaves its place as it is."""
        self._is_done = True
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_is_done", True):
            if self._pid == os.getpid():
                text = "%s: was not closed, so that what was written to it is lost"
                _LOG.warning(text, without_credentials(self._place.url))
            self.discard()


def _send(place: Place, file: Any) -> None:
    size = file.seek(0, os.SEEK_END)
    with contextlib.ExitStack() as undo:
        path = place.path
        if not place.puts_whole:
            name = f".mxnova-{secrets.token_hex(8)}.tmp"
            path = posixpath.join(posixpath.dirname(place.path), name)
            undo.callback(_remove, place, path)
        retried(lambda: _put(place, path, file, size), place.url, place.settings)
        if path != place.path:
            _move(place, path, size)
            undo.pop_all()
    place.files.invalidate_cache(place.path)


def _put(place: Place, path: str, file: Any, size: int) -> None:
    files = place.files
    file.seek(0)
    if size <= _WHOLE or place.is_http:
        files.pipe_file(path, file.read())
    else:
        _put_in_parts(files, path, file)
    if not place.is_http:
        files.invalidate_cache(path)
        found = files.info(path)["size"]
        if found != size:
            raise AnswerError(f"{size} bytes were sent, and the store has {found}")


def _put_in_parts(files: Any, path: str, file: Any) -> None:
    target = files.open(path, "wb", autocommit=False)
    try:
        shutil.copyfileobj(file, target, _WHOLE)
        target.close()
        target.commit()
    except BaseException:
        with contextlib.suppress(Exception):
            target.discard()
        raise


def _move(place: Place, path: str, size: int) -> None:
    """Gives a file its name, also in stores that replace nothing, of which some do not say so."""
    aside, attempts = f"{path}.old", itertools.count()

    def move() -> None:
        if next(attempts) and _is_moved(place, path, size):  # and only the answer was lost
            _remove(place, aside)
            return
        try:
            place.files.mv(path, place.path)
        except OSError as error:
            sizes = _size_at(place, path), _size_at(place, place.path)
            if None in sizes or not _may_be_taken(error):
                raise
        if _size_at(place, path) is not None:
            _exchange(place, path, aside)

    retried(move, place.url, place.settings)


def _may_be_taken(error: OSError) -> bool:
    """Whether a store says that the new name is another file's, or gives no reason at all."""
    if type(error) is OSError:
        return error.errno in (None, errno.EEXIST)
    return isinstance(error, FileExistsError)


def _is_moved(place: Place, path: str, size: int) -> bool:
    return _size_at(place, path) is None and _size_at(place, place.path) == size


def _size_at(place: Place, path: str) -> int | None:
    """The size of the file that has this path now, None if there is none."""
    place.files.invalidate_cache(path)
    try:
        size: int = place.files.info(path)["size"]
    except FileNotFoundError:
        return None
    return size


def _exchange(place: Place, path: str, aside: str) -> None:
    """Moves a file to its place, and what stands there aside until that is done."""
    try:
        place.files.mv(place.path, aside)
        place.files.mv(path, place.path)
    except BaseException:
        try:
            retried(lambda: _put_back(place, aside), place.url, place.settings)
        except FileError:
            text = "%s: what was there could not be put back, and is at %s"
            _LOG.error(text, without_credentials(place.url), without_credentials(aside))
        raise
    _remove(place, aside)


def _put_back(place: Place, aside: str) -> None:
    if _size_at(place, place.path) is None and _size_at(place, aside) is not None:
        place.files.mv(aside, place.path)


def _remove(place: Place, path: str) -> None:
    with contextlib.suppress(Exception):
        place.files.rm_file(path)
