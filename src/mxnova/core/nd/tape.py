# SPDX-License-Identifier: Apache-2.0
"""What recorded arrays were computed from.

ATen's graph, which the `_tracked` tensor of an array holds, knows how gradients flow. The tape is
MXNet's view of the same: operators and arrays. It tells which leaves a gradient goes to, whether a
graph has been used up, and what Symbol an array stands for. Nodes hold no memory of arrays, and
refer only to what came before them, so that graphs are freed by reference counting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.autograd.graph import GradientEdge

from ..base.errors import MXNetError
from ..op.gradient import zeros_for
from ..op.schema import Op

__all__ = [
    "GRADIENT",
    "NO_GRAPH",
    "Leaf",
    "NoGradient",
    "SmallGraph",
    "Source",
    "Step",
    "TapeNode",
    "flow_of",
    "free",
    "is_level",
    "is_live",
    "is_small",
    "linked",
    "outputs_of",
    "reached",
    "refuse_without_gradient",
    "starts",
    "step",
    "step_after",
    "variable_of",
]

# What programs look for in the errors of backward passes.
NO_GRAPH = "Cannot differentiate node because it is not in a computational graph"

# What was run: an operator, or a graph; the name of what is neither; a number: that output of the
# input.
Step = Op | Hashable | str | int

_new: Any = object.__new__
_number_of_step = count().__next__
_number_of_variable = count().__next__


class TapeNode:
    """A recorded operator, or a variable: an array that nothing is known to have made.

    Attributes:
        made_by: what was run; None for a variable.
        inputs: what it was run on; None when a backward pass has used the graph up.
        number: counts operators and, apart from them, variables.
    """

    __slots__ = ("inputs", "made_by", "number")

    def __init__(
        self, made_by: Step | None, inputs: tuple[TapeNode, ...] | None, number: int
    ) -> None:
        self.made_by = made_by
        self.inputs = inputs
        self.number = number


class Leaf(TapeNode):
    """A variable that gradients are wanted of.

    Attributes:
        tensor: what gradients flow to.
        gradient: the array they go to.
        grad_req: how they go there: null, write or add.
        is_fresh: whether a gradient has come since this was last set to False.
    """

    __slots__ = ("grad_req", "gradient", "is_fresh", "tensor")

    def __init__(self, tensor: Tensor, gradient: Any, grad_req: str) -> None:
        super().__init__(None, (), _number_of_variable())
        self.tensor = tensor
        self.gradient = gradient
        self.grad_req = grad_req
        self.is_fresh = False


class SmallGraph(TapeNode):
    """A recorded graph with too little to compute for several threads."""

    __slots__ = ()


class NoGradient(TapeNode):
    """An operator that has no gradient, nor zeros in its place."""

    __slots__ = ()


class Source(TapeNode):
    """A step whose backward pass does something though zeros arrive.

    Attributes:
        always: whether it gives gradients; else it writes, as BatchNorm does.
        is_small: whether it is a `SmallGraph`, too.
        edges: of its results in ATen's graph, with shape, type and device of a gradient there.
    """

    __slots__ = ("always", "edges", "is_small")

    edges: Sequence[tuple[Tensor | GradientEdge, torch.Size, torch.dtype, torch.device]]

    def keep(self, results: Iterable[Tensor], always: bool, is_small: bool = False) -> None:
        """Remembers where gradients of its results arrive."""
        self.always, self.is_small = always, is_small
        self.edges = [
            (_edge_of(r), r.shape, r.dtype, r.device) for r in results if r.grad_fn is not None
        ]


def _edge_of(result: Tensor) -> Tensor | GradientEdge:
    """Where gradients of a result arrive; that of a Function lasts as long as the result alone."""
    node = result.grad_fn
    if node is None or isinstance(node, BackwardCFunction):
        return result
    return GradientEdge(node, result.output_nr)


class Output(TapeNode):
    """One of several outputs of a node: used up with the node, whichever of them did that.

    Attributes:
        made_by: which output.
        node: the node.
    """

    __slots__ = ("node",)

    def __init__(self, made_by: int, node: TapeNode) -> None:
        self.made_by, self.node, self.number = made_by, node, node.number

    @property
    def inputs(self) -> tuple[TapeNode, ...] | None:
        """The node; None when a backward pass has used it up."""
        return None if self.node.inputs is None else (self.node,)

    @inputs.setter
    def inputs(self, inputs: tuple[TapeNode, ...] | None) -> None:
        """Nothing: it goes by the node."""


def is_live(array: Any) -> bool:
    """Whether `array` belongs to a graph that no backward pass has used up."""
    node = array._node
    return node is not None and node.inputs is not None


def flow_of(array: Any) -> Tensor | None:
    """What gradients flow through; None where they do not, or not any more."""
    tracked: Tensor | None = array._tracked
    return tracked if tracked is not None and array._node.inputs is not None else None


def linked(arrays: Iterable[Any]) -> list[Tensor] | None:
    """For each array what gradients flow through; None when they flow through none.

    An array of a used up graph is a constant from then on. The tensors of constants have a version
    counter of their own: as in MXNet, writing to an array does not invalidate a graph that read it.
    """
    tensors, found = [], False
    for array in arrays:
        tracked = array._tracked
        if tracked is not None:
            if array._node.inputs is not None:
                tensors.append(tracked)
                found = True
                continue
            array._tracked = array._node = None
        value = array._raw
        tensors.append((value if isinstance(value, Tensor) else value.dense()).data)
    return tensors if found else None


def step(made_by: Step, arrays: Iterable[Any], kind: type[TapeNode] = TapeNode) -> TapeNode:
    """The node of what was run on `arrays`; those that no node belongs to become variables."""
    inputs = []
    for array in arrays:
        node = array._node
        if node is None or node.inputs is None:
            node = variable_of(array)
        inputs.append(node)
    # As a call of the class makes it, in half the time.
    made: TapeNode = _new(kind)
    made.made_by, made.inputs, made.number = made_by, tuple(inputs), _number_of_step()
    return made


def step_after(made_by: Step, *nodes: TapeNode) -> TapeNode:
    """`step` for what was run on results that no array holds."""
    return TapeNode(made_by, nodes, _number_of_step())


def variable_of(array: Any) -> TapeNode:
    """The node of an array; one that none belongs to becomes a variable."""
    node: TapeNode | None = array._node
    if node is None or node.inputs is None:
        node = array._node = _new(TapeNode)  # as in `step`
        node.made_by, node.inputs, node.number = None, (), _number_of_variable()
    return node


def outputs_of(node: TapeNode, n: int) -> Sequence[TapeNode]:
    """The nodes of the first `n` outputs of `node`."""
    return [node] if n == 1 else [Output(i, node) for i in range(n)]


def reached(heads: Iterable[TapeNode]) -> list[TapeNode]:
    """All nodes that `heads` were computed from, themselves included.

    Raises:
        MXNetError: one of them belongs to a graph that has been used up.
    """
    found = list(heads)
    seen = set(found)
    for node in found:  # grows
        sources = node.inputs
        if sources is None:
            if node.made_by is None:  # a constant that another graph read too
                continue
            raise MXNetError(
                f"{NO_GRAPH}: a part of the graph was freed by an earlier backward pass; to go "
                "through a part twice, give the first one retain_graph=True"
            )
        for source in sources:
            if source not in seen:
                seen.add(source)
                found.append(source)
    return found


def starts(
    heads: Collection[TapeNode], sources: Iterable[Source]
) -> Iterator[tuple[Tensor | GradientEdge, Tensor]]:
    """Where a backward pass begins beside `heads`, and zeros for there.

    MXNet hands zeros on where an operator has no slope, ATen nothing.

    Args:
        heads: where it begins.
        sources: those that the heads were computed from.
    """
    behind = _reached_by(heads, _before_gradient)
    by_slopes = _reached_by(heads, _before_slope)
    for source in sources:
        if source in behind and (source.always or source not in by_slopes):
            for edge, shape, dtype, device in source.edges:
                yield edge, zeros_for(shape, dtype, device)


def refuse_without_gradient(heads: Iterable[TapeNode]) -> None:
    """Raises where gradients of `heads` come to an operator that has none.

    Raises:
        MXNetError: the text names the operator.
    """
    for node in _reached_by(heads, _before_slope):
        if type(node) is NoGradient:
            name = node.made_by.name if isinstance(node.made_by, Op) else node.made_by
            raise MXNetError(
                f"Operator {name} is non-differentiable because it didn't register FGradient "
                "attribute."
            )


def _reached_by(
    heads: Iterable[TapeNode], inputs_of: Callable[[TapeNode], Iterable[TapeNode]]
) -> set[TapeNode]:
    found = list(heads)
    seen = set(found)
    for node in found:  # grows
        fresh = [n for n in inputs_of(node) if n not in seen]
        seen.update(fresh)
        found += fresh
    return seen


def _before_gradient(node: TapeNode) -> Iterable[TapeNode]:
    """What a step was run on; a gradient's graph is not the one that it was taken of."""
    return () if node.made_by is GRADIENT else node.inputs or ()


def _before_slope(node: TapeNode) -> Iterable[TapeNode]:
    """`_before_gradient`, where gradients that are not zero may flow there."""
    return () if is_level(node) else _before_gradient(node)


def is_level(node: TapeNode) -> bool:
    """Whether a step has no slope."""
    return isinstance(node.made_by, Op) and node.made_by.differentiable is False


def is_small(nodes: Sequence[TapeNode], kinds: set[type[TapeNode]]) -> bool:
    """Whether a backward pass goes through small graphs, and operators on what these gave.

    Args:
        nodes: those that it goes through.
        kinds: their classes.
    """
    if _SMALL.isdisjoint(kinds):
        return False
    return any(map(_is_small, nodes)) and not any(map(_may_be_large, nodes))


_SMALL = {SmallGraph, Source}  # what may be small


def _is_small(node: TapeNode) -> bool:
    return type(node) is SmallGraph or (type(node) is Source and node.is_small)


def _may_be_large(node: TapeNode) -> bool:
    made_by = node.made_by
    if type(node) not in (TapeNode, Source) or made_by is None or type(made_by) is int:
        return False
    if type(node) is Source and node.is_small:
        return False
    return not isinstance(made_by, Op) or Leaf in set(map(type, node.inputs or ()))


GRADIENT = "_backward"  # what made gradients that are recorded themselves


def free(heads: Iterable[TapeNode]) -> None:
    """Marks the graph of `heads` as used up: its arrays are constants from now on, leaves stay.

    As in MXNet, the graph that gradients were taken of is not part of theirs.
    """
    rest = list(heads)
    for node in rest:  # grows
        sources = node.inputs
        if sources is not None and type(node) is not Leaf:
            node.inputs = None
            if type(node) is Source:
                node.edges = ()
            if node.made_by is not GRADIENT:
                rest += sources
