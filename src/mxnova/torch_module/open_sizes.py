# SPDX-License-Identifier: Apache-2.0
"""Operators that make as much as their readers need, such as initial states of any batch.

``zeros(shape=(0, 8))`` makes a row for each item of a batch. Which sizes of inputs it follows is
found by inferring shapes with primes in place of them; modules then read these sizes as they run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..core.base.errors import MXNetError
from ..core.base.shapes import is_known, shape_text
from ..core.graph.infer import ShapeTable, infer_dtypes, infer_shapes
from ..core.graph.node import Entry, Node
from ..core.graph.open_sizes import HugeShapes, OpenSizes, is_open
from ..core.graph.rewrite import rewrite
from ..core.graph.symbol import Symbol
from ..core.op.infer import DTypes, Shapes
from ..core.op.outputs import numbered
from ..core.op.schema import Op, OpType

__all__ = ["Facts", "open_nodes", "sized"]


class Facts(NamedTuple):
    """What is known of a graph's variables.

    Attributes:
        shapes: of parameters, auxiliary states and inputs, as far as known; sizes of inputs are
            examples.
        dtypes: of parameters and auxiliary states.
        inputs: names of the inputs.
    """

    shapes: Mapping[str, tuple[int, ...]]
    dtypes: Mapping[str, torch.dtype]
    inputs: tuple[str, ...]


def open_nodes(symbol: Symbol, facts: Facts) -> list[Node]:
    """Operators without inputs whose shapes follow from those of the graph's inputs."""
    made = [n for n in symbol.nodes if n.op is not None and not n.inputs and _is_open_alone(n)]
    if not made:
        return []
    known = {n: s for n, s in facts.shapes.items() if n not in facts.inputs}
    try:
        table = infer_shapes(symbol.nodes, known)
    except MXNetError:  # MXNet takes what is not known for empty where it joins arrays
        return made
    return [n for n in made if not is_known(table[n][0])]


def _is_open_alone(node: Node) -> bool:
    alone = Node(node.op, node.name, {})
    return not is_known(infer_shapes([alone], {})[alone][0])


def sized(symbol: Symbol, facts: Facts) -> Symbol:
    """`symbol` with operators that read how much to make from the inputs, where any leave it open.

    Raises:
        MXNetError: shapes of inputs that do not say how much.
    """
    if not any(n.op is not None and not n.inputs for n in symbol.nodes):
        return symbol
    followed = set(open_nodes(symbol, facts))
    sources, table = _opened(symbol, facts) if followed else ({}, _shapes(symbol, facts.shapes))
    dtypes = infer_dtypes(symbol.nodes, facts.dtypes)
    variables = {n.name: n for n in symbol.nodes if n.op is None}

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None or inputs:
            return None
        shape, dtype = table[node][0], dtypes[node][0] or torch.float32
        if shape is None or not is_known(shape):
            raise MXNetError(f"to_torch: {_unknown(node, shape)}")
        op = node.op.settled(tuple(1 if is_open(n) else n for n in shape), dtype)
        if not any(map(is_open, shape)):
            return node.with_operator(op, inputs)
        sizes = tuple(_size(node, n, sources) for n in shape)
        names = tuple(dict.fromkeys(s.name for s in sizes if isinstance(s, _Size)))
        return node.with_operator(
            _Sized(made=op, sizes=sizes, names=names, kind=dtype),
            [Entry(variables[n], 0) for n in names],
        )

    return rewrite(symbol, replace)


def _unknown(node: Node, shape: Any) -> str:
    name = "" if node.op is None else node.op.name
    return (
        f"node {node.name!r} ({name}): its shape {shape_text(shape)} does not follow from those of "
        "the inputs: give them as shapes="
    )


def _shapes(symbol: Symbol, known: Mapping[str, tuple[int, ...]]) -> ShapeTable:
    return infer_shapes(symbol.nodes, known, facts=HugeShapes)


class _Size(NamedTuple):
    """A multiple of a size of an input."""

    times: int
    name: str
    axis: int


def _opened(symbol: Symbol, facts: Facts) -> tuple[dict[int, tuple[str, int]], ShapeTable]:
    """(input and axis by prime, shapes), with every size of inputs open that may be."""
    sizes, shapes = OpenSizes("to_torch"), dict(facts.shapes)
    sources: dict[int, tuple[str, int]] = {}
    table = _shapes(symbol, shapes)
    for name in (n for n in facts.inputs if n in shapes):
        fixed = shapes[name]
        for axis in range(len(fixed)):
            shape = list(shapes[name])
            shape[axis] = sizes.opened(f"{name} {axis}", (fixed[axis],), (0,))[0]
            tried = {**shapes, name: tuple(shape)}
            try:
                table = _shapes(symbol, tried)
            except MXNetError:
                continue  # the graph fixes this one
            shapes, sources[shape[axis]] = tried, (name, axis)
    return sources, table


def _size(node: Node, size: int, sources: Mapping[int, tuple[str, int]]) -> int | _Size:
    if not is_open(size):
        return size
    for prime, (name, axis) in sources.items():
        if size % prime == 0 and not is_open(size // prime):
            return _Size(size // prime, name, axis)
    raise MXNetError(f"to_torch: {_unknown(node, None)}")


class _Sized(Op):
    """What `made` makes, as often as sizes of inputs say."""

    made: Op
    sizes: tuple[int | _Size, ...]
    names: tuple[str, ...]
    kind: torch.dtype
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def inputs(self) -> tuple[str, ...]:
        return numbered("arg", len(self.names))

    def infer_shape(self, s: Shapes) -> None:
        s.output = self._shape([s.full(name) for name in self.inputs()])

    def infer_dtype(self, t: DTypes) -> None:
        t.output = self.kind

    def _shape(self, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
        return tuple(
            shapes[self.names.index(s.name)][s.axis] * s.times if isinstance(s, _Size) else s
            for s in self.sizes
        )

    def forward(self, *data: Tensor) -> Tensor:
        one: Tensor = self.made.forward(**self.made.quiet_facts()).to(data[0].device)
        return one.expand(self._shape([t.shape for t in data])).clone()


_Sized.type = OpType(["_Sized"], _Sized, _Sized.forward)
