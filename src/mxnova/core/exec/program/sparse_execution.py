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
from ...op.kernel_gradient import Collector, densified, run_kernel, stand_in
from ...op.schema import Op
from ...op.sparse.storage import Value, stype_of

__all__ = ["Linked", "dense_edge", "execute", "leaf_of", "run_edges", "tracked_of", "value_of"]


class Linked(NamedTuple):
    """A record, or a tensor of integers, and the stand-in that its gradient flows through.

    Gradients of rows go to `collector` instead, where there is one.
    """

    value: Value
    tracked: Tensor
    collector: Collector | None = None


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


def _flow_of(edge: Any) -> Tensor | None:
    """What gradients flow through; None where none does, as through records of inputs."""
    flow = tracked_of(edge) if isinstance(edge, (Linked, Tensor)) else None
    return flow if flow is not None and flow.requires_grad else None


def leaf_of(value: Value, collector: Collector) -> tuple[Any, Tensor]:
    """(what goes along the edge, its leaf) for an input that gradients are wanted of.

    Args:
        value: the input.
        collector: takes gradients of rows, where the input is stored by rows.
    """
    if isinstance(value, Tensor) and value.is_floating_point():
        leaf = value.data.requires_grad_()
        return leaf, leaf
    if isinstance(value, Tensor):
        leaf = integer_stand_in(value).requires_grad_()
        return Linked(value.data, leaf), leaf
    leaf = stand_in(value).requires_grad_(value.dtype.is_floating_point)
    return Linked(value, leaf, collector), leaf


def execute(
    op: Op,
    values: Sequence[Value],
    tracked: Sequence[Tensor | None],
    facts: Callable[[], Mapping[str, Any]],
    collectors: Sequence[Collector | None],
) -> tuple[tuple[Value, ...], Sequence[Tensor]] | None:
    """(results, what gradients flow through for each) of the kernel for inputs stored so.

    None where there is no kernel for them: then dense copies are to be made. The second is empty
    where nothing is recorded.

    Args:
        op: the operator.
        values: its inputs.
        tracked: what gradients flow through for each; None where none does.
        facts: gives those of the run, by name, at least those that kernels ask for.
        collectors: what takes gradients of rows of each, or None.
    """
    kernel = op.kernel_for([stype_of(v) for v in values])
    if kernel is None:
        return None
    wanted: dict[str, Any] = {}
    if kernel.facts:
        known = facts()
        wanted = {name: known.get(name) for name in kernel.facts}
    recorded = torch.is_grad_enabled() and any(t is not None for t in tracked)
    return run_kernel(op, kernel, values, tracked if recorded else (), wanted, collectors)


def run_edges(
    op: Op, on_dense: Callable[..., Any], facts: Callable[[], Mapping[str, Any]], *edges: Any
) -> Any:
    """The outputs of one node: by its kernel for this storage, or on dense copies."""
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
    collectors = [e.collector if isinstance(e, Linked) else None for e in edges]
    flows = [_flow_of(e) for e in edges]
    found = execute(op, [value_of(e) for e in edges], flows, facts, collectors)
    if found is None or not found[1]:
        return found and found[0]
    return tuple(
        link if isinstance(result, Tensor) else Linked(result, link)
        for result, link in zip(*found, strict=True)
    )


def dense_edge(edge: Any) -> Tensor:
    """What is on an edge, dense; gradients flow through it."""
    if isinstance(edge, Tensor):
        return edge
    if isinstance(edge, Linked):
        value = edge.value
        return value if isinstance(value, Tensor) else densified(value, edge.tracked)
    dense: Tensor = edge.dense()
    return dense
