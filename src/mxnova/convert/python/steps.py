# SPDX-License-Identifier: Apache-2.0
"""What a node of a graph becomes in Python: a layer, a call, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...core.base.unique_names import FreeNames
from ...core.graph.node import Node

__all__ = ["Label", "Layer", "Literal", "Site", "Sizes", "Step", "real"]

Literal = int | float | bool | str | tuple[int, ...]
Sizes = tuple[int | None, ...]
"""Of an array; None where a size is left open."""


class Layer(NamedTuple):
    """A module of torch.nn.

    Attributes:
        kind: the class, such as ``nn.Conv2d``.
        given: its arguments: values by name; those of a name that begins with ``_`` by place.
        tensors: its parameters and buffers by name.
    """

    kind: str
    given: Mapping[str, Literal]
    tensors: Mapping[str, Tensor]


@dataclass
class Step:
    """One node.

    Attributes:
        template: the expression: ``{0}`` for the first value it reads, ``{m}`` for the layer,
            ``{pad}`` for a number of `given`, ``{p0}`` for the first of `parameters`.
        given: numbers in the expression.
        layer: a module that it calls, or None.
        constant: expression of a tensor that is made once, ``{m}``, or None.
        parameters: tensors that the expression reads itself, by the operator's name for them.
        function: source of a function that the expression calls by ``{f}``, or None.
        node: the node it is of.
        reads: (step that made a value or name of an input, number of the output), in order.
        is_block: whether it stands for blocks, which are called as a layer is.
        has_several: whether its value is a tuple.
    """

    template: str
    given: Mapping[str, Literal] = field(default_factory=dict)
    layer: Layer | None = None
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    function: str | None = None
    constant: str | None = None
    node: Node | None = None
    reads: list[tuple[Step | str, int]] = field(default_factory=list)
    is_block: bool = False
    has_several: bool = False

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.name if self.node is not None else ""

    @property
    def is_call(self) -> bool:
        """Whether it is a function of one value without tensors of its own."""
        return self.layer is None and not self.parameters and len(self.reads) == 1

    def form(self) -> Any:
        """What steps have in common that differ in numbers only."""
        layer = self.layer and (
            self.layer.kind,
            tuple(self.layer.given),
            tuple((name, tensor.dtype) for name, tensor in self.layer.tensors.items()),
        )
        ranks = tuple((t.dim(), t.dtype) for t in self.parameters.values())
        return self.template, tuple(self.given), layer, ranks, self.function, self.constant


class Label(NamedTuple):
    """Names of a step in a class.

    Attributes:
        name: of its value and its layer.
        parameters: attributes that hold its parameters.
    """

    name: str
    parameters: tuple[str, ...] = ()

    @classmethod
    def free(cls, name: str, step: Step, names: FreeNames) -> Label:
        """Names for a step that nobody has yet."""
        base = names.free(name)
        return cls(base, tuple([names.free(f"{base}_{key}") for key in step.parameters]))


class Site:
    """A node, as an emitter sees it.

    Args:
        node: the node.
        shapes: of its inputs.
        values: its inputs that are parameters; None for the others.
        out: shape of its first output.
    """

    def __init__(
        self,
        node: Node,
        shapes: Sequence[Sizes | None],
        values: Sequence[Tensor | None],
        out: Sizes | None,
    ) -> None:
        self.node, self.shapes, self.values, self.out = node, shapes, values, out

    def __getattr__(self, name: str) -> Any:
        return self.node.op.attr(name)  # type: ignore[union-attr]

    @property
    def rank(self) -> int:
        """The number of axes of the first input."""
        return len(self.shapes[0])  # type: ignore[arg-type]

    def has(self, name: str) -> bool:
        """Whether the operator has a parameter of this name."""
        return name in self.node.op.values  # type: ignore[union-attr]

    def stay(self, *places: int) -> bool:
        """Whether these inputs are parameters, and all others are not."""
        return all((value is not None) == (i in places) for i, value in enumerate(self.values))

    def tensor(self, place: int) -> Tensor:
        """The value of an input that is a parameter."""
        value = self.values[place]
        return torch.empty(0) if value is None else value.detach()


def real(value: float) -> float:
    """`value`, which MXNet keeps in float32, as it was written."""
    is_beyond = abs(value) > float(np.finfo(np.float32).max)
    return float(value) if is_beyond else float(str(np.float32(value)))
