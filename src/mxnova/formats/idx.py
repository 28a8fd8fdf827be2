# SPDX-License-Identifier: Apache-2.0
"""The files of MNIST: arrays of bytes behind a big-endian header."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from mxnova.core.base.errors import FormatError

__all__ = ["parse_idx"]

_MAGIC = 0x0800  # elements are bytes; the number of axes is added


def parse_idx(content: bytes | memoryview, n_axes: int) -> np.ndarray[Any, Any]:
    """The uint8 array in a file: labels have 1 axis, images 3."""
    header = 4 * (1 + n_axes)
    if len(content) < header:
        raise FormatError(f"idx file: {len(content)} bytes, the header alone has {header}")
    magic, *shape = struct.unpack_from(f">{1 + n_axes}I", content)
    if magic != _MAGIC + n_axes:
        raise FormatError(f"idx file: starts with {magic:#x}, {_MAGIC + n_axes:#x} was expected")
    size = math.prod(shape)
    if size > len(content) - header:
        left = len(content) - header
        raise FormatError(f"idx file: {tuple(shape)} bytes, where {left} are left")
    return np.frombuffer(content, np.uint8, size, header).reshape(shape)
