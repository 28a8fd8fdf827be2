# SPDX-License-Identifier: Apache-2.0
"""The pass that replaces operators by those on 8-bit integers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from ...core.exec.fused.mkldnn_layers import FusedLayer
from ...core.graph.base_symbol import output_name
from ...core.graph.node import Entry, Node, parsed
from ...core.graph.rewrite import Replacement, rewrite
from ...core.graph.symbol import Symbol
from ...core.op.schema import Op, find
from ..naming import name_behind

__all__ = ["Quantized", "calibrated", "quantized_symbol"]


class _Rule(NamedTuple):
    """How an operator is replaced.

    Attributes:
        op: the operator on integers.
        integers: which inputs become integers, given the operator and how many it has.
        is_wide: whether it gives 32-bit integers, which are then narrowed.
        must: whether mode ``"smart"`` begins and ends with it.
        takes: whether it can be replaced for the operator's parameters.
        quantize: what makes its inputs integers.
        is_float: whether its outputs are real numbers.
        attrs: what its attributes get in addition.
        needs_range: whether it cannot do without the range that calibration finds.
    """

    op: str
    integers: Callable[[Any, int], Sequence[int]] = lambda _op, count: range(count)
    is_wide: bool = False
    must: bool = False
    takes: Callable[[Op], bool] = lambda op: True
    quantize: str = "_contrib_quantize_v2"
    is_float: bool = False
    needs_range: bool = False
    attrs: Mapping[str, str] = MappingProxyType({})


def _is_relu(op: Op) -> bool:
    return bool(op.attr("act_type") == "relu")


def _is_plain_convolution(op: Op) -> bool:
    layouts = (None, "NCHW", "NCDHW")
    is_plain = len(op.attr("kernel")) > 1 and op.attr("num_group") == 1
    return is_plain and op.attr("layout") in layouts


def _is_pooled_image(op: Op) -> bool:
    return op.attr("pool_type") in ("max", "avg") and op.attr("layout") in (None, "NCHW")


def _has_one_output(op: Op) -> bool:
    return op.n_visible() == 1


def _is_lstm(op: Op) -> bool:
    return bool(op.attr("mode") == "lstm")


def _is_fused_real(op: Op) -> bool:
    layer = cast(FusedLayer, op)
    return not layer.quantized and layer.can_be_quantized()


def _only_data(_op: Any, _count: int) -> Sequence[int]:
    return (0,)


def _only_table(_op: Any, _count: int) -> Sequence[int]:
    return (1,)


def _with_ranges(op: FusedLayer, _count: int) -> Sequence[int]:
    return [op.chain.names.index(name) for name in op.ranged()]


def _of_fused(op: str, yes: str) -> _Rule:
    """The rule of a fused layer, which stays the same operator; `yes` is MXNet's spelling there."""
    return _Rule(
        op,
        integers=_with_ranges,
        is_wide=True,
        must=True,
        takes=_is_fused_real,
        attrs={"quantized": yes},
    )


_RULES = {
    "Activation": _Rule("_contrib_quantized_act", takes=_is_relu),
    "BatchNorm": _Rule(
        "_contrib_quantized_batch_norm",
        integers=_only_data,
        takes=_has_one_output,
        needs_range=True,
    ),
    "Concat": _Rule("_contrib_quantized_concat"),
    "Convolution": _Rule(
        "_contrib_quantized_conv", is_wide=True, must=True, takes=_is_plain_convolution
    ),
    "Embedding": _Rule("_contrib_quantized_embedding", integers=_only_table),
    "Flatten": _Rule("_contrib_quantized_flatten"),
    "FullyConnected": _Rule("_contrib_quantized_fully_connected", is_wide=True, must=True),
    "Pooling": _Rule("_contrib_quantized_pooling", takes=_is_pooled_image),
    "RNN": _Rule(
        "_contrib_quantized_rnn",
        integers=_only_data,
        must=True,
        takes=_is_lstm,
        quantize="_contrib_quantize_asym",
        is_float=True,
        attrs={"quantized": "true"},
    ),
    "_sg_mkldnn_conv": _of_fused("_sg_mkldnn_conv", "true"),
    "_sg_mkldnn_fully_connected": _of_fused("_sg_mkldnn_fully_connected", "True"),
    "elemwise_add": _Rule("_contrib_quantized_elemwise_add", is_wide=True),
    "elemwise_mul": _Rule("_contrib_quantized_elemwise_mul", is_wide=True),
}

# Their parameters min_calib_range and max_calib_range are what calibration finds.
_CALIBRATED = frozenset(
    {
        "_contrib_quantize_v2",
        "_contrib_quantized_batch_norm",
        "_contrib_requantize",
    }
)


class Quantized(NamedTuple):
    """A quantized symbol.

    Attributes:
        symbol: the symbol.
        layers: names of the outputs of the symbol on real numbers whose ranges it needs.
    """

    symbol: Symbol
    layers: list[str]


def quantized_symbol(
    symbol: Symbol,
    parameters: Collection[str],
    excluded: Collection[str],
    excluded_operators: Collection[str],
    dtype: str,
    mode: str,
    has_ranges: bool,
    by_channel: bool = False,
) -> Quantized:
    """`symbol` on integers, where operators have such a form; its outputs are real numbers.

    Args:
        symbol: it stays as it is.
        parameters: variables that are quantized beforehand: ``w`` becomes ``w_quantize``,
            ``w_quantize_min`` and ``w_quantize_max``.
        excluded: names of nodes that stay; a fused layer stays with any of what it stands for.
        excluded_operators: names of operators that stay; the same.
        dtype: ``"int8"``, ``"uint8"`` or ``"auto"``, which is uint8 for what is never negative.
        mode: ``"full"``, or ``"smart"``: only what lies between convolutions, FullyConnected and
            RNN, besides these.
        has_ranges: whether ranges will be found; some operators cannot do without.
        by_channel: fused FullyConnected layers quantize their weights themselves, each output by
            its own range.
    """
    rules = {
        node: _RULES[node.op.name]
        for node in symbol.nodes
        if node.op is not None
        and node.op.name in _RULES
        and not any(n.name in excluded or n.op.name in excluded_operators for n in _named_by(node))
        and _RULES[node.op.name].takes(node.op)
        and (has_ranges or not _RULES[node.op.name].needs_range)
    }
    if mode == "smart":
        rules = _between(symbol, rules)
    steps = _Pass(rules, parameters, dtype, _read_by_convolutions(symbol, rules), by_channel)
    made = steps.outputs(rewrite(symbol, steps.replace))
    return Quantized(made, steps.layers)


def _named_by(node: Node) -> Iterator[Any]:
    """A node, and the operators in its subgraph."""
    yield node
    yield from (n for body in node.subgraphs for n in body.nodes if n.op is not None)


def _between(symbol: Symbol, rules: dict[Node, _Rule]) -> dict[Node, _Rule]:
    """The rules of nodes that must be replaced, and of those between them."""
    after: set[Node] = set()  # nodes behind one that must be, with nothing else between
    for node in symbol.nodes:
        if node in rules and (rules[node].must or any(e.node in after for e in node.inputs)):
            after.add(node)
    before: set[Node] = set()
    for node in reversed(symbol.nodes):
        if node in rules and (rules[node].must or node in before):
            before.update({node, *(e.node for e in node.inputs)})
    return {key: rule for key, rule in rules.items() if key in after and key in before}


def _read_by_convolutions(symbol: Symbol, rules: dict[Node, _Rule]) -> set[Entry]:
    """Outputs that convolutions read as integers, directly or through others.

    The range that MXNet's convolution gives for uint8 data is that for int8: such data is int8.
    """
    found: set[Entry] = set()
    for node in reversed(symbol.nodes):
        rule = rules.get(node)
        if rule is None or node.op is None:
            continue
        passes = not rule.is_wide and any(Entry(node, i) in found for i in range(node.n_outputs()))
        if passes or node.op.name == "Convolution":
            found.update(node.inputs)
    return found


class _Pass:
    """Goes over the nodes of a symbol once."""

    def __init__(
        self,
        rules: dict[Node, _Rule],
        parameters: Collection[str],
        dtype: str,
        int8: set[Entry],
        by_channel: bool,
    ) -> None:
        self._by_channel = by_channel
        self.layers: list[str] = []
        self._rules = rules
        self._parameters = frozenset(parameters)
        self._dtype = dtype
        self._int8 = int8
        self._integers: dict[Entry, list[Entry]] = {}  # entry -> integers, min, max
        self._floats: dict[Entry, Entry] = {}

    def replace(self, node: Node, inputs: list[Entry]) -> Replacement:
        """What stands for `node` in the new symbol: integers for nodes with a rule."""
        rule = self._rules.get(node)
        if node.op is None or rule is None:
            return node.copy([self._real(e) for e in inputs])
        attrs = {**node.attrs, **rule.attrs}
        if self._by_channel and node.op.name == "_sg_mkldnn_fully_connected":
            attrs["channel_wise_quantize"] = "True"
        own = parsed(node.op.name, attrs, node.subgraphs) if node.subgraphs else node.op
        integers = rule.integers(own, len(inputs))
        triples = {i: self._as_integers(rule, node.inputs[i], inputs[i]) for i in integers}
        arguments = [triples[i][0] if i in triples else self._real(e) for i, e in enumerate(inputs)]
        arguments += [end for i in integers for end in triples[i][1:]]
        name = f"quantized_{node.name}"
        made = self._node(rule.op, name, attrs, arguments, node.subgraphs)
        if rule.is_float:
            return made
        if rule.op in _CALIBRATED:
            self.layers.append(output_name(Entry(node, 0)))
        if rule.is_wide:
            made = self._narrowed(node, made)
        self._integers[Entry(made, 0)] = [Entry(made, i) for i in range(3)]
        return made

    def outputs(self, symbol: Symbol) -> Symbol:
        """The symbol with its outputs as real numbers."""
        return type(symbol)([self._real(e) for e in symbol.entries])

    def _narrowed(self, node: Node, made: Node) -> Node:
        """32-bit integers as 8-bit ones."""
        self.layers.append(output_name(Entry(node, 0)))
        attrs = {"out_type": self._type_of(Entry(node, 0))}
        triple = [Entry(made, i) for i in range(3)]
        return self._node("_contrib_requantize", f"requantize_{node.name}", attrs, triple)

    def _type_of(self, old: Entry) -> str:
        return "int8" if old in self._int8 else self._dtype

    def _as_integers(self, rule: _Rule, old: Entry, new: Entry) -> list[Entry]:
        """The integers and the ends of the range that stand for an entry."""
        if new not in self._integers:
            if new.node.op is None and new.node.name in self._parameters:
                name = f"{new.node.name}_quantize"
                names = (name, f"{name}_min", f"{name}_max")
                self._integers[new] = [Entry(Node(None, n, {}), 0) for n in names]
            else:
                self._integers[new] = self._quantize(rule, old, new)
        return self._integers[new]

    def _quantize(self, rule: _Rule, old: Entry, new: Entry) -> list[Entry]:
        attrs = {}
        if rule.quantize in _CALIBRATED:
            self.layers.append(output_name(old))
            attrs = {"out_type": self._type_of(old)}
        made = self._node(rule.quantize, f"{name_behind(old)}_quantize", attrs, [new])
        return [Entry(made, i) for i in range(3)]

    def _real(self, entry: Entry) -> Entry:
        """An entry as real numbers."""
        triple = self._integers.get(entry)
        if triple is None or triple[0].node is not entry.node:
            return entry
        if entry not in self._floats:
            name = f"{_origin(entry.node)}_dequantize"
            made = self._node("_contrib_dequantize", name, {}, triple)
            self._floats[entry] = Entry(made, 0)
        return self._floats[entry]

    def _node(
        self,
        op: str,
        name: str,
        attrs: dict[str, str],
        inputs: Sequence[Entry],
        subgraphs: Sequence[Symbol] = (),
    ) -> Node:
        known = {f.name for f in find(op).fields}
        own = {k: v for k, v in attrs.items() if k.startswith("__") or k in known}
        return Node(parsed(op, own, subgraphs), name, own, inputs, subgraphs)


def calibrated(symbol: Symbol, ranges: Mapping[str, tuple[float, float]]) -> Symbol:
    """A quantized symbol with the ranges that calibration found.

    Args:
        symbol: it stays as it is.
        ranges: least and greatest number by name of an output of the symbol on real numbers.
    """

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or node.op.name not in _CALIBRATED:
            return None
        found = ranges.get(_layer_of(node, inputs))
        if found is None:
            return None
        low, high = (f"{float(end):f}" for end in found)
        attrs = {**node.attrs, "min_calib_range": low, "max_calib_range": high}
        return Node(parsed(node.op.name, attrs), node.name, attrs, inputs)

    return rewrite(symbol, replace)


def _layer_of(node: Node, inputs: Sequence[Entry]) -> str:
    """The name of the output on real numbers that a node gives as integers."""
    is_source = node.op is not None and node.op.name == "_contrib_quantize_v2"
    return output_name(inputs[0]) if is_source else f"{_origin(node)}_output"


def _origin(node: Node) -> str:
    """The name of the node on real numbers that a node on integers stands for."""
    is_narrowed = node.op is not None and node.op.name == "_contrib_requantize"
    return node.name.removeprefix("requantize_" if is_narrowed else "quantized_")
