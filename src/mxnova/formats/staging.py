# SPDX-License-Identifier: Apache-2.0
"""Several files that are written together: all of them, or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence

from mxnova.core.base.errors import ArgumentError, FileError

__all__ = ["check_targets", "staged"]


def check_targets(paths: Sequence[str], sources: Sequence[str], force: bool, command: str) -> None:
    """Refuses to write where something is in the way.

    Args:
        paths: of the files to write.
        sources: of files that are read for it.
        force: replace files that are there.
        command: what errors begin with.

    Raises:
        ArgumentError: a target is a source or a symbolic link, or exists and `force` is False.
        FileError: its folder does not exist, or it is a directory.
    """
    for path in paths:
        if os.path.lexists(path) and any(_same(path, source) for source in sources):
            raise ArgumentError(f"{command}: {path}: the target is a source, too")
        if os.path.islink(path):
            raise ArgumentError(f"{command}: {path}: the target is a symbolic link")
        if os.path.isdir(path):
            raise FileError.of(IsADirectoryError(21, "is a directory"), path)
        if os.path.exists(path) and not force:
            raise ArgumentError(f"{command}: {path}: exists; --force replaces it")
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise FileError.of(FileNotFoundError(2, "there is no such folder"), folder)


def _same(a: str, b: str) -> bool:
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


@contextlib.contextmanager
def staged(target: str) -> Iterator[str]:
    """The path of `target` within a new folder beside it, whose files move to its side at the end.

    After an error nothing is left of what was written, and what stood there is as it was.

    Raises:
        FileError: a file cannot be written.
    """
    folder, name = os.path.split(target)
    try:
        stage = tempfile.mkdtemp(prefix=".mxnova-", dir=folder or ".")
    except OSError as error:
        raise FileError.of(error, folder or ".") from None
    try:
        yield os.path.join(stage, name)
        _move(stage, folder)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _move(stage: str, folder: str) -> None:
    """Gives all files of `stage` their place in `folder`; if one cannot have it, none has."""
    replaced: list[tuple[str, str]] = []
    try:
        for name in sorted(os.listdir(stage)):
            place = os.path.join(folder, name)
            old = os.path.join(stage, f"{name}.old")
            if os.path.lexists(place):
                os.replace(place, old)
            replaced.append((place, old))
            os.replace(os.path.join(stage, name), place)
    except OSError as error:
        for place, old in reversed(replaced):
            with contextlib.suppress(OSError):
                os.replace(old, place) if os.path.lexists(old) else os.unlink(place)
        raise FileError.of(error, folder or ".") from None
