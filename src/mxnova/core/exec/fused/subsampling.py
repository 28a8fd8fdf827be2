# SPDX-License-Identifier: Apache-2.0
"""Every so many positions of images."""

from __future__ import annotations

from torch import Tensor

from ...op.infer import Shapes
from ...op.schema import Op
from ...op.traits import batch_apart
from ..program.private import private_operator

Steps = tuple[int, int]
"""From one position to the next, along height and width."""

__all__ = ["Steps", "Subsampled"]


@private_operator
class Subsampled(Op):
    """Every so many rows and columns of images.

    Attributes:
        steps: how many rows and columns from one to the next.
    """

    steps: Steps
    item_axis = batch_apart

    def infer_shape(self, s: Shapes) -> None:
        """That of the image, with fewer rows and columns."""
        batch, channels, *sizes = s.data
        s.output = (batch, channels, *(-(-n // t) for n, t in zip(sizes, self.steps, strict=True)))

    def forward(self, data: Tensor) -> Tensor:
        """A copy, so that it may be written to."""
        rows, columns = self.steps
        return data[:, :, ::rows, ::columns].clone()
