# SPDX-License-Identifier: Apache-2.0
"""What parameters alone decide is computed once.

Precondition: all that a node reads stays; it draws no random numbers, keeps no state, writes to
nothing. Results that are much larger than what they are made of are left to be made each time.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from ...graph.node import Entry, Node
from ...graph.rewrite import rewrite
from ...graph.symbol import Symbol
from ...op.schema import Op
from ..fused.constant import Constant, Owned
from .definition import Pass

__all__ = ["PASS", "with_constants_folded", "with_own_outputs"]

_LARGE = 1 << 20  # elements


def with_constants_folded(symbol: Symbol, constants: Mapping[str, Tensor]) -> Symbol:
    """`symbol` with such nodes made constants.

    Args:
        symbol: any symbol; it stays as it is.
        constants: values of variables that stay, by name.
    """
    heads = {e.node for e in symbol.entries}

    def value(entry: Entry) -> Tensor | None:
        node = entry.node
        if isinstance(node.op, Constant):
            return node.op.value
        return constants.get(node.name) if node.op is None else None

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or not inputs or node in heads or not _is_function(node.op):
            return None
        given = [value(e) for e in inputs]
        known = [t.detach() for t in given if t is not None]
        if len(known) < len(given):
            return None
        result = _computed(node.op, known)
        if result.numel() > _LARGE + 2 * sum(t.numel() for t in known):
            return None
        before = [n for e in inputs for n in getattr(e.node.op, "absorbed", ())]
        return Node(Constant(value=result, absorbed=(*before, node.name)), node.name, {})

    return rewrite(symbol, replace)


def with_own_outputs(symbol: Symbol) -> Symbol:
    """`symbol` whose outputs are no views of constants: who gets them may write to them."""
    constants = [n.op.value for n in symbol.nodes if isinstance(n.op, Constant)]
    if not constants:
        return symbol
    memory = frozenset(t.untyped_storage().data_ptr() for t in constants)
    behind: set[Node] = set()  # nodes that read constants, or what is made of them
    for node in symbol.nodes:
        if isinstance(node.op, Constant) or any(e.node in behind for e in node.inputs):
            behind.add(node)

    def owned(entry: Entry) -> Entry:
        if entry.node not in behind:
            return entry
        return Entry(Node(Owned(memory=memory), f"{entry.node.name}_owned", {}, [entry]), 0)

    return type(symbol)([owned(e) for e in symbol.entries])


def _computed(op: Op, inputs: list[Tensor]) -> Tensor:
    with torch.no_grad():
        result: Tensor = op.forward(*inputs, **op.quiet_facts())
    return result.clone() if any(result is t for t in inputs) else result


def _is_function(op: Op) -> bool:
    return (
        len(op.outputs()) == 1
        and not op.draws
        and not (op.structure.written or op.subgraphs)
        and type(op).instance is Op.instance
    )


PASS = Pass(
    "constant_folding",
    requires="inputs that stay, no random numbers, no state, no writes",
    ensures="what these decide is an array; outputs are no views of such arrays",
    apply=lambda symbol, target: with_own_outputs(with_constants_folded(symbol, target.constants)),
)
