# SPDX-License-Identifier: Apache-2.0
"""Convolutions that pad their images themselves, instead of reading padded copies.

Precondition: zeros, as many before as behind along each spatial axis, none along others, and nobody
else reads the padded images.
"""

from __future__ import annotations

from typing import Any

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.nn.convolution import Convolution
from ...op.tensor.enlarge import Pad
from .definition import Pass
from .readers import Readers

__all__ = ["PASS", "with_padding_merged"]

_LAYOUTS = (None, "NCW", "NCHW", "NCDHW")


def with_padding_merged(symbol: Symbol) -> Symbol:
    """`symbol` with such convolutions."""
    if not any(isinstance(n.op, Pad) for n in symbol.nodes):
        return symbol
    readers = Readers(symbol)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        op: Any = node.op
        if not isinstance(op, Convolution) or op.layout not in _LAYOUTS:
            return None
        padded = inputs[0].node
        margins = _margins(padded)
        if margins is None or readers.only(node.inputs[0]) is not node:
            return None
        pad = op.pad or (0,) * len(op.kernel)
        if len(pad) != len(margins):
            return None
        made = op.changed(pad=tuple(a + b for a, b in zip(pad, margins, strict=True)))
        return Node(made, node.name, node.attrs, [padded.inputs[0], *inputs[1:]])

    return rewrite(symbol, replace)


def _margins(node: Node) -> tuple[int, ...] | None:
    """How many zeros `node` puts around the spatial axes; None where it does anything else."""
    op = node.op
    if not isinstance(op, Pad) or op.mode != "constant" or op.constant_value:
        return None
    before, behind = op.pad_width[::2], op.pad_width[1::2]
    fits = before == behind and not any(before[:2]) and min(before) >= 0
    return tuple(before[2:]) if fits else None


PASS = Pass(
    "padding_fusion",
    requires="zeros, as many before as behind along spatial axes, which one convolution reads",
    ensures="the convolution pads its images itself",
    apply=lambda symbol, _target: with_padding_merged(symbol),
)
