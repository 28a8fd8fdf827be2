# SPDX-License-Identifier: Apache-2.0
"""Running nodes that integers go into or come out of, where gradients are recorded.

Along the edges of such a graph go tensors, and `Linked` ones where gradients flow through integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ...graph.infer import DTypeTable
from ...graph.node import Node
from ...op.integer_gradient import flows_through_integers, makes_integers, step_on_integers
from ...op.schema import Op
from .sparse_execution import Linked, tracked_of, value_of

__all__ = ["integer_runner", "meets_integers"]


def meets_integers(node: Node, dtypes: DTypeTable) -> bool:
    """Whether integers that gradients may flow through go into a node, or come out of it."""
    given = [dtypes[e.node][e.output] for e in node.inputs]
    made = dtypes[node] if node.op is not None and node.op.differentiable else []
    return any(d is not None and not d.is_floating_point for d in (*given, *made))


def integer_runner(
    node: Node, op: Op, run: Callable[..., Any], facts: Callable[[], Mapping[str, Any]],
    dtypes: DTypeTable,
) -> Callable[..., Any]:  # fmt: skip
    """What a node runs that meets integers.

    Args:
        node: the node.
        op: its operator.
        run: what it runs where integers are constants.
        facts: gives the facts of a run, at least those that the operator asks for.
        dtypes: types of all arrays of the graph.
    """
    makes_some = makes_integers(op, [dtypes[e.node][e.output] for e in node.inputs])

    def run_edges(*edges: Any) -> Any:
        values: Sequence[Any] = [value_of(e) for e in edges]
        tracked = [tracked_of(e) for e in edges]
        if not torch.is_grad_enabled():
            return run(*values)
        if not flows_through_integers(op, values, tracked, makes_some):
            return run(*values)
        known = facts()
        wanted = {name: known[name] for name in op.type.signature.facts}
        found = zip(*step_on_integers(op, values, tracked, wanted), strict=True)
        made = tuple([link if _is_real(value) else Linked(value, link) for value, link in found])
        return made if len(made) > 1 else made[0]

    return run_edges


def _is_real(value: Tensor) -> bool:
    return value.is_floating_point()
