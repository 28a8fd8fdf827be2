# SPDX-License-Identifier: Apache-2.0
"""Files and folders that exist while something is written beside its place.

While one is in use it is locked, and the system unlocks it when its owner ends in any way: what is
not locked was abandoned, and is removed by whoever makes another one there. Where there are no
locks (Windows), an open file cannot be removed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from typing import TypeVar

from mxnova.core.base.errors import FileError
from mxnova.core.base.interrupts import deferred_interrupts

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that is open
    fcntl = None  # type: ignore[assignment]

__all__ = ["set_aside", "temporary_file", "temporary_folder"]

F = TypeVar("F", bound=io.FileIO)
_FILE = re.compile(r"\.mxnova-[0-9a-f]{16}\.tmp")
_FOLDER = re.compile(r"\.mxnova-[0-9a-f]{16}")
_live: set[str] = set()  # this process's own: on some file systems locks do not tell threads apart
_CLOSED_S = 10.0  # from closing a file to renaming it


@contextlib.contextmanager
def temporary_file(folder: str, kind: type[F]) -> Iterator[F]:
    """A new file, open for writing; closed and removed at the end, unless it has another name then.

    Args:
        folder: where.
        kind: class of the file.

    Raises:
        OSError: it cannot be made.
    """
    _remove_abandoned(folder)
    while True:
        with _temporary(folder, ".tmp") as path, kind(path, "xb") as file:
            if _stays(file.fileno()):
                yield file
                return


@contextlib.contextmanager
def temporary_folder(folder: str) -> Iterator[str]:
    """The path of a new folder, which is removed at the end with all that is in it.

    Args:
        folder: where.

    Raises:
        OSError: it cannot be made.
    """
    _remove_abandoned(folder)
    while True:
        with _temporary(folder) as path:
            os.mkdir(path, 0o700)
            with _locked(path) as is_ours:
                if is_ours:
                    yield path
                    return


@contextlib.contextmanager
def set_aside(path: str) -> Iterator[None]:
    """Nothing is at a path in this block; the file that was there comes back after an error only.

    Args:
        path: of a file that there may be; whoever ends the process in the block loses it.

    Raises:
        FileError: it cannot be moved.
    """
    with _temporary(os.path.dirname(path), ".tmp") as aside:
        try:
            _move(path, aside)
            yield
        except BaseException:
            _move(aside, path)
            raise


def _move(path: str, target: str) -> None:
    """Renames a file, if there is one."""
    try:
        with contextlib.suppress(FileNotFoundError):
            os.rename(path, target)
    except OSError as error:
        raise FileError.of(error, path) from None


@contextlib.contextmanager
def _temporary(folder: str, ending: str = "") -> Iterator[str]:
    """A path at which nothing is, at the end either."""
    path = os.path.join(folder or ".", f".mxnova-{secrets.token_hex(8)}{ending}")
    _live.add(path)
    try:
        yield path
    finally:
        with deferred_interrupts():
            if ending:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
            else:
                shutil.rmtree(path, ignore_errors=True)
            _live.discard(path)


@contextlib.contextmanager
def _locked(path: str) -> Iterator[bool]:
    """Holds a new folder locked; False where somebody took it for abandoned before."""
    if fcntl is None:
        yield True
        return
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        yield _stays(file)
    finally:
        os.close(file)


def _stays(file: int) -> bool:
    """Locks what is new; False where somebody took it for abandoned before."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: nobody removes anything
        return True
    return os.fstat(file).st_nlink > 0


def _remove_abandoned(folder: str) -> None:
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            is_folder = bool(_FOLDER.fullmatch(entry.name))
            if (is_folder or _FILE.fullmatch(entry.name)) and entry.path not in _live:
                with contextlib.suppress(OSError):  # another process is at it, or may
                    _remove_if_abandoned(entry, is_folder)


def _remove_if_abandoned(entry: os.DirEntry[str], is_folder: bool) -> None:
    if fcntl is None:
        if not is_folder and time.time() - entry.stat().st_mtime > _CLOSED_S:
            os.unlink(entry.path)
        return
    file = os.open(entry.path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (shutil.rmtree if is_folder else os.unlink)(entry.path)  # still locked: see _stays
    finally:
        os.close(file)
