# SPDX-License-Identifier: Apache-2.0
"""Nodes and bodies in a runtime's words: whether that can be said, and saying it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ....graph.infer import DTypeTable, ShapeTable, infer_dtypes, infer_shapes
from ....graph.node import Entry, Node
from ....graph.symbol import Symbol
from ...fused.constant import Constant
from ...passes.attention_fusion import with_fused_attention
from ..request import PRECISIONS
from . import (  # noqa: F401 - they fill the table
    arrangement,
    elementwise,
    images,
    indexing,
    layers,
    quantized,
    recurrent,
    sources,
)
from .opset import Opset
from .site import CONVERTERS, Site

__all__ = [
    "CONVERTERS",
    "Part",
    "further_outputs_read",
    "is_for_runtimes",
    "refusal",
    "said",
    "site_of",
    "type_refusal",
]

_FLOATS = frozenset({torch.float32})
_INTEGERS = frozenset({torch.int8, torch.uint8, torch.int32})  # which int8 kernels read and make


def further_outputs_read(symbol: Symbol) -> set[Node]:
    """Nodes of which more than the first output is read."""
    read = (*(e for n in symbol.nodes for e in n.inputs), *symbol.entries)
    return {e.node for e in read if e.output}


def refusal(node: Node, site: Site, reads_further: bool = False) -> str | None:
    """Why a node cannot be part of a model; None where it can.

    Args:
        node: of an operator.
        site: what is known of it.
        reads_further: whether more than its first output is read.
    """
    if node.op is None or node.op.name not in CONVERTERS:
        return f"there is no converter for {site.op.name}"
    if any(0 in shape for shape in (*site.shapes, *site.out)):
        return "an array without elements"
    converter = CONVERTERS[node.op.name]
    if converter.is_arithmetic and torch.uint64 in (*site.dtypes, *site.out_dtypes):
        return "arithmetic of uint64, which runtimes lack"
    if site.version < converter.since:
        return f"there is no converter before opset {converter.since}"
    if reads_further and not converter.has_several:
        return "its further outputs are read"
    return None if converter.refusal is None else converter.refusal(site)


def type_refusal(
    node: Node, dtypes: Iterable[torch.dtype | None], has_integers: bool
) -> str | None:
    """Why a node on arrays of some types cannot be part of a runtime's model; None where it can.

    Args:
        node: of an operator.
        dtypes: of what it reads and of what is read of it.
        has_integers: whether the runtime has words for integers.
    """
    others = {*dtypes} - {None} - _FLOATS
    converter = CONVERTERS.get(node.op.name) if node.op is not None else None
    takes_integers = has_integers and converter is not None and converter.takes_integers
    allowed = _INTEGERS if takes_integers else frozenset()
    return None if others <= allowed else "arrays that are not float32"


def is_for_runtimes(node: Node) -> bool:
    """Whether all runtimes have the words for a node, if there are any."""
    converter = CONVERTERS.get(node.op.name) if node.op is not None else None
    return converter is None or not converter.only_onnx


def site_of(
    node: Node,
    shapes: ShapeTable,
    constants: Mapping[str, Tensor],
    dtypes: DTypeTable | None = None,
) -> Site:
    """What a converter knows of a node.

    Args:
        node: of an operator.
        shapes: of all nodes.
        constants: variables that stay, by name; nodes of `Constant` say their value themselves.
        dtypes: of all nodes; None where all are float32.
    """
    if node.op is None:
        raise ValueError(f"{node.name} is a variable")
    values = [_value(e, constants) for e in node.inputs]
    read = [_known(shapes[e.node][e.output]) for e in node.inputs]
    site = Site(node.op, read, [_known(s) for s in shapes[node]], values)
    if dtypes is not None:
        site.dtypes = [dtypes[e.node][e.output] or torch.float32 for e in node.inputs]
        site.out_dtypes = [t or torch.float32 for t in dtypes[node]]
    return site


def _value(entry: Entry, constants: Mapping[str, Tensor]) -> Tensor | None:
    if isinstance(entry.node.op, Constant):
        return entry.node.op.value
    return constants.get(entry.node.name) if entry.node.op is None else None


def said(site: Site) -> list[Any]:
    """Values of a node's outputs, said in the words of its site."""
    converter, ops, given = CONVERTERS[site.op.name], site.ops, site.out_dtypes[0]
    dtype = (*site.dtypes, given)[0]
    if converter.is_arithmetic:
        is_known = given.is_floating_point or given in _COMPUTED
        dtype = given if is_known else torch.int32 if given.itemsize < 4 else torch.int64
        site = site.computed_in(dtype)
    with ops.computing_in(dtype):
        found = converter.build(site)
    values = found if isinstance(found, list) else [found]
    if dtype is given or not converter.is_arithmetic:
        return values
    return [ops.cast(value, given) for value in values]


# Whole numbers that runtimes compute with; others are just stored.
_COMPUTED = (torch.int32, torch.int64)


def _known(shape: Any) -> tuple[int, ...]:
    return () if shape is None else tuple(shape)  # hidden outputs may have none


@dataclass(eq=False)
class Part:
    """Nodes that are to become a model, for inputs of known shapes.

    Attributes:
        body: the nodes, on variables.
        shapes: of the variables that change, by name, in the order of the model's inputs.
        constants: values of the others, by name.
        precision: what products may be computed in.
        given: element types of the variables that change, by name, where they are not float32.
        table: shapes of all nodes.
        dtypes: element types of all nodes.
    """

    body: Symbol
    shapes: Mapping[str, tuple[int, ...]]
    constants: Mapping[str, Tensor]
    precision: str = PRECISIONS[0]
    given: Mapping[str, torch.dtype] = field(default_factory=dict)
    table: ShapeTable = field(init=False)
    dtypes: DTypeTable = field(init=False)

    def __post_init__(self) -> None:
        known = dict.fromkeys(self.shapes, torch.float32) | dict(self.given)
        known |= {n: t.dtype for n, t in self.constants.items()}
        self.body = with_fused_attention(self.body, infer_dtypes(self.body.nodes, known))
        self.dtypes = infer_dtypes(self.body.nodes, known)
        constants = {n: tuple(t.shape) for n, t in self.constants.items()}
        self.table = infer_shapes(self.body.nodes, {**self.shapes, **constants})

    def can_be_said(self) -> bool:
        """Whether there are words for all of it, at these shapes."""
        nodes = [n for n in self.body.nodes if n.op is not None]
        return all(
            refusal(n, self._site(n)) is None
            and type_refusal(n, self._types_at(n), has_integers=True) is None
            for n in nodes
        )

    def _types_at(self, node: Node) -> list[torch.dtype | None]:
        return [*self.dtypes[node], *(self.dtypes[e.node][e.output] for e in node.inputs)]

    def _site(self, node: Node) -> Site:
        return site_of(node, self.table, self.constants, self.dtypes)

    def of_items(self, count: int) -> Part:
        """The same for as many items along the first axis of all inputs."""
        shapes = {n: (count, *shape[1:]) for n, shape in self.shapes.items()}
        return replace(self, shapes=shapes)

    def head_shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the heads."""
        return [_known(self.table[e.node][e.output]) for e in self.body.entries]

    def head_dtypes(self) -> list[torch.dtype]:
        """Element types of the heads."""
        return [self.dtypes[e.node][e.output] or torch.float32 for e in self.body.entries]

    def has_integers(self) -> bool:
        """Whether any array is not float32."""
        return any({*found} - {None, torch.float32} for found in self.dtypes.values())

    def said_in(self, ops: Opset) -> list[Any]:
        """Values of the heads, said in the words of `ops`, the model that is being written."""
        made: dict[Node, list[Any]] = {}
        for node in self.body.nodes:
            if node.op is None and node.name in self.constants:
                made[node] = [ops.constant(self.constants[node.name])]
            elif node.op is None:
                dtype = self.dtypes[node][0] or torch.float32
                with ops.computing_in(dtype):
                    made[node] = [ops.parameter(node.name, self.shapes[node.name])]
            else:
                site = self._site(node)
                site.ops, site.inputs = ops, [made[e.node][e.output] for e in node.inputs]
                made[node] = said(site)
        return [made[e.node][e.output] for e in self.body.entries]
