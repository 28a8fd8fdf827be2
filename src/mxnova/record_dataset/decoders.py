# SPDX-License-Identifier: Apache-2.0
"""What becomes of the bytes of a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.base.errors import ArgumentTypeError, argument_error, shown
from ..core.base.opencv import require_opencv
from ..formats.images import decode_image
from ..formats.recordio import IRHeader, unpack

__all__ = ["Decoder", "decoder_of"]

Decoder = Callable[[bytes], Any]


def decoder_of(decode: str | Decoder) -> Decoder:
    """The decoder of that name, or `decode` itself.

    Raises:
        ArgumentError: there is no decoder of that name.
        ArgumentTypeError: it is neither a name nor callable.
    """
    if isinstance(decode, str):
        if decode not in _DECODERS:
            choices = ", ".join(map(repr, _DECODERS))
            raise argument_error("RecordDataset", "decode", decode, f"must be one of {choices}")
        return _DECODERS[decode]
    if not callable(decode):
        text = f"RecordDataset: decode={shown(decode)}: must be a name or a function of bytes"
        raise ArgumentTypeError(text)
    return decode


def _as_bytes(record: bytes) -> bytes:
    return record


def _as_image(record: bytes) -> tuple[IRHeader, np.ndarray]:
    cv2 = require_opencv()
    header, encoded = unpack(record)
    return header, decode_image("RecordDataset", encoded, cv2.IMREAD_COLOR_RGB)


_DECODERS: dict[str, Decoder] = {"bytes": _as_bytes, "header": unpack, "image": _as_image}
