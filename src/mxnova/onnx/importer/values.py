# SPDX-License-Identifier: Apache-2.0
"""Values of an ONNX graph while it becomes a symbol.

Sizes that are left open are Python's integers in arrays of objects; as real numbers they are
fractions, which stay as exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...core.base.errors import MXNetError
from ...core.graph.node import Entry
from ...core.graph.open_sizes import is_open

__all__ = ["MOST_AXES", "MOST_BITS", "Value", "bounded", "broadcast_shape", "has_open"]

MOST_AXES = 32  # of an array of NumPy's
MOST_BITS = 384  # of a size: a product of seven open ones has no more


@dataclass(eq=False)
class Value:
    """The value of a name in the graph.

    Attributes:
        name: in the file.
        shape: ONNX's; () has the shape (1,) in MXNet, whose arrays have axes. Sizes that are left
            open are primes, as in `core.graph.open_sizes`.
        dtype: of MXNet's array.
        array: its numbers, where they are known: Python's integers where sizes are among them that
            are left open.
        entry: the output of MXNet's node; None until somebody reads a constant as an array.
        is_truth: whether ONNX has truth values here, for which MXNet has numbers, 0 and 1.
        parts: of a sequence of arrays.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    array: np.ndarray | None = None
    entry: Entry | None = None
    is_truth: bool = False
    parts: list[Value] | None = None

    @classmethod
    def constant(cls, name: str, array: np.ndarray) -> Value:
        """Known numbers, which nobody changes."""
        dtype = _dtype_of(array)
        array = array if has_open(array) else array.astype(dtype, copy=False)
        return cls(name, array.shape, dtype, array, is_truth=bool(dtype == np.bool_))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        """Whether it has real numbers."""
        return self.dtype.kind == "f"

    def renamed(self, name: str) -> Value:
        """Return the value under another name."""
        return replace(self, name=name)

    def as_scalar(self) -> Value:
        """Return the value as a scalar."""
        return replace(self, shape=())

    def as_truth(self) -> Value:
        """Return the value as booleans."""
        return replace(self, is_truth=True)


def broadcast_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays are broadcast to.

    Raises:
        MXNetError: they do not go together.
    """
    rank = max(map(len, shapes))
    found = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            if found[axis] != size and 1 not in (found[axis], size):
                raise MXNetError(f"shapes {' and '.join(map(str, map(tuple, shapes)))} differ")
            found[axis] = size if found[axis] == 1 else found[axis]
    return tuple(found)


def bounded(number: Any) -> Any:
    """A whole number or a fraction, of which arithmetic cannot make one of any length.

    Raises:
        ValueError: it takes more than `MOST_BITS`.
    """
    parts = (number.numerator, number.denominator) if isinstance(number, Fraction) else (number,)
    if any(isinstance(n, int) and n.bit_length() > MOST_BITS for n in parts):
        raise ValueError(f"a number of more than {MOST_BITS} bits")
    return number


def has_open(array: np.ndarray) -> bool:
    """Whether sizes that are left open are among numbers."""
    return array.dtype == object and any(is_open(abs(int(n))) for n in array.flat)


def _dtype_of(array: np.ndarray) -> np.dtype[Any]:
    if array.dtype != object:
        return array.dtype
    is_whole = all(isinstance(number, int) for number in array.flat)
    return np.dtype("int64" if is_whole else "float32")
