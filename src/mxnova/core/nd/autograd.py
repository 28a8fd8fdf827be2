# SPDX-License-Identifier: Apache-2.0
"""Recording operators on arrays and running their gradients.

An array that gradients flow through carries a second tensor, `_tracked`: for one with `attach_grad`
a leaf, for a result of recorded operators the result with its graph. It aliases the memory of
`_tensor` but has a version counter of its own, so writes outside recording never invalidate a
graph, as in MXNet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..base.errors import ArgumentError, MXNetError
from .array import NDArray, wrap

__all__ = ["attach", "backward", "grad", "mark_variables", "take_gradient"]

GRAD_REQS = ("null", "write", "add")


# Leaves -------------------------------------------------------------------------------------------


def attach(array: NDArray, gradient: NDArray, grad_req: str) -> None:
    """Makes `array` a leaf whose gradient goes to `gradient`."""
    if grad_req not in GRAD_REQS:
        raise ArgumentError(f"attach_grad: grad_req={grad_req!r}: must be one of {GRAD_REQS}")
    array._grad = gradient
    array._tracked = None
    if grad_req == "null" or not array._tensor.is_floating_point():
        return
    leaf = array._tensor.data.requires_grad_()
    hook: Any = leaf.register_post_accumulate_grad_hook
    hook(_taker(gradient, grad_req))
    array._tracked = leaf


def _taker(gradient: NDArray, grad_req: str) -> Callable[[Tensor], None]:
    def take(leaf: Tensor) -> None:
        fresh, leaf.grad = leaf.grad, None
        if fresh is not None:
            take_gradient(gradient, fresh, grad_req)

    return take


# References to a chunk that one array alone holds: its slot, the call's argument.
_ALONE = 2


def take_gradient(array: NDArray, fresh: Tensor, grad_req: str) -> None:
    """Puts a gradient that nobody else holds into its array.

    When no view shares the array's memory, the memory changes hands instead of being copied.
    """
    if grad_req == "add":
        array._receive(array._tensor + fresh.detach(), "backward")
    elif (
        array.stype == "default"
        and sys.getrefcount(array._chunk) == _ALONE
        and not array._chunk.foreign
        and fresh.is_contiguous()
        and fresh.dtype is array._tensor.dtype
        and fresh.shape == array._tensor.shape
    ):
        array._tensor = fresh.detach()
    else:
        array._receive(fresh.detach(), "backward")


def mark_variables(
    variables: NDArray | Sequence[NDArray],
    gradients: NDArray | Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Makes arrays leaves whose gradients go to given arrays."""
    arrays, buffers = _as_list(variables), _as_list(gradients)
    requests = [grad_reqs] * len(arrays) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(arrays) == len(buffers) == len(requests):
        raise ArgumentError(
            f"mark_variables: {len(arrays)} variables, {len(buffers)} gradients, "
            f"{len(requests)} grad_reqs"
        )
    for array, gradient, request in zip(arrays, buffers, requests, strict=True):
        attach(array, gradient, request)


def _as_list(arrays: NDArray | Sequence[NDArray]) -> list[NDArray]:
    return [arrays] if isinstance(arrays, NDArray) else list(arrays)


# Gradients ----------------------------------------------------------------------------------------


def _heads(
    heads: NDArray | Sequence[NDArray], head_grads: Any
) -> tuple[list[Tensor], list[Tensor]]:
    """(results with their graphs, gradients of them), ones where none are given."""
    arrays = _as_list(heads)
    given = [None] * len(arrays) if head_grads is None else _as_list(head_grads)
    if len(given) != len(arrays):
        raise ArgumentError(f"backward: {len(given)} head gradients for {len(arrays)} heads")
    results, gradients = [], []
    for array, gradient in zip(arrays, given, strict=True):
        tracked = array._tracked
        if tracked is None:
            raise MXNetError(
                "backward: an array has no recorded computation; compute it inside "
                "autograd.record() from arrays with attach_grad()"
            )
        if not tracked.requires_grad:  # a result of comparisons and the like: its gradient is 0
            continue
        results.append(tracked)
        gradients.append(torch.ones_like(tracked) if gradient is None else gradient._tensor)
    return results, gradients


def backward(
    heads: NDArray | Sequence[NDArray],
    head_grads: Any = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Computes gradients of `heads` into the gradient arrays of the leaves they come from.

    Args:
        heads: recorded arrays.
        head_grads: their gradients; ones where None.
        retain_graph: keep what another backward through the same graph needs.
        train_mode: as in MXNet; the recorded pass decides.
    """
    results, gradients = _heads(heads, head_grads)
    if not results:
        return
    try:
        torch.autograd.backward(results, gradients, retain_graph=retain_graph)
    except RuntimeError as error:
        raise MXNetError(f"backward: {str(error).splitlines()[0]}") from error


def grad(
    heads: NDArray | Sequence[NDArray],
    variables: NDArray | Sequence[NDArray],
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> Any:
    """Gradients of `heads` with respect to `variables`, as new arrays.

    Args:
        heads: recorded arrays.
        variables: arrays with attach_grad.
        head_grads: gradients of the heads; ones where None.
        retain_graph: keep the graph; default: when `create_graph` is on.
        create_graph: record the gradients too, so that they have gradients.
        train_mode: as in MXNet; the recorded pass decides.
    """
    results, gradients = _heads(heads, head_grads)
    arrays = _as_list(variables)
    leaves: list[Tensor] = []
    for i, array in enumerate(arrays):
        if array._tracked is None:
            raise MXNetError(f"grad: variable {i} has no gradient; call attach_grad() first")
        leaves.append(array._tracked)
    keep = create_graph if retain_graph is None else retain_graph
    try:
        found: Sequence[Tensor | None] = [None] * len(leaves)
        if results:
            found = torch.autograd.grad(
                results,
                leaves,
                gradients,
                retain_graph=keep,
                create_graph=create_graph,
                allow_unused=True,
            )
    except RuntimeError as error:
        raise MXNetError(f"grad: {str(error).splitlines()[0]}") from error
    made = [_gradient_array(a, g) for a, g in zip(arrays, found, strict=True)]
    return made[0] if isinstance(variables, NDArray) else made


def _gradient_array(array: NDArray, gradient: Tensor | None) -> NDArray:
    if gradient is None:
        return wrap(torch.zeros_like(array._tensor), array.context)
    made = wrap(gradient.detach(), array.context)
    if gradient.requires_grad:
        made._tracked = gradient
    return made
