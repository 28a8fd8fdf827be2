# SPDX-License-Identifier: Apache-2.0
"""int8 layers in QDQ form, for oneDNN's kernels to take up: see `integer_fusion`.

Precondition: kernels that sum exactly on this processor; layers whose parameters stay and whose
ranges calibration has found. Others stay as they are: what is known only in a run would have to be
computed in real numbers there. Each node gives the same integers to one step.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch

from ...graph.node import Entry, Node
from ...graph.symbol import Symbol
from ...runtime.torch_integers import has_integer_kernels
from ..fused.mkldnn_layers import FusedLayer
from .definition import Pass, Target
from .qdq import is_quantized, with_qdq
from .readers import Readers

__all__ = ["PASS", "calibrated_nodes"]

_PRODUCTS = frozenset({"_contrib_quantized_conv", "_contrib_quantized_fully_connected"})
_SUMS = _PRODUCTS | {"_contrib_quantized_elemwise_add", "_contrib_quantized_elemwise_mul"}
_NARROWING = frozenset({"_contrib_requantize", "_contrib_quantize_v2"})
_LEFT = frozenset({"_contrib_quantize_asym", "_contrib_quantized_rnn"})  # on real numbers anyway
_ENDS = ("min", "max")


def calibrated_nodes(symbol: Symbol, constants: Collection[str]) -> set[Node]:
    """int8 nodes that give 8-bit integers, or real numbers, of ranges that are known beforehand.

    Sums of 32 bits are among them where all that reads them narrows them.

    Args:
        symbol: any symbol.
        constants: names of variables that stay.
    """
    readers = Readers(symbol)
    found: set[Node] = set()

    def is_known(name: str, entry: Entry) -> bool:
        source = entry.node
        if source.op is None:
            return source.name in constants or not _is_end(name)
        return source in found or (entry.output == 0 and not is_quantized(source))

    for node in symbol.nodes:
        if is_quantized(node) and _gives_known_range(readers, node):
            names = _names(node.op)
            if all(map(is_known, names, node.inputs)):
                found.add(node)
    return found


def _gives_known_range(readers: Readers, node: Node) -> bool:
    op: Any = node.op
    if op.name in _LEFT:
        return False
    if isinstance(op, FusedLayer):
        return bool(op.quantized) and op.result_type() is not torch.int32
    if op.name in _NARROWING:
        return _has_range(op)
    if op.name in _SUMS and not _has_range(op) and not getattr(op, "enable_float_output", False):
        return all(
            reader is not None
            and reader.op is not None
            and reader.op.name == "_contrib_requantize"
            and _has_range(reader.op)
            for reader in readers.of(Entry(node, 0))
        )
    return True


def _has_range(op: Any) -> bool:
    ends = (f"{end}_calib_range" for end in _ENDS)
    return all(getattr(op, name, None) is not None for name in ends)


def _names(op: Any) -> list[str]:
    """What the inputs are called; of layers that are numbered ``data``, ``min``, or a parameter."""
    if not isinstance(op, FusedLayer):
        return list(op.inputs())
    data, names = op.integer_inputs(), op.chain.names
    inner = ["data" if name in data else "min" for name in names]
    return inner + ["min"] * (len(op.inputs()) - len(names))


def _is_end(name: str) -> bool:
    return any(end in name for end in _ENDS)


def _is_product(node: Node) -> bool:
    return isinstance(node.op, FusedLayer) or (node.op is not None and node.op.name in _PRODUCTS)


def _lowered(symbol: Symbol, target: Target) -> Symbol:
    if not any(map(is_quantized, symbol.nodes)) or not has_integer_kernels():
        return symbol
    chosen = calibrated_nodes(symbol, target.constants.keys())
    if not any(map(_is_product, chosen)):
        return symbol
    dtypes = target.facts.dtypes(symbol)
    return with_qdq(symbol, target.constants, dtypes, chosen.__contains__).closed(symbol)


PASS = Pass(
    "integer_lowering",
    requires="exact int8 kernels; int8 layers, their parameters stay, their ranges are calibrated",
    ensures="they are float operators between QuantizeLinear and DequantizeLinear",
    apply=_lowered,
)
