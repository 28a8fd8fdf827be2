# SPDX-License-Identifier: Apache-2.0
"""Small numbers packed into bytes."""

from __future__ import annotations

import functools

import torch
from torch import Tensor
from torch.nn import functional as F

__all__ = ["Digits"]

_WIDTHS = (1, 2)  # bytes of a word: a table tells the digits of each


class Digits:
    """Numbers from 0 to `base` - 1, as many in a word of one or two bytes as fit.

    A byte holds five of base 3, three of base 5, two of base 9 to 15; two bytes three of base 17.

    Args:
        base: at most 2¹⁶.
    """

    def __init__(self, base: int) -> None:
        self._base = base
        fitting = [(_fitting(base, width) / width, -width, width) for width in _WIDTHS]
        self._width = max(fitting)[2]
        self._per_word = _fitting(base, self._width)

    @property
    def bits(self) -> float:
        """Bits that a number takes."""
        return 8 * self._width / self._per_word

    def n_bytes(self, n: int) -> int:
        """Bytes that so many numbers take."""
        return -(-n // self._per_word) * self._width

    def packed(self, numbers: Tensor) -> Tensor:
        """A row of numbers (uint8 or int16), as bytes."""
        digits = F.pad(numbers, (0, -len(numbers) % self._per_word)).view(-1, self._per_word)
        kind = torch.uint8 if self._width == 1 else torch.int32
        words = digits[:, 0].to(kind, copy=True, memory_format=torch.contiguous_format)
        for place in range(1, self._per_word):
            words += digits[:, place].to(kind) * self._base**place
        return words if self._width == 1 else words.to(torch.int16).view(torch.uint8)

    def unpacked(self, code: Tensor, n: int) -> Tensor:
        """The `n` numbers, int16, that `packed` was given; for bytes of strangers any numbers."""
        if self._width == self._per_word == 1:
            return code[:n].to(torch.int16)
        words = code.int() if self._width == 1 else code.view(torch.int16).int() & 0xFFFF
        table = _table(self._base, self._width, self._per_word).to(code.device)
        return table[words].view(-1)[:n]


def _fitting(base: int, width: int) -> int:
    """How many digits a word of `width` bytes holds."""
    n = 0
    while base ** (n + 1) <= 1 << 8 * width:
        n += 1
    return n


@functools.cache
def _table(base: int, width: int, per_word: int) -> Tensor:
    words = torch.arange(1 << 8 * width)
    return torch.stack([words // base**i % base for i in range(per_word)], 1).to(torch.int16)
