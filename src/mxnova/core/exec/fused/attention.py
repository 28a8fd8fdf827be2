# SPDX-License-Identifier: Apache-2.0
"""Self-attention of interleaved projections in one kernel."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from ...op.infer import Shapes
from ...op.schema import Op
from ...op.traits import InputShapes, ItemAxes
from ..program.private import private_operator

__all__ = ["FusedAttention"]


@private_operator
class FusedAttention(Op):
    """Self-attention of interleaved projections.

    Attributes:
        heads: number of heads.
        absorbed: names of the nodes that it stands for.
    """

    heads: int
    absorbed: tuple[str, ...]

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        """The second axis."""
        return 1 if axes[0] == 1 else None

    def infer_shape(self, s: Shapes) -> None:
        """(length, batch, heads x size) of (length, batch, heads x 3 x size)."""
        length, batch, features = s.data
        s.output = (length, batch, features // 3)

    def forward(self, data: Tensor) -> Tensor:
        """softmax(queries @ keys.T / sqrt(size)) @ values, head by head."""
        length, batch, _ = data.shape
        parts = data.reshape(length, batch, self.heads, 3, -1).permute(3, 1, 2, 0, 4)
        queries, keys, values = parts.unbind(0)
        found = F.scaled_dot_product_attention(queries, keys, values)
        return found.permute(2, 0, 1, 3).reshape(length, batch, -1)
