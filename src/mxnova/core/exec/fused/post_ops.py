# SPDX-License-Identifier: Apache-2.0
"""Which operators a fused layer stands for, and in which order they may follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base.errors import MXNetError
from ...graph.node import Entry, Node
from ...graph.symbol import Symbol

__all__ = ["ACTIVATIONS", "Chain", "activation_of"]

ACTIVATIONS = frozenset({"Activation", "LeakyReLU", "abs", "clip", "exp", "sqrt", "square"})


class Chain(NamedTuple):
    """What a subgraph computes.

    Attributes:
        product: the first operator.
        norm: the BatchNorm behind it, None where there is none.
        rest: what follows: activations, and a sum at most.
        names: its inputs, in the order that the node takes them in.
    """

    product: Node
    norm: Node | None
    rest: tuple[Node, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, owner: str, product: str, subgraphs: Sequence[Symbol]) -> Chain:
        """The chain in the only subgraph of a node.

        Raises:
            MXNetError: there is none, or not one.
        """
        if len(subgraphs) != 1:
            raise MXNetError(f"{owner}: it has {len(subgraphs)} subgraphs: it must have one")
        body = subgraphs[0]
        steps = [n for n in body.nodes if n.op is not None]
        names = list(map(_name, steps))
        if not _is_chain(body, steps) or not _is_known(steps, product):
            raise MXNetError(
                f"{owner}: its subgraph has {', '.join(names) or 'no operators'}: it must be "
                f"{product}, and what it may take over, each reading the one before it"
            )
        norm = steps[1] if names[1:2] == ["BatchNorm"] else None
        rest = steps[1 if norm is None else 2 :]
        return cls(steps[0], norm, tuple(rest), tuple(body.list_inputs()))

    @property
    def sum(self) -> Node | None:
        """The sum."""
        return next(
            (n for n in self.rest if n.op is not None and n.op.name == "elemwise_add"), None
        )

    def summand(self) -> str | None:
        """The input that is added."""
        if self.sum is None:
            return None
        return next(e.node.name for e in self.sum.inputs if e.node.op is None)

    def states(self) -> tuple[str, ...]:
        """The inputs that are auxiliary states."""
        return () if self.norm is None else tuple(e.node.name for e in self.norm.inputs[3:])


def _name(node: Node) -> str:
    return "" if node.op is None else node.op.name


def _is_chain(body: Symbol, steps: Sequence[Node]) -> bool:
    """Whether each step reads the step before it, once, and variables besides."""
    last: list[Entry] = []
    for node in steps:
        read = [e for e in node.inputs if e.node.op is not None]
        is_first = not last or node.inputs[0] == last[0] or _name(node) == "elemwise_add"
        if read != last or not is_first:
            return False
        last = [Entry(node, 0)]
    names = body.list_inputs()
    return body.entries == last and len(set(names)) == len(names)


def _is_known(steps: Sequence[Node], product: str) -> bool:
    """Whether the steps are those that such a layer may take over, in a possible order."""
    names = list(map(_name, steps))
    is_convolution = product == "Convolution"
    rest = steps[2:] if is_convolution and names[1:2] == ["BatchNorm"] else steps[1:]
    sums = [n for n in rest if _name(n) == "elemwise_add"]
    return (
        names[:1] == [product]
        and len(sums) <= is_convolution
        and all(len(n.inputs) == 1 and _name(n) in ACTIVATIONS for n in rest if n not in sums)
    )


def activation_of(node: Node) -> str:
    """The name of an activation."""
    op: Any = node.op
    return str(op.attr("act_type")) if op.name in ("Activation", "LeakyReLU") else str(op.name)
