# SPDX-License-Identifier: Apache-2.0
"""Nodes and bodies in a runtime's words: whether that can be said, and saying it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from ....graph.infer import ShapeTable, infer_shapes
from ....graph.node import Node
from ....graph.symbol import Symbol
from . import arrangement, elementwise, layers, recurrent  # noqa: F401 - they fill the table
from .opset import Opset
from .site import CONVERTERS, Site

__all__ = ["converted", "head_shapes", "refusal", "shape_table", "site_of"]


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


def shape_table(
    body: Symbol, shapes: Mapping[str, tuple[int, ...]], constants: Mapping[str, Tensor]
) -> ShapeTable:
    """Shapes of all nodes of `body`.

    Args:
        body: the nodes, on variables.
        shapes: of the variables that change, by name.
        constants: values of the others, by name.
    """
    return infer_shapes(body.nodes, {**shapes, **{n: tuple(t.shape) for n, t in constants.items()}})


def head_shapes(body: Symbol, table: ShapeTable) -> list[tuple[int, ...]]:
    """Shapes of the heads of `body`."""
    return [_known(table[id(e.node)][e.output]) for e in body.entries]


def converted(
    ops: Opset, body: Symbol, table: ShapeTable, constants: Mapping[str, Tensor]
) -> list[Any]:
    """Values of the heads of `body`, said in the words of `ops`.

    Args:
        ops: the model that is being written; its inputs are the variables that change, in order.
        body: the nodes, on variables.
        table: shapes of all nodes.
        constants: values of variables that stay, by name.
    """
    made: dict[int, list[Any]] = {}
    for node in body.nodes:
        if node.op is None and node.name in constants:
            made[id(node)] = [ops.floats(constants[node.name])]
        elif node.op is None:
            made[id(node)] = [ops.parameter(node.name, _known(table[id(node)][0]))]
        else:
            site = site_of(node, table, constants)
            site.ops, site.inputs = ops, [made[id(e.node)][e.output] for e in node.inputs]
            found = CONVERTERS[node.op.name].build(site)
            made[id(node)] = found if isinstance(found, list) else [found]
    return [made[id(e.node)][e.output] for e in body.entries]
