# SPDX-License-Identifier: Apache-2.0
"""Operators that no emitter knows: the calls that their forward makes, written down."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ...core.base.unique_names import FreeNames
from ...core.graph.node import Entry, Node
from ...core.graph.symbol import Symbol
from ...core.op.schema import Op
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
    op = node.op
    if op is None or op.untraceable:
        raise UntraceableError(op.untraceable if op else "it is a variable")
    seen = tuple((tuple(e.shape), s, e.dtype) for e, s in zip(examples, shapes, strict=True))
    template, function, constant = _written(op, repr(op.values), tuple(arguments), seen)
    several = op.n_visible() > 1
    return Step(template, function=function, constant=constant, has_several=several)


@functools.lru_cache(maxsize=256)  # networks repeat their layers, and tracing takes 0.1 s
def _written(
    op: Op,
    values: str,  # which tells 0.0 from -0.0
    arguments: tuple[str, ...],
    seen: tuple[tuple[Any, Sizes, torch.dtype], ...],
) -> tuple[str, str | None, str | None]:
    """Template, function and constant of a step; `seen`: sizes of examples, sizes, types."""
    program = _exported(op, seen)
    fields = [f"{{{i}}}" for i in range(len(seen))]
    inline = _printed(program, fields)
    if not inline.lines and len(inline.result) <= _WIDEST and inline.is_plain:
        return (inline.result, None, None) if seen else ("{m}", None, inline.result)
    free = FreeNames(IN_FUNCTIONS)
    names = [free.free(name) for name in arguments]
    source = _function(_printed(program, names), names)
    return f"{{f}}({', '.join(fields)})", source, None


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


def _exported(op: Op, seen: Sequence[tuple[Any, Sizes, torch.dtype]]) -> Any:
    names = [f"input{i}" for i in range(len(seen))]
    alone = Node(op, "alone", {}, [Entry(Node(None, name, {}), 0) for name in names])
    symbol = Symbol([Entry(alone, i) for i in range(op.n_visible())])
    function = lowered_for(False, symbol, names).function
    examples = tuple([torch.zeros(sizes, dtype=dtype) for sizes, _, dtype in seen])
    dynamic: Any = torch.export.Dim.DYNAMIC
    sizes = [{i: dynamic for i, size in enumerate(s) if size is None} for _, s, _ in seen]
    try:
        with torch.no_grad():  # whose switch would be a call of its own
            return torch.export.export(
                _Alone(function),
                examples,
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
