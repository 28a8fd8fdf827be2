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

__all__ = ["Array", "read_inputs"]

Array = np.ndarray[Any, Any]


def read_inputs(specs: Sequence[str], picture: Picture) -> dict[str, Array]:
    """The arrays of ``NAME=FILE`` texts, by name.

    Raises:
        MXNetError: a text or a file that cannot be used.
        OSError: a file that cannot be read.
    """
    arrays: dict[str, Array] = {}
    for spec in specs:
        name, _, file = spec.partition("=")
        if not name or not file:
            raise ArgumentError(f"--input {spec}: must look like data=FILE")
        if name in arrays:
            raise ArgumentError(f"--input {spec}: {name} is given twice")
        arrays[name] = _read(name, Path(file), picture)
    return arrays


def _read(name: str, path: Path, picture: Picture) -> Array:
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
