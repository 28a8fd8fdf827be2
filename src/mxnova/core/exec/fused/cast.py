# SPDX-License-Identifier: Apache-2.0
"""Values of low precision as float32."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ...op.schema import Op
from ..program.private import private_operator

__all__ = ["Float32"]


@private_operator
class Float32(Op):
    """Its input as float32."""

    def infer_shape(self, s: Any) -> None:
        """That of the input."""
        s.output = s.data

    def forward(self, data: Tensor) -> Tensor:
        """data, cast."""
        return data.float()
