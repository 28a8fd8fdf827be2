# SPDX-License-Identifier: Apache-2.0
"""Graphs on 8-bit integers as QDQ: operators on real numbers between QuantizeLinear and DequantizeLinear.

MXNet has an operator of its own for each layer on integers, with the ends of ranges as further
inputs and outputs. Runtimes take graphs on real numbers in which pairs of QuantizeLinear and
DequantizeLinear say where integers are, and fuse them. The numbers stay MXNet's: each operator's
levels are those of `core.op.quantized`, and weights are quantized by the layer itself.
"""

from __future__ import annotations

from .lowering import OPERATORS, Lowered, with_qdq

__all__ = ["OPERATORS", "Lowered", "with_qdq"]
