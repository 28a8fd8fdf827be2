# SPDX-License-Identifier: Apache-2.0
"""What a symbol asks of backends: a mark on each of its nodes that says which one is wanted.

Marks are attributes of nodes, so they stay where graphs are composed, saved and partitioned. They
change no result: a node that its backend cannot run, or not train, runs as any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import ArgumentError, argument_error, candidates
from ...graph.node import Entry, Node
from ...graph.rewrite import S, rewrite
from ...graph.symbol import Symbol
from ..passes.matching import parameter_names

__all__ = [
    "DEFAULT",
    "PRECISIONS",
    "lowest_precision",
    "marked",
    "options_of",
    "parameters_of",
    "precision_of",
    "wanted",
    "wants",
]

DEFAULT = "aten"
PRECISIONS = ("float32", "bfloat16")
_BACKEND, _PRECISION = "__backend__", "__precision__"


def marked(symbol: S, backend: str, precision: str = "float32") -> S:
    """`symbol` with its nodes of operators asking for `backend`; variables stay the same nodes.

    Args:
        symbol: any symbol; it stays as it is.
        backend: name of a backend.
        precision: what products may be computed in; bfloat16 keeps inputs and outputs float32.

    Raises:
        ArgumentError: there is no such precision.
    """
    if precision not in PRECISIONS:
        raise argument_error(backend, "precision", precision, f"must be one of {PRECISIONS}")

    asking = {_BACKEND: backend}
    if precision != PRECISIONS[0]:
        asking[_PRECISION] = precision

    def replace(node: Node, inputs: list[Entry]) -> Node | None:
        if node.op is None:
            return None
        made = node.copy(inputs)
        rest = {k: v for k, v in node.attrs.items() if k not in (_BACKEND, _PRECISION)}
        made.attrs = {**rest, **asking}
        return made

    return rewrite(symbol, replace)


def options_of(backend: str, options: Mapping[str, Any]) -> dict[str, str]:
    """The options of `marked` among those that a caller gave.

    Raises:
        ArgumentError: there are others.
    """
    for name in options:
        if name != "precision":
            hint = candidates(name, ["precision"])
            raise ArgumentError(f"backend {backend!r} has no option {name!r}{hint}")
    return dict(options)


def wants(node: Node, backend: str) -> bool:
    """Whether `node` asks for `backend`."""
    return node.attrs.get(_BACKEND) == backend


def wanted(symbol: Symbol) -> list[str]:
    """The backends that nodes of `symbol` ask for, in the order of the nodes."""
    return list(dict.fromkeys(n.attrs[_BACKEND] for n in symbol.nodes if _BACKEND in n.attrs))


def precision_of(node: Node) -> str:
    """What products at `node` may be computed in."""
    found = node.attrs.get(_PRECISION, PRECISIONS[0])
    return found if found in PRECISIONS else PRECISIONS[0]


def lowest_precision(symbol: Symbol) -> str:
    """What products anywhere in `symbol` may be computed in."""
    return max(map(precision_of, symbol.nodes), key=PRECISIONS.index, default=PRECISIONS[0])


def parameters_of(symbol: Symbol, backend: str) -> set[str]:
    """Names of variables that nodes asking for `backend` read as weights, statistics and the like.

    Data is none of them: it changes from run to run.
    """
    return parameter_names(node for node in symbol.nodes if wants(node, backend))
