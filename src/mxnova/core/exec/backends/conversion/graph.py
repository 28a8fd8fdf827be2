# SPDX-License-Identifier: Apache-2.0
"""Nodes and bodies in a runtime's words: whether that can be said, and saying it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ....graph.infer import ShapeTable, infer_dtypes, infer_shapes
from ....graph.node import Node
from ....graph.symbol import Symbol
from ..fused_attention import with_fused_attention
from ..request import PRECISIONS
from . import arrangement, elementwise, layers, recurrent  # noqa: F401 - they fill the table
from .opset import Opset
from .site import CONVERTERS, Site

__all__ = ["Part", "refusal", "site_of"]


def refusal(node: Node, site: Site) -> str | None:
    """Why a node cannot be part of a model; None where it can."""
    if node.op is None or node.op.name not in CONVERTERS:
        return f"there is no converter for {site.op.name}"
    if any(0 in shape for shape in (*site.shapes, *site.out)):
        return "an array without elements"
    reason = CONVERTERS[node.op.name].refusal
    return None if reason is None else reason(site)


def site_of(node: Node, shapes: ShapeTable, constants: Mapping[str, Tensor]) -> Site:
    """What a converter knows of a node.

    Args:
        node: of an operator.
        shapes: of all nodes.
        constants: variables that stay, by name.
    """
    if node.op is None:
        raise ValueError(f"{node.name} is a variable")
    values = [constants.get(e.node.name) if e.node.op is None else None for e in node.inputs]
    read = [_known(shapes[id(e.node)][e.output]) for e in node.inputs]
    return Site(node.op, read, [_known(s) for s in shapes[id(node)]], values)


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
        table: shapes of all nodes.
    """

    body: Symbol
    shapes: Mapping[str, tuple[int, ...]]
    constants: Mapping[str, Tensor]
    precision: str = PRECISIONS[0]
    table: ShapeTable = field(init=False)

    def __post_init__(self) -> None:
        names = (*self.shapes, *self.constants)
        dtypes = infer_dtypes(self.body.nodes, dict.fromkeys(names, torch.float32))
        self.body = with_fused_attention(self.body, dtypes)
        constants = {n: tuple(t.shape) for n, t in self.constants.items()}
        self.table = infer_shapes(self.body.nodes, {**self.shapes, **constants})

    def can_be_said(self) -> bool:
        """Whether there are words for all of it, at these shapes."""
        nodes = [n for n in self.body.nodes if n.op is not None]
        return all(refusal(n, site_of(n, self.table, self.constants)) is None for n in nodes)

    def of_items(self, count: int) -> Part:
        """The same for as many items along the first axis of all inputs."""
        shapes = {n: (count, *shape[1:]) for n, shape in self.shapes.items()}
        return replace(self, shapes=shapes)

    def head_shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the heads."""
        return [_known(self.table[id(e.node)][e.output]) for e in self.body.entries]

    def said_in(self, ops: Opset) -> list[Any]:
        """Values of the heads, said in the words of `ops`, the model that is being written."""
        made: dict[int, list[Any]] = {}
        for node in self.body.nodes:
            if node.op is None and node.name in self.constants:
                made[id(node)] = [ops.floats(self.constants[node.name])]
            elif node.op is None:
                made[id(node)] = [ops.parameter(node.name, self.shapes[node.name])]
            else:
                site = site_of(node, self.table, self.constants)
                site.ops, site.inputs = ops, [made[id(e.node)][e.output] for e in node.inputs]
                found = CONVERTERS[node.op.name].build(site)
                made[id(node)] = found if isinstance(found, list) else [found]
        return [made[id(e.node)][e.output] for e in self.body.entries]
