# SPDX-License-Identifier: Apache-2.0
"""A product with constant weights that are laid out for oneDNN's kernel, and an activation."""

from __future__ import annotations

import torch
from torch import Tensor

from ...op.infer import Shapes
from ...op.schema import Op
from ...op.traits import InputShapes, ItemAxes
from ...runtime import torch_api
from ..program.private import private_operator

__all__ = ["FusedLinear"]


@private_operator
class FusedLinear(Op):
    """A product with weights that are laid out for the kernel, and an activation.

    Attributes:
        weight: laid out.
        bias: of its outputs, or None.
        unary: name and numbers of the activation that the kernel applies.
        gelu_after: whether GELU is applied to its result, in place.
        flatten: whether the rows of data are all but its first axis; else its last axis.
        n_columns: size of the last axis of the output.
        absorbed: names of the nodes that it stands for.
        dtype: element type that it takes and gives.
    """

    weight: Tensor
    bias: Tensor | None
    unary: tuple[str, list[float], str]
    gelu_after: bool
    flatten: bool
    n_columns: int
    absorbed: tuple[str, ...]
    dtype: torch.dtype
    is_fresh = True

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        """As that of the product."""
        (axis,), (shape,) = axes, shapes
        is_inner = axis != 0 if self.flatten else shape is None or axis == len(shape) - 1
        return None if is_inner else axis

    def infer_shape(self, s: Shapes) -> None:
        """That of the product."""
        kept = s.data[:1] if self.flatten else s.data[:-1]
        s.output = (*kept, self.n_columns)

    def forward(self, data: Tensor) -> Tensor:
        """unary(data @ weight.T + bias)."""
        rows = data.flatten(1) if self.flatten else data.reshape(-1, data.shape[-1])
        rows = rows.to(self.dtype).contiguous()
        result = torch_api.linear_pointwise(rows, self.weight, self.bias, self.unary)
        if self.gelu_after:
            torch_api.gelu_(result)
        return result if self.flatten else result.view(*data.shape[:-1], self.n_columns)
