# SPDX-License-Identifier: Apache-2.0
"""Contexts that arguments name, and where their arrays are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.base.errors import ArgumentTypeError, shown
from ...core.runtime.context import Context, current_context

__all__ = ["context_map", "contexts_of"]


def contexts_of(ctx: Context | Iterable[Context] | None) -> list[Context]:
    """The contexts of an argument: the current one for None."""
    if ctx is None:
        return [current_context()]
    if isinstance(ctx, Context):
        return [ctx]
    contexts = list(ctx) if isinstance(ctx, Iterable) else [ctx]
    for context in contexts:
        if not isinstance(context, Context):
            raise ArgumentTypeError(f"ctx={shown(ctx)}: must be a Context or a list of them")
    return contexts


def context_map(contexts: Sequence[Context]) -> list[list[int | None]]:
    """For GPUs and CPUs (MXNet's device_typeid & 1): by number, which array is there."""
    table: list[list[int | None]] = [[], []]
    for i, context in enumerate(contexts):
        at = table[context.device_typeid & 1]
        at.extend([None] * (context.device_id + 1 - len(at)))
        at[context.device_id] = i
    return table
