# SPDX-License-Identifier: Apache-2.0
"""Operators that no emitter knows: the calls that their forward makes, written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ...core.base.unique_names import FreeNames
from ...core.graph.node import Entry, Node
from ...core.graph.symbol import Symbol
from ...torch_module.running import lowered_for
from .names import IN_FUNCTIONS
from .printer import Printed, printed
from .spellings import UntraceableError
from .steps import Sizes, Step

__all__ = ["UntraceableError", "traced"]

_WIDEST = 72  # characters of an expression that needs no function


def traced(
    node: Node, arguments: Sequence[str], examples: Sequence[Tensor], shapes: Sequence[Sizes]
) -> Step:
    """The node as an expression, or as a function of its own.

    Args:
        node: the node.
        arguments: identifiers for what it reads.
        examples: tensors as it gets them.
        shapes: of them, with None for sizes that are open.

    Raises:
        UntraceableError: it makes other calls, or calls that depend on values.
    """
    if node.op is None or node.op.untraceable:
        raise UntraceableError(node.op.untraceable if node.op else "it is a variable")
    program = _exported(node, examples, shapes)
    several = node.op.n_visible() > 1
    fields = [f"{{{i}}}" for i in range(len(examples))]
    inline = _printed(program, fields)
    if not inline.lines and len(inline.result) <= _WIDEST and inline.is_plain:
        if not examples:
            return Step("{m}", constant=inline.result)
        return Step(inline.result, has_several=several)
    free = FreeNames(IN_FUNCTIONS)
    names = [free.free(name) for name in arguments]
    source = _function(_printed(program, names), names)
    return Step(f"{{f}}({', '.join(fields)})", function=source, has_several=several)


def _printed(program: Any, arguments: Sequence[str]) -> Printed:
    lifted = program.graph_signature.inputs_to_lifted_tensor_constants
    constants = {place: program.constants[name] for place, name in lifted.items()}
    device = f"{arguments[0]}.device" if arguments else ""
    return printed(program.graph_module, arguments, constants, device)


class _Alone(nn.Module):
    """A function of several tensors."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self._function = function

    def forward(self, *tensors: Tensor) -> Any:
        return self._function(*tensors)


def _exported(node: Node, examples: Sequence[Tensor], shapes: Sequence[Sizes]) -> Any:
    names = [f"input{i}" for i in range(len(examples))]
    alone = node.copy([Entry(Node(None, name, {}), 0) for name in names])
    count = 1 if node.op is None else node.op.n_visible()
    function = lowered_for(False, Symbol([Entry(alone, i) for i in range(count)]), names).function
    dynamic: Any = torch.export.Dim.DYNAMIC
    sizes = [{i: dynamic for i, size in enumerate(s) if size is None} for s in shapes]
    try:
        with torch.no_grad():  # whose switch would be a call of its own
            return torch.export.export(
                _Alone(function),
                tuple(examples),
                dynamic_shapes=(tuple(sizes),) if sizes else None,
                strict=False,
            )
    except Exception as error:  # noqa: BLE001 - whatever tracing stumbles over
        reason = str(error).partition("\n")[0]
        raise UntraceableError(f"torch cannot trace it: {reason}") from None


def _function(body: Printed, names: Sequence[str]) -> str:
    """Source of a function called ``forward``."""
    lines = [f"def forward({', '.join(names)}):", *body.lines, f"return {body.result}"]
    return "\n    ".join(lines)
