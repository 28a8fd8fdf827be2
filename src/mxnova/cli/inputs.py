# SPDX-License-Identifier: Apache-2.0
"""Files that a model is fed with: .npy, .npz and images."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..core.base import env
from ..core.base.errors import ArgumentError, MXNetError, argument_error
from ..core.base.opencv import require_opencv
from ..formats.image_size import check_image_size
from ..formats.source import read_file

__all__ = ["Array", "Picture", "read_inputs"]

Array = np.ndarray[Any, Any]

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_MAX_SIDE = 1 << 15  # pixels; what OpenCV resizes to


@dataclass(frozen=True)
class Picture:
    """How an image file becomes an input of shape (1, channels, height, width)."""

    size: tuple[int, int] | None
    mean: Array
    scale: float
    bgr: bool

    @classmethod
    def of(cls, size: str | None, mean: str, scale: float, bgr: bool) -> Picture:
        """From the text of the options."""
        if not math.isfinite(scale):
            raise argument_error("predict", "--scale", scale, "must be a finite number")
        return cls(None if size is None else _size(size), _mean(mean), scale, bgr)

    def read(self, path: Path) -> Array:
        """The image at `path` as an input."""
        cv2 = require_opencv()
        content = np.frombuffer(read_file(path), np.uint8)
        check_image_size(str(path), content.data, env.get("MXNOVA_IMAGE_MAX_PIXELS"))
        try:
            pixels = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
            if pixels is not None and self.size is not None:
                pixels = cv2.resize(pixels, self.size[::-1])
        except cv2.error as error:
            raise MXNetError(f"{path}: OpenCV cannot read it: {error.err}") from None
        if pixels is None:
            raise MXNetError(f"{path}: no image that OpenCV can read")
        if not self.bgr:
            pixels = pixels[:, :, ::-1]
        values = (pixels.astype(np.float32) - self.mean) * np.float32(self.scale)
        return np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def _size(text: str) -> tuple[int, int]:
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(s.isdecimal() and len(s) < 9 for s in sides):
        raise argument_error("predict", "--size", text, "must look like 224x224")
    height, width = map(int, sides)
    if not (1 <= height <= _MAX_SIDE and 1 <= width <= _MAX_SIDE):
        raise argument_error("predict", "--size", text, f"sides are from 1 to {_MAX_SIDE} pixels")
    return height, width


def _mean(text: str) -> Array:
    try:
        numbers = np.array([float(v) for v in text.split(",")], np.float32)
    except ValueError:
        numbers = np.array([], np.float32)
    if numbers.size not in (1, 3) or not np.isfinite(numbers).all():
        raise argument_error("predict", "--mean", text, "must be one number, or three: R,G,B")
    return numbers


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
        return picture.read(path)
    with path.open("rb") as file:
        try:
            size = path.stat().st_size
            values = _array(file, size) if path.suffix == ".npy" else _member(file, path, name)
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
            return _array(content, member.file_size)


def _array(file: IO[bytes], size: int) -> Array:
    """An array in NumPy's format of `size` bytes; the header must tell the truth about them."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version} of the format is not known")
    shape, by_columns, dtype = _HEADERS[version](file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    told, there = math.prod(shape) * dtype.itemsize, size - file.tell()
    if min(shape, default=0) < 0 or told != there:
        raise ValueError(f"shape {shape} of {dtype} takes {told} bytes, and there are {there}")
    values = np.frombuffer(bytearray(file.read(there)), dtype)
    return values.reshape(shape, order="F" if by_columns else "C")
