# SPDX-License-Identifier: Apache-2.0
"""Files and folders by their names: which are there, here or in a store; what removes them."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from mxnova.core.base.errors import FileError

from .atomic import sync_folder
from .remote.pools import submitted
from .remote.urls import is_remote, local_path
from .source import Path

__all__ = [
    "exact",
    "joined",
    "make_folder",
    "make_new_folder",
    "many",
    "names_in",
    "next_attempt",
    "remove_file",
    "remove_folder",
    "split",
    "subfolders",
]

T = TypeVar("T")
R = TypeVar("R")
_AT_ONCE = 64  # requests to a store


def exact(path: Path) -> str:
    """The one name of a file or folder, whatever the working directory or links to it."""
    if is_remote(path):
        return path.rstrip("/")
    return os.path.realpath(os.fspath(local_path(path)))


def joined(folder: str, name: str) -> str:
    """The path of a name in a folder."""
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else os.path.join(folder, name)


def split(path: str) -> tuple[str, str]:
    """The folder of a path, and the name in there."""
    if is_remote(path):
        folder, _, name = path.rpartition("/")
        return folder, name
    return os.path.split(path)


def names_in(folder: Path) -> list[str]:
    """The names in a folder.

    Raises:
        FileError: there is no such folder here, or it cannot be read.
    """
    if is_remote(folder):
        from .remote import folders

        return list(folders.names_in(folder))
    try:
        return os.listdir(local_path(folder))
    except OSError as error:
        raise FileError.of(error, os.fsdecode(folder)) from None


def subfolders(folder: str) -> list[str]:
    """Names of folders in a folder, without links; none where it is no folder."""
    if is_remote(folder):
        from .remote import folders

        return [name for name, is_folder in folders.names_in(folder).items() if is_folder]
    try:
        names = names_in(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except FileError as error:
        if error.errno == errno.ENOTDIR:
            return []
        raise
    paths = {name: os.path.join(folder, name) for name in names}
    return [n for n, path in paths.items() if os.path.isdir(path) and not os.path.islink(path)]


def make_folder(folder: str) -> None:
    """Makes a folder, and those around it, where it is not there."""
    if is_remote(folder):
        from .remote import folders

        folders.make(folder)
    else:
        os.makedirs(folder, exist_ok=True)


def many(root: Path, act: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """`act` of each; many at a time where `root`, which they are about, is in a store."""
    if not is_remote(root):
        return list(map(act, items))
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        return [made.result() for made in [submitted(pool, act, item) for item in items]]
    finally:
        pool.shutdown(cancel_futures=True)


def next_attempt(folder: str, attempts: list[int]) -> int:
    """A number for a new folder in `folder`, above those of its kind that are there.

    Stores have no empty folders, which would tell that a number was taken: time counts there.
    """
    following = max(attempts, default=0) + 1
    if is_remote(folder):
        return max(following, int(time.time()) - _SINCE)
    return following


_SINCE = 1_700_000_000  # so that it has nine digits until 2055


def make_new_folder(folder: str) -> None:
    """Makes a folder that nobody else makes.

    Raises:
        FileExistsError: it is there.
    """
    if is_remote(folder):
        from .remote import folders

        if folders.names_in(folder):
            raise FileExistsError(errno.EEXIST, "exists", folder)
        folders.make(folder)
    else:
        os.mkdir(folder)
        sync_folder(os.path.dirname(folder))


def remove_file(path: str) -> None:
    """Removes a file.

    Raises:
        OSError: there is none, or it cannot be removed.
    """
    if is_remote(path):
        from .remote import folders

        folders.remove(path)
    else:
        os.unlink(path)


def remove_folder(path: str) -> None:
    """Removes an empty folder.

    Raises:
        OSError: there is none here, or it is not empty.
    """
    if is_remote(path):
        from .remote import folders

        folders.remove_folder(path)
    else:
        os.rmdir(path)
