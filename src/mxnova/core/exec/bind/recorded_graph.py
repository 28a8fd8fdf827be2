# SPDX-License-Identifier: Apache-2.0
"""The Symbol of what a recorded array was computed by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...base.errors import ArgumentTypeError, MXNetError
from ...base.parameter_types import attr_text
from ...graph.node import Entry, Node, parsed
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...nd.array_operators import Index
from ...nd.softmax_cross_entropy import SoftmaxCrossEntropy
from ...nd.tape import Leaf, TapeNode, is_live
from ...op.schema import Op, find
from ..calls import control_flow  # noqa: F401 - Symbol.bind, _CachedOp
from . import symbol_methods  # noqa: F401 - Symbol.bind, _CachedOp
from .cached_op import CachedOp

__all__ = ["get_symbol"]


def get_symbol(x: NDArray) -> Symbol:
    """The Symbol of what a recorded array was computed by.

    Arrays with `attach_grad` are its variables ``var0``, …; constants are ``null1``, ….

    Args:
        x: an array of a graph that no backward pass has used up.
    """
    if not isinstance(x, NDArray):
        raise ArgumentTypeError(f"get_symbol: x is a {type(x).__name__}, not an NDArray")
    node = x._node
    if node is None or not is_live(x):
        raise MXNetError("get_symbol: x has no recorded computation; compute it inside record()")
    entries: dict[TapeNode, Entry] = {}
    graphs: dict[TapeNode, Sequence[Entry]] = {}  # all outputs of what a CachedOp has run
    for step in _in_order(node):
        if isinstance(step.made_by, int):
            (whole,) = step.inputs or ()
            outputs = graphs.get(whole)
            alone = Entry(entries[whole].node, step.made_by)
            entries[step] = alone if outputs is None else outputs[step.made_by]
            continue
        inputs = [entries[s] for s in step.inputs or ()]
        if isinstance(step.made_by, CachedOp):
            graphs[step] = _graph_of(step.made_by, f"node_{step.number}", inputs)
            entries[step] = graphs[step][0]
        else:
            entries[step] = _entry_of(step, inputs)
    return Symbol([entries[node]])


def _in_order(head: TapeNode) -> Iterator[TapeNode]:
    """`head` and what it was computed from, each after its inputs."""
    seen, stack = {head}, [(head, iter(head.inputs or ()))]
    while stack:
        node, rest = stack[-1]
        source = next((s for s in rest if s not in seen), None)
        if source is None:
            yield node
            stack.pop()
        else:
            seen.add(source)
            stack.append((source, iter(source.inputs or ())))


def _entry_of(step: TapeNode, inputs: Sequence[Entry]) -> Entry:
    made_by, name = step.made_by, f"node_{step.number}"
    if made_by is None:
        kind = "var" if isinstance(step, Leaf) else "null"
        return Entry(Node(None, f"{kind}{step.number}", {}), 0)
    if isinstance(made_by, Index):
        return _indexed(made_by.values, name, inputs)
    if isinstance(made_by, SoftmaxCrossEntropy):
        return _chained(made_by.steps(), name, inputs)
    if not isinstance(made_by, Op):
        raise MXNetError(f"get_symbol: a step {made_by} is no operator that a Symbol could have")
    return _applied(made_by, name, inputs)


def _graph_of(op: CachedOp, name: str, inputs: Sequence[Entry]) -> Sequence[Entry]:
    """The outputs of a CachedOp: of its own nodes where it is small, of one node otherwise."""
    symbol = op.symbol
    if not op.is_inlined:
        node = Node(parsed("_CachedOp", {}, [symbol]), name, {}, inputs, [symbol])
        return [Entry(node, i) for i in range(len(symbol.entries))]
    given = dict(zip(symbol.list_inputs(), inputs, strict=True))
    last = symbol.nodes[-1]

    def replace(node: Node, sources: list[Entry]) -> Node | list[Entry]:
        if node.op is None:
            return [given[node.name]]
        copy = node.copy(sources)
        copy.name = name if node is last else f"{name}_{symbol.nodes.index(node)}"
        return copy

    return rewrite(symbol, replace).entries


def _applied(op: Op, name: str, inputs: Sequence[Entry]) -> Entry:
    fields = {f.name: f for f in op.type.fields}
    attrs = {
        key: fields[key].kind.text(value) if key in fields else attr_text(value)
        for key, value in op.values.items()
        if key not in fields or value != fields[key].default
    }
    return Entry(Node(op, name, attrs, inputs), 0)


def _chained(steps: Sequence[Op], name: str, inputs: Sequence[Entry]) -> Entry:
    """What `steps` give one after another; those of more inputs take the next of `inputs`, too."""
    entry, *rest = inputs
    for i, op in enumerate(steps):
        taken = [rest.pop(0) for _ in op.inputs()[1:]]
        entry = _applied(op, f"{name}_{i}" if i < len(steps) - 1 else name, [entry, *taken])
    return entry


def _indexed(facts: Mapping[str, Any], name: str, inputs: Sequence[Entry]) -> Entry:
    """``x[key]`` in operators: a slice, then its axes; for arrays as key, elements by position."""
    key, source, shape = facts["key"], facts["source"], facts["shape"]
    if key is None:
        positions = Entry(Node(None, f"{name}_indices", {}), 0)
        return _applied(find("gather_nd").of({}), name, [inputs[0], positions])
    ranges = _ranges(key, len(source))
    begin, end, step = (tuple(part) for part in zip(*ranges, strict=True))
    op = find("slice").of({"begin": begin, "end": end, "step": step})
    part = _applied(op, name, inputs)
    sizes = [len(range(n)[slice(*r)]) for n, r in zip(source, ranges, strict=True)]
    if tuple(sizes) == shape:
        return part
    return _applied(find("Reshape").of({"shape": shape}), f"{name}_shaped", [part])


def _ranges(key: Any, n_axes: int) -> list[tuple[int | None, int | None, int | None]]:
    """(begin, end, step) for every axis that a key without arrays applies to."""
    keys = [k for k in (key if isinstance(key, tuple) else (key,)) if k is not None]
    at = next((i for i, k in enumerate(keys) if k is Ellipsis), len(keys))
    rest = n_axes - sum(k is not Ellipsis for k in keys)
    keys[at : at + 1] = [slice(None)] * rest
    return [
        (k.start, k.stop, k.step) if isinstance(k, slice) else (k, k + 1 or None, None)
        for k in keys
    ]
