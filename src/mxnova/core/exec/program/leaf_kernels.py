# SPDX-License-Identifier: Apache-2.0
"""Kernels at the leaves of a recorded graph, which are differentiated without autograd.

Gradients come to such a kernel last: all that they flow to from it are leaves, or results of others
of its kind. So it need not be a step of ATen's graph, which ends at its results, and gradients of
rows, which ATen knows as sparse tensors only, stay records.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from torch import Tensor

from ...nd.sparse_gradient import sum_of
from ...op.kernel import Kernel
from ...op.kernel_gradient import kernel_gradients, stand_in, value_of_gradient
from ...op.outputs import as_tuple, lone
from ...op.schema import Op
from ...op.sparse.storage import RowSparse, Value
from ...runtime.context import Context
from ...runtime.profiler import PROFILER, backward_name, clock

__all__ = ["LeafKernels", "Linked"]


class Linked(NamedTuple):
    """A record, or a tensor of integers, and the stand-in that its gradient flows through.

    The latter is a leaf where there are `kernels`, which run whatever takes leaves alone.
    """

    value: Value
    tracked: Tensor
    kernels: LeafKernels | None = None


class _Run(NamedTuple):
    """A kernel that was run.

    Attributes:
        op: the operator.
        kernel: its forward.
        values: its inputs.
        flows: the leaf of each input, None where no gradient flows to it.
        links: for each result the leaf that its gradient comes to.
    """

    op: Op
    kernel: Kernel
    values: Sequence[Value]
    flows: Sequence[Tensor | None]
    links: Sequence[Tensor]


class LeafKernels:
    """The kernels at the leaves of one recorded pass, and what gradients have come to the leaves.

    Autograd's pass must end before `differentiate`: it leaves in ``grad`` of their links what their
    results have from it.

    Args:
        context: where the profiler shows their gradients.

    Attributes:
        links: the leaves that autograd is to give the gradients of results to. They have no memory:
            results live as long as somebody needs them.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self.links: list[Tensor] = []
        self._runs: list[_Run] = []
        self._parts: dict[int, list[Value]] = {}  # of gradients, by the leaf's identity

    def begin(self) -> None:
        """Begins a pass, dropping what the last one left."""
        self._runs.clear()
        self.links.clear()

    def run(
        self,
        op: Op,
        kernel: Kernel,
        values: Sequence[Value],
        flows: Sequence[Tensor | None],
        facts: Mapping[str, Any],
    ) -> Any:
        """What a kernel gives, as it goes along edges.

        Args:
            op: the operator.
            kernel: its forward.
            values: its inputs.
            flows: the leaf of each, None where no gradient flows to it.
            facts: of the run.
        """
        plain = [v.detach() if isinstance(v, Tensor) else v for v in values]
        edges, links = [], []
        for result in as_tuple(kernel.forward(op, *plain, **facts)):
            leaf = stand_in(result)
            if leaf.is_floating_point():
                self.links.append(leaf.requires_grad_())
            links.append(leaf)
            dense = isinstance(result, Tensor)
            edges.append(_linked(result, leaf) if dense else Linked(result, leaf, self))
        self._runs.append(_Run(op, kernel, plain, flows, links))
        return lone(edges)

    def differentiate(self) -> None:
        """Goes on where autograd's pass has ended."""
        for run in reversed(self._runs):
            start = clock() if PROFILER.running else 0
            d_outputs = [self.take(link) for link in run.links]
            wanted = [flow is not None for flow in run.flows]
            found = kernel_gradients(run.op, run.kernel, d_outputs, run.values, wanted)
            given: set[int] = set()
            for flow, gradient in zip(run.flows, found, strict=True):
                if gradient is not None:
                    owned = _copied(gradient) if id(gradient) in given else gradient
                    given.add(id(gradient))
                    if isinstance(owned, RowSparse):
                        owned = owned.canonical()
                    self._parts.setdefault(id(flow), []).append(owned)
            if start and (PROFILER.imperative or PROFILER.symbolic):
                PROFILER.add(backward_name(run.op.name), start, lane=self._context)

    def take(self, leaf: Tensor) -> Value | None:
        """The gradient that has come to a leaf, which is nobody else's; None where none has."""
        parts = self._parts.pop(id(leaf), [])
        gradient = leaf.grad
        if gradient is not None:
            leaf.grad = None
            parts.append(value_of_gradient(gradient))
        if len(parts) > 1:
            return functools.reduce(sum_of, parts)
        return parts[0] if parts else None

    def forget(self) -> None:
        """Drops the gradients of a pass that failed."""
        self._parts.clear()
        for link in self.links:
            link.grad = None


def _linked(result: Tensor, leaf: Tensor) -> Tensor:
    """What autograd records operators on whose gradient comes to `leaf`, which has no memory."""
    linked = leaf[...]  # the step that hands on the very gradient: who takes it sees who shares it
    linked.data = result
    return linked


def _copied(gradient: Value) -> Value:
    if isinstance(gradient, Tensor):
        return gradient.clone()
    return gradient.with_data(gradient.data.clone())
