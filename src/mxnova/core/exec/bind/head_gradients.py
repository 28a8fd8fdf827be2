# SPDX-License-Identifier: Apache-2.0
"""Gradients of a graph's outputs, where a backward pass starts, as callers give them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from torch import Tensor

from ...base.errors import ArgumentError, ArgumentTypeError, UnknownNameError
from ...base.shapes import shape_text
from ...graph.symbol import Symbol
from ...nd.array import NDArray
from ...op.gradient import zeros_for
from ..program.gradient_path import is_read

__all__ = ["head_gradients"]


def head_gradients(
    symbol: Symbol, out_grads: Any, results: Sequence[Tensor], arguments: Collection[str]
) -> list[Tensor] | None:
    """A gradient for each of `results`; None: ones.

    Args:
        symbol: what gave them.
        out_grads: an array, a list, each gradient at the place of its output, or a dict by name;
            None: ones. A list may end before outputs whose gradients nothing depends on: losses,
            what is computed from losses alone, and what no gradient flows from.
        results: the outputs.
        arguments: names of those whose gradients are wanted.

    Raises:
        MXNetError: some are missing or do not fit.
    """
    if out_grads is None:
        return None
    names = symbol.list_outputs()
    if isinstance(out_grads, NDArray):
        out_grads = [out_grads]
    elif isinstance(out_grads, Mapping):
        missing = next((n for n in names if n not in out_grads), None)
        if missing is not None:
            raise UnknownNameError(f"backward: out_grads lacks output {missing!r}")
        out_grads = [out_grads[n] for n in names]
    triples = zip(names, out_grads, results, strict=False)
    found = [_head_gradient(name, given, result) for name, given, result in triples]
    for i in range(len(found), len(results)):
        if results[i].requires_grad and is_read(symbol.entries[i].node, arguments):
            raise ArgumentError(
                f"backward: {len(out_grads)} gradients for {len(results)} outputs: that of "
                f"{names[i]!r} is missing. Because the last operator is not Loss function, "
                "head_gradient is required"
            )
        found.append(zeros_for(results[i].shape, results[i].dtype, results[i].device))
    return found


def _head_gradient(name: str, given: Any, result: Tensor) -> Tensor:
    if not isinstance(given, NDArray):
        raise ArgumentTypeError(
            f"backward: the gradient of {name!r} is a {type(given).__name__}, not an NDArray"
        )
    if not result.requires_grad:  # nobody will read it
        return result
    if given.shape != tuple(result.shape):
        raise ArgumentError(
            f"backward: the gradient of {name!r} has shape {shape_text(given.shape)}, "
            f"the output {shape_text(tuple(result.shape))}"
        )
    return given._tensor.to(result)
