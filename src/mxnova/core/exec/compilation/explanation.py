# SPDX-License-Identifier: Apache-2.0
"""Where the nodes of a program run for inference, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from ...graph.node import Node
from .. import backends
from ..backends.request import DEFAULT, wanted, wants
from ..fused.group import Group
from ..passes.qdq import ORIGIN
from ..program.lowering import Lowered
from ..program.program import Program

__all__ = ["Placement", "explained"]


class Placement(NamedTuple):
    """Where a node runs.

    Attributes:
        node: its name.
        operator: the name of its operator.
        backend: the name of the backend that runs it.
        reason: why there.
    """

    node: str
    operator: str
    backend: str
    reason: str


def explained(
    program: Program, lowered: Lowered, constants: Mapping[str, Tensor]
) -> list[Placement]:
    """Where each node of an operator runs, in order.

    Args:
        program: before it was rewritten.
        lowered: after.
        constants: values of the inputs that stay, by name.
    """
    taken = _taken(lowered)
    refused = _refused(program, constants)
    found = []
    for node in program.symbol.nodes:
        if node.op is None:
            continue
        backend, reason = taken.get(node.name) or (DEFAULT, "")
        if backend == DEFAULT and node in refused:
            reason = "; ".join(filter(None, (refused[node], reason)))
        found.append(Placement(node.name, node.op.name, backend, reason or "a kernel of its own"))
    return found


def _taken(lowered: Lowered) -> dict[str, tuple[str, str]]:
    """Backend and reason of the nodes, by name, that are part of something larger."""
    found: dict[str, tuple[str, str]] = {}
    counts: Counter[str] = Counter()
    for step in lowered.steps:
        if isinstance(step.op, Group):
            counts[step.op.backend] += 1
            # Of nodes in QDQ, the int8 operators that they were.
            names = {node.attrs.get(ORIGIN, node.name) for node in step.op.nodes()}
            text = f"compiled in part {counts[step.op.backend]}, of {len(names)} nodes"
            if step.op.backend == DEFAULT:
                text = "a kernel of its own, on a thread's share of the batch"
            if step.op.precision == "bfloat16":
                text += ", in bfloat16"
            found.update((name, (step.op.backend, text)) for name in names)
            for node in step.op.nodes():
                inner = _absorbed(node)
                found.update((n, (step.op.backend, why)) for n, (_, why) in inner.items())
        found.update(_absorbed(step.node))
    return found


def _absorbed(node: Node) -> dict[str, tuple[str, str]]:
    """Backend and reason of the nodes, by name, that `node` stands for."""
    text = f"inside {node.op.name.lstrip('_')} {node.name}" if node.op is not None else ""
    if getattr(node.op, "dtype", None) is torch.bfloat16:
        text += ", in bfloat16"
    return dict.fromkeys(getattr(node.op, "absorbed", ()), (DEFAULT, text))


def _refused(program: Program, constants: Mapping[str, Tensor]) -> dict[Node, str]:
    """Why nodes do not run where they ask for."""
    found: dict[Node, str] = {}
    for name in wanted(program.symbol):
        if name == DEFAULT:
            continue
        backend = backends.BY_NAME.get(name)
        asking = [node for node in program.symbol.nodes if wants(node, name)]
        reason = f"there is no backend {name!r}" if backend is None else backend.unavailable()
        if backend is None or reason:
            found.update((node, f"{name}: {reason}") for node in asking)
        elif not backend.supports(program):
            found.update((node, f"{name}: not for this context") for node in asking)
        else:
            refusals = backend.refusals(program, constants)
            fallback = f"{name}: slower there" if name == "auto" else f"{name}: too few together"
            for node in asking:
                reason = refusals.get(node)
                found[node] = f"{name}: {reason}" if reason else fallback
    return found
