# SPDX-License-Identifier: Apache-2.0
"""Files that a model is fed with: .npy, .npz and images."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..core.base.errors import ArgumentError, MXNetError
from ..formats.npy import read_array
from ..formats.source import read_file
from ..predictor.picture import Picture

__all__ = ["Array", "fitted_picture", "read_input"]

Array = np.ndarray[Any, Any]


def fitted_picture(picture: Picture, shape: Sequence[int | str]) -> Picture:
    """The same for an input of this shape, if that is one of images."""
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    return picture.fitted(sizes) if len(sizes) == 4 and sizes[1] in (1, 3) else picture


def read_input(name: str, path: Path, picture: Picture) -> Array:
    """The array in a .npy or .npz file, or an image as an array.

    Args:
        name: of the input, which is looked for in .npz files with several arrays.
        path: of the file.
        picture: how an image becomes an array.

    Raises:
        MXNetError: the file cannot be used.
        OSError: it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise MXNetError(f"{path}: is no regular file")
    if path.suffix not in (".npy", ".npz"):
        return picture.decode(str(path), read_file(path))
    with path.open("rb") as file:
        try:
            size = path.stat().st_size
            values = read_array(file, size) if path.suffix == ".npy" else _member(file, path, name)
        except MXNetError:
            raise
        except Exception as error:  # noqa: BLE001 - of zips, compressions, and Python's tokenizer
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise MXNetError(f"{path}: no {path.suffix} file of numbers: {reason}") from None
    if values.dtype.kind not in "biuf":
        raise MXNetError(f"{path}: holds {values.dtype}; a model takes real numbers")
    return values


def _member(file: IO[bytes], path: Path, name: str) -> Array:
    """The array called `name` in an .npz file, or its only one."""
    with zipfile.ZipFile(file) as archive:
        members = {m.filename.removesuffix(".npy"): m for m in archive.infolist()}
        member = members.get(name, *members.values()) if len(members) == 1 else members.get(name)
        if member is None:
            raise ArgumentError(f"{path}: holds {', '.join(members) or 'nothing'}, not {name!r}")
        with archive.open(member) as content:
            return read_array(content, member.file_size)
