# SPDX-License-Identifier: Apache-2.0
"""Running nodes whose inputs or outputs are in sparse storage.

Along the edges of such a graph go tensors, records of sparse storage and, where gradients flow
through a record, a `Linked` one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ...op.integer_gradient import integer_stand_in
from ...op.kernel import Kernel
from ...op.kernel_gradient import densified, run_kernel, stand_in
from ...op.outputs import lone
from ...op.schema import Op
from ...op.sparse.storage import Value
from .leaf_kernels import LeafKernels, Linked
from .losses import Loss

__all__ = ["Linked", "dense_edge", "leaf_of", "sparse_runner", "tracked_of", "value_of"]


def value_of(edge: Any) -> Value:
    """The tensor or record on an edge."""
    value: Value = edge.value if isinstance(edge, (Linked, Loss)) else edge
    return value


def tracked_of(edge: Any) -> Tensor:
    """What gradients flow through."""
    if isinstance(edge, Linked):
        return edge.tracked
    if isinstance(edge, Loss):
        return edge.value
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


def sparse_runner(
    op: Op,
    on_dense: Callable[..., Any],
    facts: Callable[[], Mapping[str, Any]],
    stypes: Sequence[str],
) -> Callable[..., Any]:
    """What a node runs whose inputs or outputs are in sparse storage.

    That is the kernel for this storage, else the operator on dense copies, of which a kernel may
    make something sparse again.

    Args:
        op: the operator.
        on_dense: what it runs on tensors, where there is no kernel.
        facts: gives those of the run, by name, at least those that kernels ask for.
        stypes: how the inputs are stored.
    """
    kernel = op.kernel_for(stypes)
    if kernel is not None:
        return _kernel_runner(op, kernel, facts)
    kernel = op.kernel_for(["default"] * len(stypes))
    run = on_dense if kernel is None else _kernel_runner(op, kernel, facts)
    return lambda *edges: run(*map(dense_edge, edges))


def _kernel_runner(
    op: Op, kernel: Kernel, facts: Callable[[], Mapping[str, Any]]
) -> Callable[..., Any]:
    asked, forward = kernel.facts, kernel.forward

    def run(*edges: Any) -> Any:
        values: list[Value] = []
        flows: list[Tensor | None] = []
        kernels: LeafKernels | None = None  # they run a kernel all of whose inputs are leaves
        is_last, is_recorded = True, False
        for edge in edges:
            flow = None
            if isinstance(edge, Tensor):
                flow = edge
            elif isinstance(edge, Linked):
                edge, flow, own = edge
                kernels = own or kernels
            if flow is not None and flow.requires_grad:
                is_recorded, is_last = True, is_last and flow.is_leaf
            else:
                flow = None
            values.append(edge)
            flows.append(flow)
        wanted = {}
        if asked:
            known = facts()
            wanted = {name: known[name] for name in asked}
        if not is_recorded or not torch.is_grad_enabled():
            return forward(op, *values, **wanted)
        if is_last and kernels is not None:
            return kernels.run(op, kernel, values, flows, wanted)
        pairs = zip(*run_kernel(op, kernel, values, flows, wanted), strict=True)
        return lone([link if isinstance(v, Tensor) else Linked(v, link) for v, link in pairs])

    return run


def dense_edge(edge: Any) -> Tensor:
    """What is on an edge, dense; gradients flow through it."""
    if isinstance(edge, Tensor):
        return edge
    if isinstance(edge, Linked):
        value = edge.value
        return value if isinstance(value, Tensor) else densified(value, edge.tracked)
    dense: Tensor = edge.dense()
    return dense
