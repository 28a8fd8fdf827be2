# SPDX-License-Identifier: Apache-2.0
"""Backward passes under the profiler: each of ATen's nodes, named after the operator it is of."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch import Tensor

from .events import FORWARD, Device
from .recorder import PROFILER, clock

__all__ = ["backward_name", "recorded_backward"]


def backward_name(operator: str) -> str:
    """What the gradient of an operator is called."""
    return f"_backward_{operator.lstrip('_')}"


@contextlib.contextmanager
def recorded_backward(results: Sequence[Tensor], context: Device) -> Iterator[None]:
    """A block whose backward pass from `results` is recorded as operators named ``_backward_x``."""
    if not (PROFILER.imperative or PROFILER.symbolic):
        yield
        return
    handles = [h for node, name in _named_nodes(results) for h in _watched(node, name, context)]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _named_nodes(results: Sequence[Tensor]) -> Iterator[tuple[Any, str]]:
    """The nodes that gradients flow through, each with the name of its operator.

    An operator may be several nodes, of which the last has the name.
    """
    pending: list[tuple[Any, str]] = [(r.grad_fn, "") for r in results if r.grad_fn is not None]
    seen = set()
    while pending:
        node, inherited = pending.pop()
        if node in seen or node.name().endswith("AccumulateGrad"):
            continue
        seen.add(node)
        name = node.metadata.get(FORWARD, inherited)
        yield node, backward_name(name) if name else node.name()
        pending.extend((n, name) for n, _ in node.next_functions if n is not None)


def _watched(node: Any, name: str, context: Device) -> tuple[Any, Any]:
    start = 0

    def begin(_gradients: Any) -> None:
        nonlocal start
        start = clock()

    def end(_inputs: Any, _outputs: Any) -> None:
        PROFILER.add(name, start, lane=context, args={"node": node.name()})

    watch: Callable[[Any], Any] = node.register_hook
    return node.register_prehook(begin), watch(end)
