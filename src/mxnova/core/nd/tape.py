# SPDX-License-Identifier: Apache-2.0
"""What recorded arrays were computed from.

ATen's graph, which the `_tracked` tensor of an array holds, knows how gradients flow. The tape is
MXNet's view of the same: operators and arrays. It tells which leaves a gradient goes to, whether a
graph has been used up, and what Symbol an array stands for. Nodes hold no memory of arrays, and
refer only to what came before them, so that graphs are freed by reference counting.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import count
from typing import Any

from torch import Tensor

from ..base.errors import MXNetError
from ..op.record import Op

__all__ = [
    "GRADIENT",
    "NO_GRAPH",
    "Leaf",
    "SmallGraph",
    "Step",
    "TapeNode",
    "flow_of",
    "free",
    "is_live",
    "is_small",
    "link_of",
    "linked",
    "outputs_of",
    "reached",
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


def link_of(array: Any) -> Tensor | None:
    """What stands for an array in a graph; None if it is sparse, or of a graph that is used up."""
    value, tracked = array._raw, array._tracked
    if type(value) is not Tensor:
        return None
    if tracked is None:
        return value.data
    return tracked if array._node.inputs is not None else None


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


def is_small(nodes: Sequence[TapeNode]) -> bool:
    """Whether a backward pass goes through small graphs, and operators on what these gave."""
    return SmallGraph in set(map(type, nodes)) and not any(map(_may_be_large, nodes))


def _may_be_large(node: TapeNode) -> bool:
    made_by = node.made_by
    if type(node) is not TapeNode or made_by is None or type(made_by) is int:
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
            if node.made_by is not GRADIENT:
                rest += sources
