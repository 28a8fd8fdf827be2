# SPDX-License-Identifier: Apache-2.0
"""Fused operators in bfloat16, with casts where their values go elsewhere.

Precondition: it was asked for. Sums inside the kernels are float32; what lies between two fused
operators, and passes through max pooling, is bfloat16; everything else stays float32.
"""

from __future__ import annotations

import torch

from ...base.errors import MXNetError
from ...graph.node import Entry, Node
from ...graph.rewrite import Replacement, rewrite
from ...graph.symbol import Symbol
from ...runtime.torch_api import has_onednn_bfloat16
from ..fused.cast import Float32
from ..fused.convolution import FusedConvolution
from ..fused.linear import FusedLinear
from .definition import Pass

__all__ = ["PASS", "check_bfloat16", "with_casts"]


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
    low: set[Node] = set()  # new nodes whose output is bfloat16
    casts: dict[Entry, Entry] = {}

    def high(entry: Entry) -> Entry:
        if entry.node not in low:
            return entry
        if entry not in casts:
            name = f"{entry.node.name}_float32"
            casts[entry] = Entry(Node(Float32(), name, {}, [entry]), 0)
        return casts[entry]

    def replace(node: Node, inputs: list[Entry]) -> Replacement:
        if node.op is None:
            return None
        fused = isinstance(node.op, (FusedConvolution, FusedLinear))
        passes = node.op.keeps_precision and all(e.node in low for e in inputs)
        made = node.copy(inputs if fused or passes else [high(e) for e in inputs])
        if passes or (fused and getattr(node.op, "dtype", None) is torch.bfloat16):
            low.add(made)
        return made

    rewritten = rewrite(symbol, replace)
    return type(symbol)([high(e) for e in rewritten.entries])


PASS = Pass(
    "low_precision",
    requires="bfloat16 was asked for",
    ensures="fused operators take and give bfloat16, all others float32",
    apply=lambda symbol, target: with_casts(symbol) if target.dtype is torch.bfloat16 else symbol,
)
