# SPDX-License-Identifier: Apache-2.0
"""int8 graphs in QDQ form: float operators between QuantizeLinear and DequantizeLinear.

MXNet has an operator of its own for each int8 layer, with the ends of ranges as further inputs and
outputs. Runtimes take float graphs in which pairs of QuantizeLinear and DequantizeLinear tell where
integers are, and fuse them. Scales come from the levels in `core.op.quantized.ranges`, and weights
are quantized by the layers themselves.
"""

from __future__ import annotations

from .lowering import OPERATORS, Lowered, is_quantized, with_qdq
from .site import ORIGIN

__all__ = ["OPERATORS", "ORIGIN", "Lowered", "is_quantized", "with_qdq"]
