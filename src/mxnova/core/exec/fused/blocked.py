# SPDX-License-Identifier: Apache-2.0
"""Operators on images in oneDNN's own layout: blocks of channels."""

from __future__ import annotations

from torch import Tensor

from ...kernels.activation import relu, relu_
from ...op.schema import Op
from ..program.private import private_operator

__all__ = ["AddInPlace", "FromBlocks", "Relu", "ReluInPlace", "ToBlocks"]


@private_operator
class ToBlocks(Op):
    """Images in blocks of channels."""

    def forward(self, data: Tensor) -> Tensor:
        """The same images, laid out so."""
        return data.to_mkldnn()


@private_operator
class FromBlocks(Op):
    """Images in the order of their axes."""

    def forward(self, data: Tensor) -> Tensor:
        """The same images, laid out so."""
        return data.to_dense()


@private_operator
class Relu(Op):
    """relu; its gradient is 0 where data is NaN, whose neighbors are NaN, too."""

    def forward(self, data: Tensor) -> Tensor:
        """max(data, 0)."""
        return relu(data)


@private_operator
class ReluInPlace(Relu):
    """relu in the place of its input, which nobody else reads."""

    def forward(self, data: Tensor) -> Tensor:
        """max(data, 0)."""
        return relu_(data)


@private_operator
class AddInPlace(Op):
    """A sum in the place of its first input, which nobody else reads."""

    def forward(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        """Lhs + rhs."""
        return lhs.add_(rhs)
