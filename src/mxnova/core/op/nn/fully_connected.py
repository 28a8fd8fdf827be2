# SPDX-License-Identifier: Apache-2.0
"""The fully connected layer."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch.nn.functional as F
from torch import Tensor

from ...base.params import PosInt
from ...kernels.onednn import is_small, linear
from ..declaration import operator
from ..infer import Shapes
from ..schema import Op
from ..traits import InputShapes, ItemAxes, batch_apart

__all__ = ["FullyConnected"]


@operator("FullyConnected", "_npx_fully_connected", "_sparse_FullyConnected")
class FullyConnected(Op):
    """Linear map of the last axes: ``data @ weight.T + bias``.

    Args:
        data: (batch, …); with `flatten` all axes but the first are one.
        weight: (num_hidden, features).
        bias: (num_hidden,) or (num_hidden, 1), absent with `no_bias`.
        num_hidden: number of output features.
        no_bias: leave the bias out.
        flatten: map everything but the first axis instead of only the last axis.
    """

    num_hidden: PosInt
    no_bias: bool = False
    flatten: bool = True
    is_product = True

    def inputs(self) -> tuple[str, ...]:
        return ("data", "weight") if self.no_bias else ("data", "weight", "bias")

    def item_axis(self, axes: ItemAxes, shapes: InputShapes) -> int | None:
        if self.flatten:
            return batch_apart(self, axes, shapes)
        is_row = shapes[0] is not None and axes[0] != len(shapes[0]) - 1
        return axes[0] if is_row and all(axis is None for axis in axes[1:]) else None

    def infer_shape(self, s: Shapes) -> None:
        data = s.data
        if not self.no_bias:
            is_column = len(s.known("bias") or ()) == 2
            s.bias = (self.num_hidden, 1) if is_column else (self.num_hidden,)
        batch, features = (data[:1], prod(data[1:])) if self.flatten else (data[:-1], data[-1])
        s.weight = (self.num_hidden, features)
        s.output = (*batch, self.num_hidden)
        # The batch size is also learned from the output.
        s.data = (*s.output[: len(batch)], *data[len(batch) :])

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where the width of data is not that of the weight."""
        if name != "weight":
            return ""
        given = prod(s.full("data")[1:]) if self.flatten else s.full("data")[-1]
        wanted = s.full("weight")[1]
        if given == wanted:
            return f"num_hidden={self.num_hidden} is the first axis of weight"
        whole = (
            " (all axes but the first, flatten=True)" if len(s.data) > 2 and self.flatten else ""
        )
        return (
            f"each sample of data has {given} features{whole}, the weight is for {wanted}: give "
            f"data of {wanted} features, or make the layer with in_units={given}"
        )

    def forward(self, data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        if self.flatten and data.ndim != 2:
            data = data.flatten(1) if data.ndim > 1 else data.unsqueeze(1)
        if bias is not None and bias.ndim == 2:
            bias = bias.flatten()
        return linear(data, weight, bias)

    def fast_forward(self, *tensors: Tensor) -> Callable[..., Tensor] | None:
        data, weight, *bias = tensors
        is_flat = data.ndim == 2 or not self.flatten
        is_plain = is_flat and all(b.ndim == 1 for b in bias)
        return F.linear if is_plain and is_small(data, weight) else None
