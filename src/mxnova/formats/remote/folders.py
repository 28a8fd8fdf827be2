# SPDX-License-Identifier: Apache-2.0
"""Folders of stores. Those of objects have none: what begins with a name and a slash lies in it."""

from __future__ import annotations

import contextlib
import errno
from typing import Any

from mxnova.core.base.errors import FileError

from .failures import file_error, retried
from .stores import Place, located

__all__ = ["exists", "make", "names_in", "remove", "remove_folder"]

_MAX_NAMES = 100_000


def exists(url: str) -> bool:
    """Whether there is a file at `url`.

    Raises:
        FileError: the store does not say.
    """
    place = located(url)
    if place.is_http:  # some servers answer to GET alone
        from .objects import opened

        try:
            opened(place, 1)
        except (FileNotFoundError, PermissionError):  # S3 forbids what is not there
            return False
        return True
    try:
        return place.info().get("type") != "directory"
    except FileNotFoundError:
        return False


def names_in(url: str) -> dict[str, bool]:
    """The names in a folder, and whether they are folders; none where there is no folder.

    Raises:
        FileError: the store cannot say it, or there are too many.
    """
    place = located(url)
    if place.is_http:
        raise FileError(errno.ENOTSUP, "HTTP has no folders that could be listed", url)

    def ask() -> list[dict[str, Any]]:
        place.files.invalidate_cache(place.path)
        found: list[dict[str, Any]] = place.files.ls(place.path, detail=True)
        return found

    try:
        found = retried(ask, url, place.settings)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if len(found) > _MAX_NAMES:
        raise FileError(errno.EFBIG, f"holds {len(found)} names, at most {_MAX_NAMES}", url)
    own = place.path.rstrip("/")
    names = {f["name"].rstrip("/"): f.get("type") == "directory" for f in found}
    return {name.rsplit("/", 1)[-1]: is_folder for name, is_folder in names.items() if name != own}


def make(url: str) -> None:
    """Makes a folder and those around it, where the store has such."""
    place = located(url)
    if not place.puts_whole:
        retried(lambda: place.files.makedirs(place.path, exist_ok=True), url, place.settings)


def remove(url: str) -> None:
    """Removes a file.

    Raises:
        FileError: there is none, or it cannot be removed.
    """
    place = located(url)
    try:
        place.files.rm_file(place.path)
    except Exception as error:  # noqa: BLE001 - each store has classes of its own
        raise file_error(error, url) from None
    _forget(place)


def remove_folder(url: str) -> None:
    """Removes an empty folder, where the store has such."""
    place = located(url)
    if not place.puts_whole:
        with contextlib.suppress(Exception):
            place.files.rmdir(place.path)
    _forget(place)


def _forget(place: Place) -> None:
    place.files.invalidate_cache(place.path)
