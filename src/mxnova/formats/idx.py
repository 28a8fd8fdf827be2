# SPDX-License-Identifier: Apache-2.0
"""The files of MNIST: arrays of bytes behind a big-endian header."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from mxnova.core.base.errors import FormatError

__all__ = ["header_size", "idx_shape", "parse_idx"]

_MAGIC = 0x0800  # elements are bytes; the number of axes is added


def parse_idx(content: bytes | memoryview, n_axes: int) -> np.ndarray[Any, Any]:
    """The uint8 array in a file: labels have 1 axis, images 3."""
    header, shape = header_size(n_axes), idx_shape(content, n_axes)
    size, left = math.prod(shape), len(content) - header
    if size > left:
        raise FormatError(f"idx file: {shape} bytes, where {left} are left")
    return np.frombuffer(content, np.uint8, size, header).reshape(shape)


def header_size(n_axes: int) -> int:
    """Bytes before the elements."""
    return 4 * (1 + n_axes)


def idx_shape(content: bytes | memoryview, n_axes: int) -> tuple[int, ...]:
    """Return the shape in the header; none of the sizes is 0."""
    header = header_size(n_axes)
    if len(content) < header:
        raise FormatError(f"idx file: {len(content)} bytes, the header alone has {header}")
    magic, *shape = struct.unpack_from(f">{1 + n_axes}I", content)
    if magic != _MAGIC + n_axes:
        raise FormatError(f"idx file: starts with {magic:#x}, {_MAGIC + n_axes:#x} was expected")
    if 0 in shape:
        raise FormatError(f"idx file: {tuple(shape)} bytes: there are none")
    return tuple(shape)
