# SPDX-License-Identifier: Apache-2.0
"""What binding works out of a symbol and its inputs, kept for symbols that say the same.

Users bind anew for each prediction, or a Module for each length of sequences. Any number of
executors may run a program, unless an operator keeps a state or a backend is asked for by name.
Graphs are told apart by what they say, so that one that was changed, or made again, is known too.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from ...base import env
from ...base.scopes import is_np_shape
from ...base.shapes import PartialShape
from ...graph.infer import infer_stypes
from ...graph.node import Node, written_variables
from ...graph.symbol import Symbol
from ...op.schema import Op
from ...runtime.threads import thread_count
from .. import backends
from ..backends.request import wanted
from ..compilation.specialization import Inference
from ..program.gradient_path import refuse_without_gradient
from ..program.program import Facts, Program, Settled
from .subgraph_backends import for_binding

__all__ = ["Compiled", "compiled", "forget"]

_MOST_NODES = 20_000  # of all graphs that are kept; a ResNet-50 has 500
_KEPT: dict[Hashable, Compiled] = {}  # the one that was asked for last stands last
_LOCK = threading.Lock()
_SWITCHES = (
    "MXNET_BACKWARD_DO_MIRROR", "MXNET_ELIMINATE_COMMON_EXPR", "MXNET_SUBGRAPH_BACKEND",
    "MXNOVA_FUSE", "MXNOVA_PASSES", "MXNOVA_WINOGRAD",
)  # fmt: skip


@dataclass(frozen=True)
class Compiled:
    """A symbol compiled for an executor's inputs.

    Attributes:
        inference: how the program runs; it has run nothing.
        outputs: storage type, shape and element type of each output.
        written: names of the variables that are written to.
        n_nodes: how many nodes the graph has.
        learning: names of arguments whose gradients no operator refuses.
    """

    inference: Inference
    outputs: tuple[tuple[str, PartialShape, torch.dtype], ...]
    written: frozenset[str]
    n_nodes: int
    learning: set[tuple[str, ...]] = field(default_factory=set)

    def check_gradients(self, symbol: Symbol, arguments: tuple[str, ...]) -> None:
        """`refuse_without_gradient` of the symbol, looked for once."""
        if arguments not in self.learning:
            refuse_without_gradient(symbol, arguments)
            self.learning.add(arguments)


def compiled(symbol: Symbol, facts: Facts) -> Compiled:
    """What binding `symbol` to inputs like these makes of it.

    Raises:
        MXNetError: the facts contradict each other or the symbol.
    """
    key = _key(symbol, facts)
    if key is None:
        return _made(symbol, facts)
    with _LOCK:
        known = _KEPT.pop(key, None)
        if known is not None:
            _KEPT[key] = known
            return known
    made = _made(symbol, facts)
    with _LOCK:
        _KEPT[key] = made
        total = sum([c.n_nodes for c in _KEPT.values()])
        for oldest in list(_KEPT):
            if total <= _MOST_NODES:
                break
            total -= _KEPT.pop(oldest).n_nodes
    return made


def forget() -> None:
    """Keeps nothing of what was bound so far."""
    with _LOCK:
        _KEPT.clear()


def _made(symbol: Symbol, facts: Facts) -> Compiled:
    shapes, dtypes = facts.shapes(symbol), facts.dtypes(symbol)
    stored = {n: a.stype for n, a in facts.inputs.items()}
    stypes = infer_stypes(symbol.nodes, stored)
    outputs = tuple(
        (stypes[node][i], shapes[node][i], dtypes[node][i] or torch.float32)
        for node, i in symbol.entries
    )
    bound = for_binding(symbol, stored)
    if bound is symbol:
        program = Program(symbol, facts, Settled.of(symbol, shapes, dtypes))
    else:
        program = Program(bound, facts, order=list(facts.inputs))
    written = frozenset(n.name for n in written_variables(symbol.nodes))
    return Compiled(Inference(program), outputs, written, len(symbol.nodes))


def _key(symbol: Symbol, facts: Facts) -> Hashable | None:
    """What decides all that binding makes; None where executors must share nothing."""
    nodes = symbol.nodes
    if facts.groups or wanted(symbol) or not all(map(_is_shared, nodes)):
        return None
    numbers = {node: i for i, node in enumerate(nodes)}
    graph = tuple([_said(node, numbers) for node in nodes])
    heads = tuple([(numbers[e.node], e.output) for e in symbol.entries])
    known = tuple(facts.inputs.items())
    here = (facts.context, thread_count(), is_np_shape(), *map(env.get, _SWITCHES))
    return type(symbol), graph, heads, known, here, tuple(backends.BACKENDS.values())


def _is_shared(node: Node) -> bool:
    op = node.op
    return op is None or not (op.subgraphs or type(op).instance is not Op.instance)


def _said(node: Node, numbers: Mapping[Node, int]) -> Any:
    inputs = tuple([(numbers[e.node], e.output) for e in node.inputs])
    function = None if node.op is None else node.op.type.function
    return node.op, function, node.name, tuple(node.attrs.items()), inputs
