# SPDX-License-Identifier: Apache-2.0
"""Nodes of a lowered graph whose inputs or outputs are in sparse storage.

Along the edges of such a graph go tensors, records of sparse storage and, where gradients flow
through a record, a `Linked` one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..op.kernel import Kernel
from ..op.kernel_gradient import densified, run_recorded, stand_in
from ..op.record import Op
from ..op.sparse.storage import Sparse, Value, stype_of

__all__ = ["Linked", "leaf_of", "run_stored", "tracked_of", "value_of"]


class Linked(NamedTuple):
    """A record and the stand-in that its gradient flows through."""

    record: Sparse
    tracked: Tensor


def value_of(edge: Any) -> Value:
    """The tensor or record on an edge."""
    value: Value = edge.record if isinstance(edge, Linked) else edge
    return value


def tracked_of(edge: Any) -> Tensor:
    """What gradients flow through."""
    if isinstance(edge, Linked):
        return edge.tracked
    tracked: Tensor = edge if isinstance(edge, Tensor) else stand_in(edge)
    return tracked


def leaf_of(value: Value) -> tuple[Any, Tensor]:
    """(what goes along the edge, its leaf) for an input that gradients are wanted of."""
    if isinstance(value, Tensor):
        leaf = value.data
        return leaf, leaf.requires_grad_(leaf.is_floating_point())
    leaf = stand_in(value).requires_grad_(value.dtype.is_floating_point)
    return Linked(value, leaf), leaf


def run_stored(op: Op, on_dense: Callable[..., Any], *edges: Any) -> Any:
    """The outputs of one node: by its kernel for this storage, or on dense copies."""
    values = [value_of(e) for e in edges]
    kernel = op.kernel_for([stype_of(v) for v in values])
    if kernel is None:
        values = [_dense(e) for e in edges]
        kernel = op.kernel_for(["default"] * len(edges))
        if kernel is None:
            return on_dense(*values)
        edges = tuple(values)
    facts = dict.fromkeys(kernel.facts)
    tracked = [tracked_of(e) for e in edges]
    if torch.is_grad_enabled() and any(t.requires_grad for t in tracked):
        return _recorded(op, kernel, values, tracked, facts)
    return kernel.forward(op, *values, **facts)


def _dense(edge: Any) -> Tensor:
    if isinstance(edge, Tensor):
        return edge
    if isinstance(edge, Linked):
        return densified(edge.record, edge.tracked)
    dense: Tensor = edge.dense()
    return dense


def _recorded(
    op: Op,
    kernel: Kernel,
    values: Sequence[Value],
    tracked: Sequence[Tensor],
    facts: dict[str, Any],
) -> Any:
    results, links = run_recorded(op, kernel, values, tracked, facts)
    edges = tuple(
        link if isinstance(result, Tensor) else Linked(result, link)
        for result, link in zip(results, links, strict=True)
    )
    return edges if len(edges) > 1 else edges[0]
