# SPDX-License-Identifier: Apache-2.0
"""Gradients of a graph's outputs, where a backward pass starts, as callers give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..base.errors import ArgumentError, ArgumentTypeError, UnknownNameError
from ..base.shapes import shape_text
from ..nd.array import NDArray

__all__ = ["head_gradients"]


def head_gradients(
    list_names: Callable[[], list[str]], out_grads: Any, results: Sequence[Tensor]
) -> list[Tensor]:
    """A gradient for each of `results`.

    Args:
        list_names: gives the names of the outputs.
        out_grads: an array, a list or a dict by name; None: ones.
        results: the outputs.

    Raises:
        MXNetError: some are missing or do not fit.
    """
    if out_grads is None:
        return [torch.ones_like(r) for r in results]
    names = list_names()
    if isinstance(out_grads, NDArray):
        out_grads = [out_grads]
    elif isinstance(out_grads, Mapping):
        missing = next((n for n in names if n not in out_grads), None)
        if missing is not None:
            raise UnknownNameError(f"backward: out_grads lacks output {missing!r}")
        out_grads = [out_grads[n] for n in names]
    if len(out_grads) < len(results):
        raise ArgumentError(f"backward: {len(out_grads)} gradients for {len(results)} outputs")
    triples = zip(names, out_grads, results, strict=False)
    return [_head_gradient(name, given, result) for name, given, result in triples]


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
