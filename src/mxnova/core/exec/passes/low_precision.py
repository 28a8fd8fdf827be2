# SPDX-License-Identifier: Apache-2.0
"""Fused operators in bfloat16, with casts where their values go elsewhere.

Precondition: it was asked for. Sums inside the kernels are float32; what lies between two fused
operators, and passes through max pooling, is bfloat16; everything else stays float32.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...graph.node import Entry, Node
from ...graph.rewrite import Replacement, rewrite
from ...graph.symbol import Symbol
from ...op.record import Op, OpType
from ...runtime.torch_api import has_onednn_bfloat16
from ..fused.convolution import FusedConvolution
from .linear_fusion import FusedLinear

__all__ = ["check_bfloat16", "with_casts"]


class _Float32(Op):
    """Its input as float32."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def infer_shape(self, s: Any) -> None:
        """That of the input."""
        s.output = s.data

    def forward(self, data: Tensor) -> Tensor:
        """data, cast."""
        return data.float()


_Float32.type = OpType(["_Float32"], _Float32, _Float32.forward)


def check_bfloat16() -> None:
    """Whether oneDNN computes in bfloat16 on this processor.

    Raises:
        MXNetError: it does not.
    """
    if not has_onednn_bfloat16():
        raise MXNetError(
            "aten: precision='bfloat16': this processor has no instructions for bfloat16"
        )


def with_casts(symbol: Symbol) -> Symbol:
    """`symbol`, whose fused operators have weights of bfloat16, with casts after them."""
    low: set[int] = set()  # ids of new nodes whose output is bfloat16
    casts: dict[Entry, Entry] = {}

    def high(entry: Entry) -> Entry:
        if id(entry.node) not in low:
            return entry
        if entry not in casts:
            name = f"{entry.node.name}_float32"
            casts[entry] = Entry(Node(_Float32(), name, {}, [entry]), 0)
        return casts[entry]

    def replace(node: Node, inputs: list[Entry]) -> Replacement:
        if node.op is None:
            return None
        fused = isinstance(node.op, (FusedConvolution, FusedLinear))
        passes = node.op.keeps_precision and all(id(e.node) in low for e in inputs)
        made = node.copy(inputs if fused or passes else [high(e) for e in inputs])
        if passes or (fused and getattr(node.op, "dtype", None) is torch.bfloat16):
            low.add(id(made))
        return made

    rewritten = rewrite(symbol, replace)
    return type(symbol)([high(e) for e in rewritten.entries])
