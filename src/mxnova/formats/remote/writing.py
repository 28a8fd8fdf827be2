# SPDX-License-Identifier: Apache-2.0
"""Remote files that change as a whole: what is written grows here, and is sent at the end.

Object stores show an object when all of it has come; large ones come in parts that are committed
together. Other stores get a file of another name beside it, which is renamed.
"""

from __future__ import annotations

import contextlib
import io
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
            retried(lambda: _move(place, path), place.url, place.settings)
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


def _move(place: Place, path: str) -> None:
    """Gives a file its name, also in stores that replace nothing, of which some do not say so."""
    try:
        place.files.mv(path, place.path)
    except (ConnectionError, TimeoutError):
        raise
    except OSError:
        if not (_is_there(place, path) and _is_there(place, place.path)):
            raise
    if _is_there(place, path):
        _exchange(place, path, f"{path}.old")


def _is_there(place: Place, path: str) -> bool:
    place.files.invalidate_cache(path)
    try:
        place.files.info(path)
    except FileNotFoundError:
        return False
    return True


def _exchange(place: Place, path: str, aside: str) -> None:
    """Moves a file to its place, and what stands there aside until that is done."""
    place.files.mv(place.path, aside)
    try:
        place.files.mv(path, place.path)
    except BaseException:
        place.files.mv(aside, place.path)
        raise
    _remove(place, aside)


def _remove(place: Place, path: str) -> None:
    with contextlib.suppress(Exception):
        place.files.rm_file(path)
