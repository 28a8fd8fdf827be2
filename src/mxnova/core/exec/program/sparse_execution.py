# SPDX-License-Identifier: Apache-2.0
"""Running nodes whose inputs or outputs are in sparse storage.

Along the edges of such a graph go tensors, records of sparse storage and, where gradients flow
through a record, a `Linked` one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...op.integer_gradient import integer_stand_in
from ...op.kernel_gradient import densified, run_kernel, stand_in
from ...op.schema import Op
from ...op.sparse.storage import Value, stype_of
from .leaf_kernels import LeafKernels

__all__ = ["Linked", "dense_edge", "leaf_of", "run_edges", "tracked_of", "value_of"]


class Linked(NamedTuple):
    """A record, or a tensor of integers, and the stand-in that its gradient flows through.

    The latter is a leaf where there are `kernels`, which run whatever takes leaves alone.
    """

    value: Value
    tracked: Tensor
    kernels: LeafKernels | None = None


def value_of(edge: Any) -> Value:
    """The tensor or record on an edge."""
    value: Value = edge.value if isinstance(edge, Linked) else edge
    return value


def tracked_of(edge: Any) -> Tensor:
    """What gradients flow through."""
    if isinstance(edge, Linked):
        return edge.tracked
    tracked: Tensor = edge if isinstance(edge, Tensor) else stand_in(edge)
    return tracked


def leaf_of(value: Value, kernels: LeafKernels) -> tuple[Any, Tensor]:
    """(what goes along the edge, its leaf) for an input that gradients are wanted of.

    Args:
        value: the input.
        kernels: those of the pass that it is a leaf of.
    """
    if isinstance(value, Tensor) and value.is_floating_point():
        leaf = value.data.requires_grad_()
        return leaf, leaf
    if isinstance(value, Tensor):
        leaf = integer_stand_in(value).requires_grad_()
        return Linked(value.data, leaf), leaf
    leaf = stand_in(value).requires_grad_(value.dtype.is_floating_point)
    return Linked(value, leaf, kernels), leaf


def run_edges(
    op: Op, on_dense: Callable[..., Any], facts: Callable[[], Mapping[str, Any]], *edges: Any
) -> Any:
    """The outputs of one node: by its kernel for this storage, or on dense copies.

    Args:
        op: the operator.
        on_dense: what it runs on tensors, where there is no kernel.
        facts: gives those of the run, by name, at least those that kernels ask for.
        edges: its inputs.
    """
    found = _executed(op, edges, facts)
    if found is None:
        edges = tuple(dense_edge(e) for e in edges)
        found = _executed(op, edges, facts)  # its kernel may make something sparse of them
    if found is None:
        return on_dense(*edges)
    return found if len(found) > 1 else found[0]


def _executed(
    op: Op, edges: Sequence[Any], facts: Callable[[], Mapping[str, Any]]
) -> tuple[Any, ...] | None:
    """What the kernel for inputs stored so gives; None where there is none."""
    values, flows = [], []
    kernels: LeafKernels | None = None  # they run a kernel all of whose inputs are leaves
    is_last, is_recorded = True, False
    for edge in edges:
        value, flow = edge, edge if isinstance(edge, Tensor) else None
        if isinstance(edge, Linked):
            value, flow, kernels = edge.value, edge.tracked, edge.kernels or kernels
        if flow is not None and flow.requires_grad:
            is_recorded, is_last = True, is_last and flow.is_leaf
        else:
            flow = None
        values.append(value)
        flows.append(flow)
    kernel = op.kernel_for([stype_of(v) for v in values])
    if kernel is None:
        return None
    asked = kernel.facts
    known = facts() if asked else {}
    wanted = {name: known.get(name) for name in asked}
    if not is_recorded or not torch.is_grad_enabled():
        return run_kernel(op, kernel, values, (), wanted)[0]
    kernels = kernels if is_last else None
    run = run_kernel if kernels is None else kernels.run
    pairs = zip(*run(op, kernel, values, flows, wanted), strict=True)
    return tuple([link if isinstance(v, Tensor) else Linked(v, link, kernels) for v, link in pairs])


def dense_edge(edge: Any) -> Tensor:
    """What is on an edge, dense; gradients flow through it."""
    if isinstance(edge, Tensor):
        return edge
    if isinstance(edge, Linked):
        value = edge.value
        return value if isinstance(value, Tensor) else densified(value, edge.tracked)
    dense: Tensor = edge.dense()
    return dense
