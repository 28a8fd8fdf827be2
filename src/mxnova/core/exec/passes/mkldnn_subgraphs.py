# SPDX-License-Identifier: Apache-2.0
"""MXNet's subgraph backends for oneDNN: layers with what follows them become one node each.

``MKLDNN`` makes nodes of convolutions and FullyConnected with the BatchNorm, sum and activations
that follow. ``MKLDNN_QUANTIZE`` takes only what integers can do, too; in a quantized symbol it
gives layers the ranges that calibration found, instead of nodes that narrow what they give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ...graph.node import Entry, Node, parsed
from ...graph.partition import Becomes, partitioned
from ...graph.rewrite import Replacement, rewrite
from ...graph.symbol import Symbol
from ..fused.post_ops import ACTIVATIONS, activation_of
from .readers import Readers

__all__ = ["with_fused_layers", "with_integer_layers"]


class _Takes(NamedTuple):
    """Which activations are taken over: by a convolution, by its sum, by FullyConnected."""

    convolution: frozenset[str]
    sum: frozenset[str]
    linear: frozenset[str]


_OF_REAL = frozenset({"relu", "sigmoid", "tanh", "softrelu", "leaky", "gelu", "clip"})
_REAL = _Takes(_OF_REAL, _OF_REAL, _OF_REAL | {"elu", "square", "sqrt", "exp", "abs"})
_INTEGER = _Takes(
    frozenset({"relu", "leaky", "gelu", "clip"}),
    frozenset({"relu", "leaky", "gelu"}),
    frozenset({"relu", "leaky", "gelu", "elu", "abs", "clip"}),
)


def with_fused_layers(symbol: Symbol) -> Symbol:
    """`symbol` with layers that take over what follows them, and without dropout and copies."""
    return _fused(symbol, _REAL)


def with_integer_layers(symbol: Symbol) -> Symbol:
    """The same, of layers that can be quantized; quantized layers take over ranges."""
    return _with_ranges_taken(_fused(symbol, _INTEGER))


def _fused(symbol: Symbol, takes: _Takes) -> Symbol:
    symbol = _sums_turned(rewrite(symbol, _without_identities), takes)
    for product, draft in (("Convolution", _convolution), ("FullyConnected", _linear)):
        labels = {
            node: becomes
            for nodes, becomes in _drafts(symbol, product, draft, takes)
            for node in nodes
        }
        if labels:
            symbol = partitioned(symbol, lambda node, known=labels: known.get(node))  # type: ignore[misc]
    return symbol


def _without_identities(node: Node, inputs: list[Entry]) -> Replacement:
    op: Any = node.op
    if op is None:
        return None
    is_dropout = op.name == "Dropout" and op.attr("mode") == "training"
    return [inputs[0]] * node.n_outputs() if is_dropout or op.name == "_copy" else None


# Chains -------------------------------------------------------------------------------------------

_Draft = tuple[list[Node], Becomes]


def _drafts(
    symbol: Symbol, product: str, draft: Callable[..., _Draft | None], takes: _Takes
) -> Iterator[_Draft]:
    """Nodes that become one, and what, for each product."""
    readers = Readers(symbol)
    taken: set[Node] = set()
    for node in symbol.nodes:
        if node.op is not None and node.op.name == product:
            made = draft(readers, taken, node, takes)
            if made is not None:
                taken.update(made[0])
                yield made


def _next(readers: Readers, node: Node, *operators: str) -> Node | None:
    """What alone reads `node`, once, if it is one of these operators."""
    reader = readers.only(Entry(node, 0))
    if reader is None or reader.op is None or reader.op.name not in operators:
        return None
    return reader if readers.reads_first_only(node) else None


def _activation(readers: Readers, node: Node, kinds: frozenset[str]) -> Node | None:
    found = _next(readers, node, *ACTIVATIONS)
    op: Any = None if found is None else found.op
    if found is None or (op.name == "clip" and op.attr("a_min") != 0):
        return None
    return found if activation_of(found) in kinds else None


def _convolution(readers: Readers, taken: set[Node], node: Node, takes: _Takes) -> _Draft | None:
    """A convolution, BatchNorm, activation; or instead of that a sum, activation."""
    op: Any = node.op
    if len(op.kernel) == 1:
        return None
    nodes, flags = [node], []
    norm = _next(readers, node, "BatchNorm")
    if norm is not None and readers.reads_first_only(norm) and _normalizes_filters(norm, op):
        nodes.append(norm)
        flags.append("bn")
    activation = _activation(readers, nodes[-1], takes.convolution)
    total = _next(readers, nodes[-1], "elemwise_add")
    if activation is not None:
        nodes.append(activation)
        flags.append("act")
    elif total is not None and total not in taken and total.inputs[0] != total.inputs[1]:
        nodes.append(total)
        flags.append("add")
        activation = _activation(readers, total, takes.sum)
        if activation is not None:
            nodes.append(activation)
            flags.append("postsum_act")
    return nodes, _fused_convolution(flags)


def _normalizes_filters(norm: Node, convolution: Any) -> bool:
    op: Any = norm.op
    last = str(convolution.layout or "").endswith("C")
    n_axes = len(convolution.kernel) + 2
    return bool(op.axis % n_axes == (n_axes - 1 if last else 1))


_FLAGS = {"bn": "with_bn", "act": "with_act", "add": "with_sum", "postsum_act": "with_postsum_act"}


def _fused_convolution(flags: list[str]) -> Becomes:
    stem = "_".join(["sg_mkldnn_conv", *(f.removeprefix("postsum_") for f in flags), ""])
    attrs = {_FLAGS[flag]: "true" for flag in flags}
    return Becomes("_sg_mkldnn_conv", stem, attrs, "output")


def _linear(readers: Readers, _taken: set[Node], node: Node, takes: _Takes) -> _Draft | None:
    activation = _activation(readers, node, takes.linear)
    stem = "sg_mkldnn_fully_connected_"
    if activation is None:
        return [node], Becomes("_sg_mkldnn_fully_connected", stem, {}, "output")
    attrs = {"with_eltwise": "True"}
    made = Becomes("_sg_mkldnn_fully_connected", f"{stem}eltwise_", attrs, "output")
    return [node, activation], made


def _sums_turned(symbol: Symbol, takes: _Takes) -> Symbol:
    """`symbol` with what convolutions take over as the second summand."""
    turned = set()
    for nodes, _ in _drafts(symbol, "Convolution", _convolution, takes):
        for before, node in pairwise(nodes):
            if node.op is not None and node.op.name == "elemwise_add":
                turned |= {node} if node.inputs[1].node is before else set()

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        return node.copy(inputs[::-1]) if node in turned else None

    return rewrite(symbol, replace)


# Ranges -------------------------------------------------------------------------------------------

_NARROWED = frozenset(
    {
        "_contrib_quantized_elemwise_add",
        "_contrib_quantized_elemwise_mul",
        "_sg_mkldnn_conv",
        "_sg_mkldnn_fully_connected",
    }
)
_GIVES_REAL = frozenset({"_contrib_quantized_elemwise_mul", "_sg_mkldnn_fully_connected"})
_ENDS = ("min_calib_range", "max_calib_range")


def _with_ranges_taken(symbol: Symbol) -> Symbol:
    readers = Readers(symbol)

    def replace(node: Node, inputs: list[Entry]) -> Replacement:
        source = node.inputs[0].node.op if node.inputs else None
        is_narrowed = _is(node, "_contrib_requantize") and source and source.name in _NARROWED
        if is_narrowed and _alone_reads(readers, node):
            ends = {name: node.attrs[name] for name in _ENDS if name in node.attrs}
            if len(ends) == len(_ENDS):
                return _changed(inputs[0].node, ends)
        is_real = _is(node, "_contrib_dequantize") and _is_calibrated(inputs[0].node, _GIVES_REAL)
        if is_real and _alone_reads(readers, node):
            return _changed(inputs[0].node, {"enable_float_output": "True"}, dropped=_ENDS)
        return None

    return _concatenated_alike(rewrite(symbol, replace))


def _is(node: Node, name: str) -> bool:
    return node.op is not None and node.op.name == name


def _alone_reads(readers: Readers, node: Node) -> bool:
    """Whether nobody else reads what `node` reads: integers and their range."""
    source = node.inputs[0].node
    entries = [Entry(source, i) for i in range(3)]
    return node.inputs == entries and all(readers.only(e) is node for e in entries)


def _is_calibrated(node: Node, operators: frozenset[str]) -> bool:
    op: Any = node.op
    if op is None or op.name not in operators:
        return False
    return all(op.attr(name) is not None for name in _ENDS)


def _changed(node: Node, attrs: Mapping[str, str], dropped: tuple[str, ...] = ()) -> Node:
    """A node with other attributes."""
    given = {**{k: v for k, v in node.attrs.items() if k not in dropped}, **attrs}
    op = parsed(node.op.name, given, node.subgraphs)  # type: ignore[union-attr]
    return Node(op, node.name, given, node.inputs, node.subgraphs)


_ALIKE = frozenset({"_contrib_quantize_v2", "_sg_mkldnn_conv"})


def _concatenated_alike(symbol: Symbol) -> Symbol:
    """`symbol` with calibrated arrays that are concatenated in one range, that of all of them."""
    ranges: dict[Node, dict[str, str]] = {}
    for node in symbol.nodes:
        if _is(node, "_contrib_quantized_concat"):
            count = len(node.inputs) // 3
            sources = [e.node for e in node.inputs[:count] if _is_calibrated(e.node, _ALIKE)]
            if len(sources) == count:
                low = min(float(n.attrs[_ENDS[0]]) for n in sources)
                high = max(float(n.attrs[_ENDS[1]]) for n in sources)
                ends = dict(zip(_ENDS, (f"{low:f}", f"{high:f}"), strict=True))
                ranges.update((n, ends) for n in sources)

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        ends = ranges.get(node)
        return None if ends is None else _changed(node.copy(inputs), ends)

    return rewrite(symbol, replace)
