# SPDX-License-Identifier: Apache-2.0
"""Arrays that are there before a graph runs, and outputs that must not be these."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ...op.schema import Op
from ..program.private import private_operator

__all__ = ["Constant", "Owned"]


@private_operator
class Constant(Op):
    """An array that is there already.

    Attributes:
        value: the array.
        absorbed: names of the nodes that it stands for.
    """

    value: Tensor
    absorbed: tuple[str, ...]

    def infer_shape(self, s: Any) -> None:
        """That of the array."""
        s.output = tuple(self.value.shape)

    def infer_dtype(self, t: Any) -> None:
        """That of the array."""
        t.output = self.value.dtype

    def forward(self) -> Tensor:
        """The array."""
        return self.value


@private_operator
class Owned(Op):
    """Its input, or a copy of what lies in the memory of a constant.

    Attributes:
        memory: addresses of the constants.
    """

    memory: frozenset[int]

    def forward(self, data: Tensor) -> Tensor:
        """Data in memory that is nobody else's."""
        return data.clone() if data.untyped_storage().data_ptr() in self.memory else data
