# SPDX-License-Identifier: Apache-2.0
"""Sharded arrays: which pieces of them lie where, and what is read of these."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mxnova.core.base.dtypes import DType
from mxnova.core.base.errors import ArgumentError, FormatError, UnknownNameError, candidates, shown

from .. import bounded_json, safetensors
from ..source import Buffer, Slice, is_link, open_buffer
from .hashes import FileHashes
from .tiling import check_tiling
from .writing import SHARDING

__all__ = ["Index", "ShardFile", "ShardedArray", "Shards"]

_MAX_MAPPED = 64  # files at a time: each has a descriptor


@dataclass(frozen=True, slots=True)
class Index:
    """What an index says under "mxnova"; see the package."""

    step: int
    world: int
    block: int
    files: dict[str, FileHashes]
    content: Any


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an array: the file, where it begins in the array, its place in the file."""

    file: ShardFile
    offsets: tuple[int, ...]
    place: safetensors.Place


@dataclass(slots=True, eq=False)
class ShardedArray:
    """An array that lies in pieces."""

    dtype: DType
    shape: tuple[int, ...]
    pieces: list[Piece]

    @property
    def nbytes(self) -> int:
        """Its bytes, which all are in files."""
        return math.prod(self.shape) * self.dtype.numpy.itemsize


class ShardFile:
    """A file of a checkpoint, opened when a part of it is read.

    Args:
        path: of the file.
        hashes: what the index says of it, None for no check.
        block: bytes that one hash is of.
    """

    def __init__(self, path: str, hashes: FileHashes | None, block: int) -> None:
        self.path, self._hashes, self._block = path, hashes, block
        self._checked: set[int] = set()
        content = self._opened()
        self.size = len(content)
        self.layout = safetensors.layout_of(content, self.path)
        self._check(content, 0, self.layout.start)

    def _opened(self) -> Buffer:
        if is_link(self.path):
            raise FormatError(f"{self.path}: is a symbolic link, which no checkpoint has")
        content = open_buffer(self.path)
        size = self._hashes.size if self._hashes is not None else None
        if size is not None and len(content) != size:
            raise FormatError(f"{self.path}: {len(content)} bytes, the index says {size}")
        return content

    def part(self, maps: dict[ShardFile, Buffer], begin: int, end: int) -> Slice:
        """Bytes of the data, once the hashes of their blocks are right.

        Args:
            maps: files that are open, to which this one is added.
            begin: of the part, from where the data begin.
            end: of the part.

        Raises:
            FormatError: a hash differs, or the file has changed.
        """
        view = maps.pop(self, None)
        if view is None:
            view = self._opened()
            if len(view) != self.size:
                raise FormatError(f"{self.path}: its size has changed")
        while len(maps) >= _MAX_MAPPED:
            del maps[next(iter(maps))]
        maps[self] = view
        start = self.layout.start
        self._check(view, start + begin, start + end)
        return view[start + begin : start + end]

    def _check(self, view: Buffer, begin: int, end: int) -> None:
        if self._hashes is None or end <= begin:
            return
        for number in range(begin // self._block, -(-end // self._block)):
            if number in self._checked:
                continue
            block = view[number * self._block : (number + 1) * self._block]
            if hashlib.sha256(block).hexdigest() != self._hashes.sha256[number]:
                text = f"bytes from {number * self._block} on have another hash than in the index"
                raise FormatError(f"{self.path}: {text}")
            self._checked.add(number)

    def offsets(self) -> dict[str, tuple[int, ...]]:
        """Where each piece begins in its array."""
        places = self.layout.places
        text = self.layout.metadata.get(SHARDING)
        if text is None:
            return {name: (0,) * len(place.shape) for name, place in places.items()}
        try:
            found = bounded_json.loads(text, max_depth=3, unique=True)
            return {name: _offsets(found, name, len(p.shape)) for name, p in places.items()}
        except FormatError as error:
            raise FormatError(f"{self.path}: {SHARDING}: {error}") from None


def _offsets(found: Any, name: str, ndim: int) -> tuple[int, ...]:
    entry = found.get(name) if isinstance(found, dict) else None
    value = entry.get("saved_offsets") if isinstance(entry, dict) else None
    if not isinstance(value, list) or not all(type(n) is int and 0 <= n < 1 << 60 for n in value):
        raise FormatError(f"{shown(name)} has no saved_offsets")
    if len(value) != ndim:
        raise FormatError(f"{shown(name)} has {ndim} axes, but saved_offsets {shown(value)}")
    return tuple(value)


@dataclass(eq=False)
class Shards:
    """A checkpoint that is opened: its arrays are read when they are asked for.

    Attributes:
        folder: where it is.
        index: what is said of it; None where torch wrote it.
        files: in the order of their names.
        arrays: by name.
    """

    folder: str
    index: Index | None
    files: Sequence[ShardFile]
    arrays: Mapping[str, ShardedArray] = field(init=False)

    def __post_init__(self) -> None:
        self._maps: dict[ShardFile, Buffer] = {}
        self.arrays = _joined(self.folder, self.files)

    def read(
        self, name: str, begin: Sequence[int] | None = None, shape: Sequence[int] | None = None
    ) -> npt.NDArray[Any]:
        """An array, or a box of it; of the files nothing else is read than the rows it needs.

        Args:
            name: of the array.
            begin: first index of the box along each axis; default: 0.
            shape: of the box; default: up to the end.

        Raises:
            UnknownNameError: there is no such array.
            ArgumentError: the box is not inside of the array.
            FormatError: what is read has another hash than in the index.
        """
        array = self.arrays.get(name)
        if array is None:
            hint = candidates(name, self.arrays)
            raise UnknownNameError(f"{self.folder}: there is no array {shown(name)}{hint}")
        first = tuple(begin) if begin is not None else (0,) * len(array.shape)
        sizes = tuple(shape) if shape is not None else _rest(array.shape, first)
        _check_box(name, array.shape, first, sizes)
        result: npt.NDArray[Any] = np.empty(sizes, array.dtype.numpy)
        for piece in array.pieces:
            self._copy(piece, first, result)
        return result

    def _copy(self, piece: Piece, first: tuple[int, ...], result: npt.NDArray[Any]) -> None:
        """Copies what a piece and a box share to the box."""
        own = piece.place.shape
        low = [max(a, b) for a, b in zip(first, piece.offsets, strict=True)]
        sides = zip(first, result.shape, piece.offsets, own, strict=True)
        high = [min(a + n, b + m) for a, n, b, m in sides]
        if any(a >= b for a, b in zip(low, high, strict=True)):
            return
        there = [slice(a - f, b - f) for a, b, f in zip(low, high, first, strict=True)]
        here = [slice(a - o, b - o) for a, b, o in zip(low, high, piece.offsets, strict=True)]
        rows = here[0] if here else slice(0, 1)
        result[tuple(there)] = self._rows(piece, rows)[(slice(None), *here[1:])[: len(own)]]

    def _rows(self, piece: Piece, rows: slice) -> npt.NDArray[Any]:
        """Some rows of a piece; a scalar has one, and stays a scalar."""
        place = piece.place
        dtype = place.dtype.numpy
        width = math.prod(place.shape[1:]) * dtype.itemsize
        begin, end = place.begin + rows.start * width, place.begin + rows.stop * width
        raw = np.frombuffer(piece.file.part(self._maps, begin, end), np.uint8)
        if raw.ctypes.data % dtype.itemsize:
            raw = raw.copy()
        shape = (rows.stop - rows.start, *place.shape[1:]) if place.shape else ()
        values: npt.NDArray[Any] = np.ndarray(shape, dtype, raw)
        return values


def _rest(shape: Sequence[int], first: Sequence[int]) -> tuple[int, ...]:
    return tuple(n - at for n, at in zip(shape, first, strict=False))


def _check_box(name: str, shape: Sequence[int], first: Sequence[int], sizes: Sequence[int]) -> None:
    if len(first) != len(shape) or len(sizes) != len(shape):
        raise ArgumentError(f"{shown(name)}: begin and shape of a box must have {len(shape)} axes")
    for whole, at, size in zip(shape, first, sizes, strict=True):
        if at < 0 or size < 0 or at + size > whole:
            text = f"a box of {tuple(sizes)} at {tuple(first)} is not inside of {tuple(shape)}"
            raise ArgumentError(f"{shown(name)}: {text}")


# Pieces -------------------------------------------------------------------------------------------


def _joined(folder: str, files: Iterable[ShardFile]) -> dict[str, ShardedArray]:
    """The arrays whose pieces lie in `files`."""
    arrays: dict[str, ShardedArray] = {}
    for file in files:
        offsets = file.offsets()
        for name, place in file.layout.places.items():
            piece = Piece(file, offsets[name], place)
            array = arrays.setdefault(name, ShardedArray(place.dtype, (), []))
            array.pieces.append(piece)
    for name, array in arrays.items():
        try:
            _complete(array)
        except FormatError as error:
            raise FormatError(f"{folder}: array {shown(name)}: {error}") from None
    return arrays


def _complete(array: ShardedArray) -> None:
    """Sets the shape, once all pieces are there and fit."""
    shapes = [piece.place.shape for piece in array.pieces]
    if len({piece.place.dtype for piece in array.pieces}) > 1:
        raise FormatError("its pieces have different element types")
    if len(set(map(len, shapes))) > 1:
        raise FormatError("its pieces have different numbers of axes")
    ends = [
        [at + n for at, n in zip(piece.offsets, piece.place.shape, strict=True)]
        for piece in array.pieces
    ]
    array.shape = tuple(map(max, zip(*ends, strict=True)))
    if math.prod(n or 1 for n in array.shape) >= 1 << 60:
        raise FormatError(f"shape {shown(array.shape)} is too large")
    boxes = [(piece.offsets, piece.place.shape) for piece in array.pieces]
    check_tiling(array.shape, boxes)
