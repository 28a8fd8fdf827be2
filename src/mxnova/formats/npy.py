# SPDX-License-Identifier: Apache-2.0
"""Arrays in NumPy's format, from strangers: the header must tell the truth about the bytes."""

from __future__ import annotations

import io
import math
import threading
from typing import IO, Any

import numpy as np

from mxnova.core.base.errors import FormatError

__all__ = ["loads", "read_array"]

Array = np.ndarray[Any, Any]

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# CPython to 3.12 counts the depth of all threads' syntax trees in one number, and gives SystemError
# ("AST constructor recursion depth mismatch") where two threads read headers.
_ONE_AT_A_TIME = threading.Lock()
_ATTEMPTS = 5  # other libraries' threads do not know the lock


def read_array(file: IO[bytes], size: int) -> Array:
    """The array in a file of `size` bytes.

    Raises:
        ValueError: it is none, or holds Python objects; what NumPy raises for a bad header, too.
    """
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"version {version} of the format is not known")
    shape, by_columns, dtype = _read_header(version, file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    told, there = math.prod(shape) * dtype.itemsize, size - file.tell()
    if min(shape, default=0) < 0 or told != there:
        raise ValueError(f"shape {shape} of {dtype} takes {told} bytes, and there are {there}")
    flat = np.frombuffer(bytearray(file.read(there)), dtype)
    values: Array = flat.reshape(shape, order="F" if by_columns else "C")
    return values


def _read_header(version: tuple[int, int], file: IO[bytes]) -> tuple[Any, bool, np.dtype[Any]]:
    begin = file.tell()
    for _ in range(_ATTEMPTS - 1):
        try:
            with _ONE_AT_A_TIME:
                return _HEADERS[version](file)
        except SystemError:
            file.seek(begin)
    return _HEADERS[version](file)


def loads(content: bytes) -> Array:
    """The array of real numbers in `content`.

    Raises:
        FormatError: it holds none.
    """
    try:
        values = read_array(io.BytesIO(content), len(content))
    except Exception as error:  # noqa: BLE001 - of NumPy's and Python's parsers of the header
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise FormatError(f"no .npy file of numbers: {reason}") from None
    if values.dtype.kind not in "biuf":
        raise FormatError(f"a .npy file of {values.dtype}; a model takes real numbers")
    return values
