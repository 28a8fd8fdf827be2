# SPDX-License-Identifier: Apache-2.0
"""Blocks that are called with more or fewer inputs than their `hybrid_forward` takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from ...core.base.errors import ArgumentTypeError

__all__ = ["refuse_inputs"]


def refuse_inputs(
    block: str, forward: Callable[..., Any], parameters: Iterable[str], given: int, error: TypeError
) -> None:
    """Raises what is to be said where Python could not call `forward` with so many inputs.

    Args:
        block: its class and name.
        forward: its `hybrid_forward`.
        parameters: what is passed besides, by name.
        given: how many inputs are.
        error: what Python raised.

    Raises:
        ArgumentTypeError: it takes more, or fewer.
    """
    trace = error.__traceback__
    if trace is None or trace.tb_next is not None:  # raised by code inside
        return
    taken = [*inspect.signature(forward).parameters.values()][1:]  # without F
    if any(p.kind is p.VAR_POSITIONAL for p in taken):
        return
    inputs = [p for p in taken if p.name not in set(parameters) and p.kind is not p.VAR_KEYWORD]
    least = sum(p.default is p.empty for p in inputs)
    if least <= given <= len(inputs):
        return
    names = ", ".join(p.name if p.default is p.empty else f"[{p.name}]" for p in inputs)
    few = "one is" if given == 1 else f"{given} are"
    raise ArgumentTypeError(f"{block}: takes the inputs {names}; {few} given") from None
