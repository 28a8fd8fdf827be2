# SPDX-License-Identifier: Apache-2.0
"""Bytes that are far from evenly spread, in fewer: by zlib's Huffman codes."""

from __future__ import annotations

import zlib
from typing import Any

import torch
from torch import Tensor

__all__ = ["lengthened", "shortened"]

_FEW = 1 << 10  # bytes that are not worth the calls
_SAMPLE = 1 << 12  # bytes whose frequencies stand for those of all
_WORTH = 0.9  # of the length: what is hardly shorter costs more time than it saves
_OFTEN = 0.8  # share of one byte from which on its runs are worth being counted
_RAW = -15  # window bits: no header, no checksum


def shortened(data: Tensor, most: int) -> Tensor | None:
    """A row of bytes in fewer than `most`, where a sample promises that; otherwise None."""
    if len(data) < _FEW:
        return None
    counts = torch.bincount(data[:: max(len(data) // _SAMPLE, 1)])
    shares = counts[counts > 0] / counts.sum()
    bits = -float((shares * shares.log2()).sum())
    if bits * len(data) >= 8 * most * _WORTH:
        return None
    often = float(shares.max()) > _OFTEN
    coder = zlib.compressobj(
        1, zlib.DEFLATED, _RAW, 9, zlib.Z_RLE if often else zlib.Z_HUFFMAN_ONLY
    )
    array: Any = data.numpy()
    code = coder.compress(array) + coder.flush()
    return _as_tensor(code) if len(code) < most else None


def lengthened(code: Tensor, n: int) -> Tensor:
    """The `n` bytes that `shortened` has made `code` of; what follows in it does not matter.

    Raises:
        ValueError: it has not.
    """
    decoder = zlib.decompressobj(_RAW)
    try:
        array: Any = code.numpy()
        data = decoder.decompress(array, n + 1)
    except zlib.error as error:
        raise ValueError(f"it sent what is no code: {error}") from None
    if len(data) != n or not decoder.eof:
        raise ValueError(f"it sent what is no code of {n} bytes")
    return _as_tensor(data)


def _as_tensor(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(data), dtype=torch.uint8)  # which may be written to
