# SPDX-License-Identifier: Apache-2.0
"""Values of an ONNX graph while it becomes a symbol."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.graph.node import Entry
from ..open_sizes import is_open

__all__ = ["Value", "has_open", "settled"]


@dataclass(eq=False)
class Value:
    """What a name of the graph stands for.

    Attributes:
        name: in the file.
        shape: ONNX's; () has the shape (1,) in MXNet, whose arrays have axes. Sizes that are left
            open are primes, as in `open_sizes`.
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
        """Known numbers."""
        kind = np.dtype("int64") if array.dtype == object else array.dtype
        return cls(name, array.shape, kind, settled(array), is_truth=kind == bool)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        """Whether it has real numbers."""
        return self.dtype.kind == "f"

    def renamed(self, name: str) -> Value:
        """The same under another name."""
        return replace(self, name=name)

    def as_scalar(self) -> Value:
        """The same, of one item, without axes."""
        return replace(self, shape=())

    def as_truth(self) -> Value:
        """The same as truth values."""
        return replace(self, is_truth=True)


def has_open(array: np.ndarray) -> bool:
    """Whether sizes that are left open are among numbers."""
    return array.dtype == object and any(is_open(abs(int(n))) for n in array.flat)


def settled(array: np.ndarray) -> np.ndarray:
    """Numbers as an ordinary array, unless open sizes are among them."""
    if array.dtype != object or has_open(array):
        return array
    whole = all(isinstance(n, int) for n in array.flat)
    return array.astype("int64" if whole else "float32")
