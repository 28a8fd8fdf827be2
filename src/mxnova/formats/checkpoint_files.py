# SPDX-License-Identifier: Apache-2.0
"""The files of a checkpoint: ``prefix-symbol.json`` and ``prefix-0012.params``."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from mxnova.core.base.credentials import without_credentials
from mxnova.core.base.errors import ArgumentError, MissingFileError
from mxnova.core.base.printable import printable

from .paths import names_in, split
from .remote.urls import is_remote
from .source import path_exists

__all__ = ["SYMBOL", "CheckpointFiles", "epochs_of", "is_prefix", "located", "newest", "prefix_of"]

_log = logging.getLogger("mxnova")
_EPOCH = re.compile(r"-(\d{4,9})\.params")
SYMBOL = "-symbol.json"  # what the name of a network's file ends in


class CheckpointFiles(NamedTuple):
    """Paths of a checkpoint's files, and the number of its epoch."""

    symbol: str
    params: str
    epoch: int

    @classmethod
    def of(cls, prefix: str, epoch: int) -> CheckpointFiles:
        """Those of an epoch, whether they are there or not."""
        return cls(f"{prefix}{SYMBOL}", f"{prefix}-{epoch:04d}.params", epoch)


def is_prefix(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is no file itself, but the beginning of a checkpoint's names."""
    return not path_exists(path) and bool(epochs_of(os.fspath(path)))


def prefix_of(path: str | os.PathLike[str]) -> str:
    """The prefix that a file of a checkpoint tells by its name; another path as it is.

    A file of parameters tells it where the file of the network is there, too.
    """
    text = os.fspath(path)
    if text.endswith(SYMBOL) and os.path.basename(text) != SYMBOL:
        return text.removesuffix(SYMBOL)
    prefix = text[: match.start()] if (match := _EPOCH.search(text)) else text
    is_end = match is not None and match.end() == len(text)
    return prefix if is_end and path_exists(prefix + SYMBOL) else text


def located(prefix: str | os.PathLike[str], epoch: int | None = None) -> CheckpointFiles:
    """The files of a checkpoint.

    Args:
        prefix: what their names begin with, or one of them.
        epoch: its number; None for that of the file, or the newest.

    Raises:
        MissingFileError: there are none.
        ArgumentError: `epoch` is not that of the file.
    """
    path, prefix = os.fspath(prefix), prefix_of(prefix)
    if path != prefix and (match := _EPOCH.fullmatch(path[len(prefix) :])):
        number = int(match[1])
        if epoch not in (None, number):
            raise ArgumentError(f"{path}: is of epoch {number}, but epoch {epoch} is asked for")
        epoch = number
    if epoch is not None:
        return CheckpointFiles.of(prefix, epoch)
    epochs = epochs_of(prefix)
    if not epochs:
        raise MissingFileError(2, "there is no such file", f"{prefix}-0000.params")
    return CheckpointFiles.of(prefix, newest(prefix, epochs))


def newest(prefix: str, epochs: Iterable[int]) -> int:
    """The highest of the epochs of a checkpoint; the log says so where there are others."""
    found = sorted(epochs)
    if len(found) > 1:
        text = "%s: epoch %d is taken, the newest of %d"
        _log.warning(text, printable(without_credentials(prefix)), found[-1], len(found))
    return found[-1]


def epochs_of(prefix: str) -> list[int]:
    """Numbers of the epochs that are there, ascending."""
    folder, name = split(prefix)
    try:
        files = names_in(folder or ".")
    except OSError:
        if is_remote(prefix):
            raise
        return []
    found = (_EPOCH.fullmatch(file[len(name) :]) for file in files if file.startswith(name))
    return sorted(int(match[1]) for match in found if match)
