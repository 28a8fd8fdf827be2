# SPDX-License-Identifier: Apache-2.0
"""Limits on the total cost of reading one file."""

from __future__ import annotations

import numpy as np

from ...core.base.errors import MXNetError
from .values import MOST_BITS

__all__ = ["Budget", "cost_of"]

_LEAST_BYTES, _BYTES = 8 << 20, 16  # the latter for each byte of the file
_LEAST_OPERATORS, _OPERATORS = 2048, 8  # the latter for each node of the file
_BYTES_OF_OPERATOR = 16  # of the file; in memory and as text an operator has some 1,500
_OBJECT = 64 + MOST_BITS // 8  # bytes of one number of Python's


def cost_of(array: np.ndarray) -> int:
    """The memory that an array takes; working on Python's numbers costs time in proportion."""
    return array.size * _OBJECT if array.dtype == object else array.nbytes


class Budget:
    """Memory for numbers, and operators of MXNet's, in proportion to the file.

    Args:
        n_bytes: size of the file.
        n_nodes: how many it has.
    """

    def __init__(self, n_bytes: int, n_nodes: int) -> None:
        self._bytes = _LEAST_BYTES + _BYTES * n_bytes
        most = min(_OPERATORS * n_nodes, n_bytes // _BYTES_OF_OPERATOR)
        self._operators = _LEAST_OPERATORS + most

    def grow(self, n_bytes: int) -> None:
        """Adds a file of this size, which the first one reads."""
        self._bytes += _BYTES * n_bytes

    def has(self, n_bytes: int) -> bool:
        """Whether so much memory is left."""
        return n_bytes <= self._bytes

    def take(self, n_bytes: int) -> None:
        """Takes memory.

        Raises:
            MXNetError: that much is not left.
        """
        if not self.has(n_bytes):
            raise MXNetError(f"{n_bytes} bytes of numbers: more than a file of this size may make")
        self._bytes -= n_bytes

    def take_operators(self, count: int) -> None:
        """Takes operators.

        Raises:
            MXNetError: that many are not left.
        """
        if count > self._operators:
            raise MXNetError(f"{count} operators: more than a file of this size may make")
        self._operators -= count
