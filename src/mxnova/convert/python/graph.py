# SPDX-License-Identifier: Apache-2.0
"""A symbol as steps, one for each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...core.base.errors import MXNetError
from ...core.base.shapes import PartialShape, is_known
from ...core.base.unique_names import FreeNames
from ...core.graph.infer import infer_dtypes, infer_shapes
from ...core.graph.node import Entry, Node
from ...core.op.dtypes import torch_dtype
from ...torch_module.open_sizes import Facts, sized
from ..request import Request
from .emitters import EMITTERS
from .names import identifier
from .recurrent import packed
from .steps import Site, Sizes, Step
from .traced import UntraceableError, traced

__all__ = ["Steps", "steps_of"]


@dataclass
class Steps:
    """A graph.

    Attributes:
        steps: in the order in which they run.
        inputs: names of what is fed.
        outputs: what comes out: (step or name of an input, number of the step's output).
    """

    steps: list[Step]
    inputs: list[str]
    outputs: list[tuple[Step | str, int]]


def steps_of(request: Request) -> Steps:
    """The network of a request.

    Raises:
        MXNetError: nodes that cannot be written as Python, all of them, with reasons.
    """
    return _Walk(request).steps()


class _Walk:
    def __init__(self, request: Request) -> None:
        arrays, types = request.typed
        self._values = {name: array._tensor.detach() for name, array in arrays.items()}
        self._inputs = list(request.shapes)
        kinds = {name: torch_dtype(kind) for name, kind in types.items()}
        symbol = packed(request.graph, self._values)
        dtypes = {n: t.dtype for n, t in self._values.items()} | kinds
        facts = Facts(self._known(request.examples[0]), dtypes, tuple(self._inputs))
        self._symbol = sized(symbol, facts)
        self._tables = [self._inferred(shapes) for shapes in request.examples]
        self._dtypes = infer_dtypes(self._symbol.nodes, dtypes)
        self._refused: list[str] = []

    def _known(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        return {n: tuple(t.shape) for n, t in self._values.items()} | dict(shapes)

    def _inferred(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[Node, list[PartialShape]]:
        table = infer_shapes(self._symbol.nodes, self._known(shapes))
        return {node: list(table[node]) for node in self._symbol.nodes}

    def steps(self) -> Steps:
        made: dict[Node, Step | str] = {}
        steps = []
        for node in self._symbol.nodes:
            if node.op is None:
                made[node] = node.name
                continue
            step = self._step(node)
            if step is None:
                made[node] = node.name  # refused at the end
                continue
            self._connect(step, node, made)
            made[node] = step
            steps.append(step)
        if self._refused:
            raise MXNetError(f"convert: no Python for {'; '.join(self._refused)}")
        outputs = [(made[e.node], e.output) for e in self._symbol.entries]
        return Steps(_needed(steps, outputs), self._inputs, outputs)

    def _connect(self, step: Step, node: Node, made: Mapping[Node, Step | str]) -> None:
        """Tells a step what it reads; parameters that no layer has are read by the expression."""
        parameters: dict[str, Tensor] = {}
        places: dict[int, str] = {}
        read = self._read(node)
        arguments = _argument_names(node, len(read))
        for place, entry in enumerate(read):
            name = entry.node.name if entry.node.op is None else ""
            if f"{{{place}}}" not in step.template:
                continue
            if name in self._values:
                places[place] = f"{{p{len(parameters)}}}"
                parameters[arguments[place]] = self._values[name]
            else:
                places[place] = f"{{{len(step.reads)}}}"
                step.reads.append((made[entry.node], entry.output))
        for place in sorted(places):
            step.template = step.template.replace(f"{{{place}}}", f"\0{place}\0")
        for place, text in places.items():
            step.template = step.template.replace(f"\0{place}\0", text)
        step.node, step.parameters = node, parameters

    def _read(self, node: Node) -> list[Entry]:
        """What a node reads, labels apart that nobody feeds."""
        return [e for e in node.inputs if e.node.op is not None or self._is_there(e.node.name)]

    def _is_there(self, name: str) -> bool:
        return name in self._values or name in self._inputs

    def _step(self, node: Node) -> Step | None:
        read = self._read(node)
        values = [self._values.get(e.node.name) if e.node.op is None else None for e in read]
        shapes = [self._shape(e.node, e.output) for e in read]
        if not all(shape is not None for shape in shapes):
            self._refused.append(f"{node.name!r} ({node.op.name}): shapes that depend on values")  # type: ignore[union-attr]
            return None
        site = Site(node, shapes, values, self._shape(node, 0))
        emit = EMITTERS.get(node.op.name)  # type: ignore[union-attr]
        step = emit(site) if emit is not None else None
        if step is None or step.has_several != (node.op.n_visible() > 1):  # type: ignore[union-attr]
            return self._traced(node, read)
        return step

    def _traced(self, node: Node, read: Sequence[Entry]) -> Step | None:
        shapes = [self._shape(e.node, e.output) or () for e in read]
        examples = [
            torch.zeros(
                [int(size) for size in self._tables[0][e.node][e.output] or ()],
                dtype=self._dtypes[e.node][e.output] or torch.float32,
            )
            for e in read
        ]
        try:
            return traced(node, _argument_names(node, len(read)), examples, shapes)
        except UntraceableError as reason:
            self._refused.append(f"{node.name!r} ({node.op.name}): {reason}")  # type: ignore[union-attr]
            return None

    def _shape(self, node: Node, output: int) -> Sizes | None:
        """The shape of a value, with None for sizes that are open."""
        first, second = (table[node][output] for table in self._tables)
        if first is None or second is None or not (is_known(first) and is_known(second)):
            return None
        pairs = zip(first, second, strict=True)
        return tuple(int(a) if a == b else None for a, b in pairs)


def _needed(steps: Sequence[Step], outputs: Sequence[tuple[Step | str, int]]) -> list[Step]:
    """Those of `steps` whose values are read."""
    read = {id(source) for source, _ in outputs}
    found = []
    for step in reversed(steps):
        if id(step) in read:
            found.append(step)
            read |= {id(source) for source, _ in step.reads}
    return found[::-1]


def _argument_names(node: Node, count: int) -> list[str]:
    """Names of what a node reads, each once."""
    free = FreeNames()
    known = [] if node.op is None else list(node.op.inputs())
    return [free.free(identifier(name).lower()) for name in [*known, *["data"] * count][:count]]
