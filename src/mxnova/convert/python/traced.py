# SPDX-License-Identifier: Apache-2.0
"""Operators that no line of torch says: the calls that their forward makes, written down."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

from ...core.graph.node import Node
from .steps import Step

__all__ = ["UntraceableError", "traced"]

_GLOBALS = {"torch", "NoneType", "device", "inf", "nan", "operator", "fx_pytree", "pytree"}
_MOST = 64  # elements of a constant that is written out
_TYPES = re.compile(r"(?<=\w): \"[^\"]*\"")


class UntraceableError(Exception):
    """Why a node cannot be written down."""


def traced(node: Node, examples: Sequence[Tensor]) -> Step:
    """The node as a function of its own, of calls of ATen.

    Args:
        node: the node.
        examples: tensors as it gets them.

    Raises:
        UntraceableError: it makes other calls, or calls that depend on values.
    """
    op: Any = node.op
    facts = {"train": False, "rng": None, "out": None, "inside": True}
    given = {name: facts[name] for name in op.type.signature.facts}
    count = op.n_visible()

    def run(*tensors: Tensor) -> Any:
        found = op.forward(*tensors, **given)
        return tuple(found)[:count] if isinstance(found, (tuple, list)) else (found,)

    try:
        with torch.no_grad():
            graph = make_fx(run, tracing_mode="symbolic")(*examples)
    except Exception as error:  # noqa: BLE001 - whatever tracing stumbles over
        raise UntraceableError(
            f"torch cannot trace it: {str(error).partition(chr(10))[0]}"
        ) from None
    # Traced with contiguous tensors, so that copies of others are not among the calls.
    arguments = ", ".join(f"{{{i}}}.contiguous()" for i in range(len(examples)))
    return Step(f"{{f}}({arguments}){'[0]' * (count == 1)}", function=_source(graph))


def _source(graph: Any) -> str:
    """The body of a function ``forward``, whose names are torch's and of its own arguments."""
    _refuse_strings(graph)
    code = graph.graph.python_code("self", verbose=False)
    unknown = set(code.globals) - _GLOBALS
    if unknown:
        raise UntraceableError(f"it calls {', '.join(sorted(unknown))}")
    lines = [line.partition("  #")[0] for line in code.src.strip().splitlines()]
    body = [_TYPES.sub("", line) for line in lines if line.strip()]
    constants = {
        n.target: getattr(graph, n.target) for n in graph.graph.nodes if n.op == "get_attr"
    }
    text = "\n".join(_without_deletions(line) for line in body)
    for name, value in constants.items():
        text = text.replace(f"self.{name}", _constant(value))
    text = text.replace("aten.view.default(", "aten.reshape.default(")  # strides may differ
    return text.replace("def forward(self, ", "def forward(").replace(
        "def forward(self", "def forward("
    )


def _without_deletions(line: str) -> str:
    return re.sub(r";\s+(\w+ = )+None$", "", line)


def _refuse_strings(graph: Any) -> None:
    for node in graph.graph.nodes:
        if node.op not in ("placeholder", "call_function", "output", "get_attr"):
            raise UntraceableError(f"it makes a call of {node.op}")


def _constant(value: Any) -> str:
    if not isinstance(value, Tensor) or value.numel() > _MOST:
        raise UntraceableError("it has constants of many numbers")
    return f"torch.tensor({value.tolist()!r}, dtype={value.dtype})"
