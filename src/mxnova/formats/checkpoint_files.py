# SPDX-License-Identifier: Apache-2.0
"""The files of a checkpoint: ``prefix-symbol.json`` and ``prefix-0012.params``."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from mxnova.core.base.errors import ArgumentError, MissingFileError

__all__ = ["CheckpointFiles", "epochs_of", "is_prefix", "located"]

_EPOCH = re.compile(r"-(\d{4,9})\.params")


class CheckpointFiles(NamedTuple):
    """Paths of a checkpoint's files, and the number of its epoch."""

    symbol: str
    params: str
    epoch: int

    @classmethod
    def of(cls, prefix: str, epoch: int) -> CheckpointFiles:
        """Those of an epoch, whether they are there or not."""
        return cls(f"{prefix}-symbol.json", f"{prefix}-{epoch:04d}.params", epoch)


def is_prefix(path: str | os.PathLike[str]) -> bool:
    """Whether `path` is no file itself, but the beginning of a checkpoint's names."""
    return not os.path.exists(path) and bool(epochs_of(os.fspath(path)))


def located(prefix: str | os.PathLike[str], epoch: int | None = None) -> CheckpointFiles:
    """The files of a checkpoint.

    Args:
        prefix: what their names begin with.
        epoch: its number; None where there is only one.

    Raises:
        ArgumentError: there are several epochs, and none is asked for.
        MissingFileError: there are none.
    """
    prefix = os.fspath(prefix)
    if epoch is not None:
        return CheckpointFiles.of(prefix, epoch)
    epochs = epochs_of(prefix)
    if not epochs:
        raise MissingFileError(2, "there is no such file", f"{prefix}-0000.params")
    if len(epochs) > 1:
        raise ArgumentError(f"{prefix}: which epoch? There are {', '.join(map(str, epochs))}")
    return CheckpointFiles.of(prefix, epochs[0])


def epochs_of(prefix: str) -> list[int]:
    """Numbers of the epochs that are there, ascending."""
    folder, name = os.path.split(prefix)
    try:
        files = os.listdir(folder or ".")
    except OSError:
        return []
    found = (_EPOCH.fullmatch(file[len(name) :]) for file in files if file.startswith(name))
    return sorted(int(match[1]) for match in found if match)
