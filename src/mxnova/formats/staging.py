# SPDX-License-Identifier: Apache-2.0
"""Several files that are written together: all of them, or none."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence

from mxnova.core.base.errors import ArgumentError, FileError, MXNetError
from mxnova.core.base.interrupts import deferred_interrupts

from .temporary import temporary_folder

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
    with contextlib.ExitStack() as stack:
        try:
            stage = stack.enter_context(temporary_folder(folder))
        except OSError as error:
            raise FileError.of(error, folder or ".") from None
        try:
            yield os.path.join(stage, name)
            _move(stage, folder)
        except FileError as error:
            if os.path.dirname(error.filename or "") != stage:
                raise
            place = os.path.join(folder, os.path.basename(error.filename))
            raise FileError.of(error, place) from None
        except MXNetError as error:
            if stage not in str(error):
                raise
            raise type(error)(str(error).replace(os.path.join(stage, ""), "")) from None


def _move(stage: str, folder: str) -> None:
    """Gives all files of `stage` their place in `folder`; if one cannot have it, none has.

    What they replace stays in place until then, whatever ends the process.
    """
    done: list[tuple[str, str]] = []
    with deferred_interrupts():
        try:
            for name in sorted(os.listdir(stage)):
                place, old = os.path.join(folder, name), os.path.join(stage, f"{name}.old")
                if os.path.lexists(place):
                    _keep(place, old)
                os.replace(os.path.join(stage, name), place)
                done.append((place, old))
        except OSError as error:
            for place, old in reversed(done):
                with contextlib.suppress(OSError):
                    os.replace(old, place) if os.path.lexists(old) else os.unlink(place)
            raise FileError.of(error, folder or ".") from None


def _keep(place: str, old: str) -> None:
    """Gives a file a second name, or makes a copy where file systems have no links."""
    try:
        os.link(place, old, follow_symlinks=False)
    except OSError:
        shutil.copy2(place, old, follow_symlinks=False)
