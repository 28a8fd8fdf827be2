# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text: CSV, LibSVM, and lists of images."""

from __future__ import annotations

import io
import warnings
from array import array
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mxnova.core.base.errors import FormatError

__all__ = ["ImageEntry", "LibSVMTable", "parse_csv", "parse_image_list", "parse_libsvm"]

_Numbers = np.ndarray[Any, Any]


def _lines(text: bytes, what: str) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{what}: byte {error.start} is not UTF-8: {error.reason}") from None
    for number, line in enumerate(io.StringIO(decoded, newline=None), 1):
        if line and not line.isspace():
            yield number, line


def parse_csv(text: bytes, dtype: str = "float32") -> _Numbers:
    """Numbers separated by commas: (lines, numbers in each); also integers like ``2e+00``."""
    lines = [_ascii(number, line) for number, line in _lines(text, "CSV")]
    if not lines:
        raise FormatError("CSV: there are no numbers")
    try:
        return _loaded(lines, dtype)
    except (ValueError, OverflowError, Warning) as error:
        if np.dtype(dtype).kind != "i":
            raise FormatError(f"CSV: {str(error)[:200]}") from None
    try:
        return _loaded(lines, dtype, _integer)  # fifty times as slow
    except (ValueError, OverflowError) as error:
        raise FormatError(f"CSV: {str(error)[:200]}") from None


def _ascii(number: int, line: str) -> str:
    """The line; NumPy reads beside its tables where integers have characters of other planes."""
    if not line.isascii():
        raise FormatError(f"CSV: line {number}: {line[:60]!r} has characters of no number")
    return line


def _loaded(
    lines: list[str], dtype: str, converter: Callable[[str], int] | None = None
) -> _Numbers:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.loadtxt(lines, dtype, None, ",", converters=converter, ndmin=2, encoding=None)


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)


class LibSVMTable(NamedTuple):
    """Rows of a CSR matrix with a label each."""

    labels: _Numbers  # float32
    data: _Numbers  # float32
    indices: _Numbers  # int64
    indptr: _Numbers  # int64
    lines: _Numbers  # int64: the line, from 1, in which each row stands


def parse_libsvm(text: bytes, n_columns: int) -> LibSVMTable:
    """Parse lines ``label index:value index:value``, with 0-based indices; ``#`` is a comment."""
    labels, data = array("f"), array("f")
    indices, indptr, lines = array("q"), array("q", [0]), array("q")
    for number, line in _lines(text, "LibSVM"):
        label, *entries = line.partition("#")[0].split() or ("",)
        if not label:
            continue
        try:
            labels.append(float(label))
            for entry in entries:
                index, colon, value = entry.partition(":")
                if not colon:
                    raise ValueError(f"{entry[:60]!r} is no index:value")
                indices.append(_column(index, n_columns))
                data.append(float(value))
        except (ValueError, OverflowError) as error:
            raise FormatError(f"LibSVM: line {number}: {str(error)[:200]}") from None
        indptr.append(len(data))
        lines.append(number)
    if not labels:
        raise FormatError("LibSVM: there are no rows")
    return LibSVMTable(*map(np.asarray, (labels, data, indices, indptr, lines)))


def _column(text: str, n_columns: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ValueError(f"{text[:60]!r} is no index")
    column = int(text)
    if column >= n_columns:
        raise ValueError(f"index {column}, where there are {n_columns} columns")
    return column


class ImageEntry(NamedTuple):
    """A line of a list of images."""

    index: int  # type: ignore[assignment]  # hides that of tuples
    labels: tuple[float, ...]
    path: str


def parse_image_list(text: bytes) -> list[ImageEntry]:
    """Lines ``index <tab> label <tab> ... <tab> path``."""
    entries = []
    for number, line in _lines(text, "image list"):
        index, *labels, path = line.rstrip("\r\n").split("\t") if "\t" in line else ("", "")
        if not labels:
            reason = "is not an index, labels and a path, with tabs between"
            raise FormatError(f"image list: line {number}: {line[:60]!r} {reason}")
        try:
            value = _whole(float(index))
            entries.append(ImageEntry(value, tuple(map(float, labels)), path))
        except (ValueError, OverflowError) as error:
            raise FormatError(f"image list: line {number}: {str(error)[:200]}") from None
    return entries


def _whole(value: float) -> int:
    if not (value == int(value) and 0 <= value < 2**63):
        raise ValueError(f"{value} is no index")
    return int(value)
