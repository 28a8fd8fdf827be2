# SPDX-License-Identifier: Apache-2.0
"""Layers on integers, as MXNet fuses them for oneDNN, whose weights are made."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...op.infer import Shapes
from ...op.quantized.fused import Weights
from ...op.schema import Op
from ..program.private import private_operator
from .convolution import FusedConvolution
from .mkldnn_layers import FusedLayer, Result

__all__ = ["PreparedLayer"]


@private_operator
class PreparedLayer(Op):
    """A layer on integers with its weights made.

    Attributes:
        layer: the operator.
        weights: its weights.
        packed: the convolution with these, laid out for oneDNN's kernel; None for other products.
        result: what becomes of sums.
        absorbed: names of the nodes that it stands for.
    """

    layer: FusedLayer
    weights: Weights
    packed: FusedConvolution | None
    result: Result
    absorbed: tuple[str, ...]

    def inputs(self) -> tuple[str, ...]:
        """The data, and what is added."""
        return ("data", "summand")[: len(self.layer.integer_inputs())]

    def outputs(self) -> tuple[str, ...]:
        """Those of the layer."""
        return self.layer.outputs()

    def infer_shape(self, s: Any) -> None:
        """That of the product."""
        for name in s.outputs[1:]:
            s[name] = (1,)
        op: Any = self.layer.chain.product.op
        known = [s["data"], tuple(self.weights.weight.shape), None]
        names = op.inputs()
        inner = Shapes(op.name, names, op.outputs(), [*known[: len(names)], None])
        op.infer_shape(inner)
        s.output = inner.output

    def infer_dtype(self, t: Any) -> None:
        """Those of the layer."""
        t.output = self.layer.result_type()
        for name in t.outputs[1:]:
            t[name] = torch.float32

    def forward(self, data: Tensor, summand: Tensor | None = None, *, inside: bool) -> Any:
        """Computes the layer."""
        if self.packed is None:
            sums = self.layer.sums(data.float(), self.weights, inside)
        else:
            sums = self.packed.forward(data)
        output = self.layer.finished(sums, self.result, summand)
        ends = [end.clone() for end in self.result.range]  # may be outputs, which users write to
        return (output, *ends) if ends else output
