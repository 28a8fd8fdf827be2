# SPDX-License-Identifier: Apache-2.0
"""Gradients of recorded arrays.

An array that gradients flow through carries a second tensor, `_tracked`: for one with `attach_grad`
a leaf, for a result of recorded operators the result with its graph. It aliases the memory of
`_tensor` but has a version counter of its own, so writes outside recording never invalidate a
graph, as in MXNet. Its `_node` is its place on the tape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from ..base.doors import door
from ..base.errors import (
    ArgumentError,
    ArgumentTypeError,
    AssertedError,
    MXNetError,
    UnknownNameError,
    candidates,
    from_foreign,
    shown,
)
from ..base.shapes import shape_text
from ..kernels.transpose import contiguous
from ..op.dtypes import dtype_name
from ..op.integer_gradient import integer_stand_in
from ..op.kernel_gradient import stand_in
from ..op.sparse.storage import Value
from ..runtime.profiler import PROFILER, recorded_backward
from ..runtime.slow_path import SLOW_PATH
from ..runtime.threads import single_threaded
from ..runtime.torch_api import base_of, has_backward_hooks, is_zero_tensor, run_backward
from .access import READ, settle
from .base_array import CLASSES, BaseArray
from .memory import adopt_memory, reacquire_memory, release_memory
from .recording import STATE
from .sparse_gradient import sparse_gradient, take_sparse_gradient
from .tape import (
    GRADIENT,
    NO_GRAPH,
    Leaf,
    NoGradient,
    Source,
    TapeNode,
    free,
    is_level,
    is_small,
    reached,
    refuse_without_gradient,
    starts,
    step,
)
from .wrapping import clear, wrap

__all__ = ["attach", "backward", "grad", "mark_variables", "run_backward", "store_gradient"]

GRAD_REQS = ("null", "write", "add")


# Leaves -------------------------------------------------------------------------------------------


def attach(array: BaseArray, gradient: BaseArray, grad_req: str) -> None:
    """Makes `array` a leaf whose gradient goes to `gradient`, cut off from what it came from."""
    if not isinstance(grad_req, str) or grad_req not in GRAD_REQS:
        raise UnknownNameError(
            f"attach_grad: grad_req={shown(grad_req)}: must be one of {GRAD_REQS}"
            f"{candidates(grad_req, GRAD_REQS)}"
        )
    tensor = _stand_in(array)
    if grad_req != "null" and tensor.is_floating_point():
        tensor.requires_grad_()
    array._grad = gradient
    array._tracked = tensor
    array._node = Leaf(tensor, gradient, grad_req)


def _stand_in(array: BaseArray) -> Tensor:
    """A tensor for gradients to flow through: the same memory, its own version counter."""
    value = array._value
    if not isinstance(value, Tensor):
        return stand_in(value)
    return value.data if value.is_floating_point() else integer_stand_in(value)


@door
def mark_variables(
    variables: BaseArray | Sequence[BaseArray],
    gradients: BaseArray | Sequence[BaseArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Makes arrays leaves whose gradients go to given arrays.

    Args:
        variables: the arrays.
        gradients: an array for each.
        grad_reqs: null, write or add, for all or for each.
    """
    arrays = _as_list("mark_variables: variables", variables)
    buffers = _as_list("mark_variables: gradients", gradients)
    requests = [grad_reqs] * len(arrays) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(arrays) == len(buffers) == len(requests):
        raise ArgumentError(
            f"mark_variables: {len(arrays)} variables, {len(buffers)} gradients, "
            f"{len(requests)} grad_reqs"
        )
    for i, (array, gradient) in enumerate(zip(arrays, buffers, strict=True)):
        if array.shape != gradient.shape:
            raise ArgumentError(
                f"mark_variables: gradient {i} has shape {shape_text(gradient.shape)}, "
                f"its variable {shape_text(array.shape)}"
            )
    for array, gradient, request in zip(arrays, buffers, requests, strict=True):
        attach(array, gradient, request)


def _as_list(what: str, given: Any, or_none: bool = False) -> list[Any]:
    """An array, or some, as a list; `or_none`: with None in place of some."""
    if isinstance(given, BaseArray):
        return [given]
    if type(given) is not list and not isinstance(given, Iterable):
        raise ArgumentTypeError(f"{what}: a {type(given).__name__} is no array and no list of them")
    arrays = list(given)
    for array in arrays:
        if not (isinstance(array, BaseArray) or (or_none and array is None)):
            raise ArgumentTypeError(f"{what}: a {type(array).__name__} is no array")
    return arrays


# Taking gradients ---------------------------------------------------------------------------------


def store_gradient(array: BaseArray, fresh: Value | None, grad_req: str) -> None:
    """Puts a gradient that nobody else holds, or none, into its array."""
    if fresh is None:
        if grad_req == "write":
            reacquire_memory(array)
            clear(array)
        return
    if isinstance(fresh, Tensor) and fresh.requires_grad:
        fresh = fresh.detach()
    if not isinstance(fresh, Tensor) or fresh.is_sparse or array.stype != "default":
        reacquire_memory(array)
        take_sparse_gradient(array, fresh, grad_req)
    elif grad_req == "add":
        array._target.add_(fresh.to(array._raw.device, array._raw.dtype))
    else:
        adopt_memory(array, contiguous(fresh), "backward")


# Heads --------------------------------------------------------------------------------------------


_Heads = dict[TapeNode, tuple[BaseArray, "BaseArray | None"]]


def _heads(caller: str, heads: Any, head_grads: Any) -> _Heads:
    """Recorded arrays and their gradients, by node; of an array given twice the last counts."""
    if head_grads is None and isinstance(heads, BaseArray):
        return {_node_of_head(caller, 0, heads): (heads, None)}
    arrays = _as_list(caller, heads)
    given = [None] * len(arrays)
    if head_grads is not None:
        given = _as_list(f"{caller}: head_grads", head_grads, or_none=True)
    if len(given) != len(arrays):
        raise ArgumentError(f"{caller}: {len(given)} head gradients for {len(arrays)} heads")
    found: _Heads = {}
    for i, (array, gradient) in enumerate(zip(arrays, given, strict=True)):
        node = _node_of_head(caller, i, array)
        if gradient is not None:
            _check_head_gradient(caller, i, array, gradient)
        found[node] = (array, gradient)
    return found


def _node_of_head(caller: str, i: int, array: BaseArray) -> TapeNode:
    if SLOW_PATH:
        settle(array, READ)
    node: TapeNode | None = array._node
    if node is None or array._tracked is None:
        raise MXNetError(
            f"{NO_GRAPH}: {caller}: head {i} has no recorded computation; compute it inside "
            "autograd.record() from arrays with attach_grad()"
        )
    if node.inputs is None:
        raise MXNetError(
            f"{NO_GRAPH}: {caller}: the graph of head {i} was freed by an earlier backward pass; "
            "to go through it twice, give the first one retain_graph=True"
        )
    return node


def _check_head_gradient(caller: str, i: int, array: BaseArray, gradient: BaseArray) -> None:
    if gradient.shape != array.shape:
        raise MXNetError(
            f"{caller}: the gradient of head {i} has shape {shape_text(gradient.shape)}, "
            f"the head {shape_text(array.shape)}"
        )
    if gradient.context.device != array.context.device:
        raise MXNetError(
            f"{caller}: the gradient of head {i} is on {gradient.context}, the head on "
            f"{array.context}; x.as_in_context(ctx) copies it there"
        )
    given, wanted = gradient._raw.dtype, array._raw.dtype
    if given is not wanted:
        raise MXNetError(
            f"{caller}: the gradient of head {i} has elements of type {dtype_name(given)}, "
            f"the head {dtype_name(wanted)}"
        )


# Running ------------------------------------------------------------------------------------------

_run_alone = single_threaded(run_backward)


def _gradients(
    caller: str, heads: _Heads, leaves: Sequence[Leaf], sources: Sequence[Source], keep: bool,
    create_graph: bool, train: bool, run: Any = run_backward,
) -> list[Tensor | None]:  # fmt: skip
    """Gradients of leaves, with their graphs where asked for; None where none flows to the leaf."""
    results, gradients = _roots(heads, create_graph)
    if sources:
        _add_starts(results, gradients, heads, sources)
    wanted = tuple([leaf.tensor for leaf in leaves if leaf.tensor.requires_grad])
    if not results or not wanted:
        return [None] * len(leaves)
    state = STATE
    before = state.recording, state.training
    state.recording, state.training = False, train
    try:
        arguments = (tuple(results), tuple(gradients), keep, create_graph, wanted, True, False)
        if PROFILER.running:
            with recorded_backward(results, next(iter(heads.values()))[0].context):
                found = run(*arguments)
        else:
            found = run(*arguments)
    except MXNetError:
        raise
    except Exception as error:
        raise from_foreign(error, caller) from error
    finally:
        state.recording, state.training = before
    # Second derivatives that vanish come as ATen's tensors of zeros without memory.
    flowing = [None if g is None or is_zero_tensor(g) else g for g in found]
    if len(wanted) == len(leaves):
        return flowing
    rest = iter(flowing)
    return [next(rest) if leaf.tensor.requires_grad else None for leaf in leaves]


def _add_starts(
    results: list[Any], gradients: list[Tensor], heads: _Heads, sources: Sequence[Source]
) -> None:
    """Adds zeros for where a pass has to begin beside the heads, which have gradients already."""
    begun = {r.grad_fn for r in results}
    for edge, zeros in starts(heads, sources):
        if (edge.grad_fn if isinstance(edge, Tensor) else edge.node) not in begun:
            results.append(edge)
            gradients.append(zeros)


def _roots(heads: _Heads, create_graph: bool) -> tuple[list[Any], list[Tensor]]:
    """What gradients flow from, and the gradients there."""
    results: list[Any] = []
    gradients: list[Tensor] = []
    for array, gradient in heads.values():
        tracked = array._tracked
        if tracked is None or not tracked.requires_grad:  # what comes of it is zero
            continue
        if gradient is None:
            tracked = _scalar_behind(tracked)
            gradients.append(torch.ones_like(tracked))
        elif create_graph and gradient._tracked is not None:
            gradients.append(gradient._tracked)
        else:
            gradients.append(gradient._tensor.to(tracked.dtype))
        results.append(tracked)
    return results, gradients


def _scalar_behind(tracked: Tensor) -> Tensor:
    """`tracked`, or the scalar that it is a view of: one node less, a sixth of a small pass."""
    scalar = base_of(tracked)
    if scalar is None or scalar.dim() or tracked.numel() != 1 or has_backward_hooks(tracked):
        return tracked
    return scalar if scalar.requires_grad else tracked  # an own gradient's views have graphs alone


def _distinct(gradients: Sequence[Tensor | None], heads: _Heads) -> list[Tensor | None]:
    """The gradients, each in memory of its own: ATen hands on what it need not compute."""
    seen = {_memory_of(g._tensor) for _, g in heads.values() if g is not None}
    found: list[Tensor | None] = []
    for gradient in gradients:
        if gradient is not None and not gradient.is_sparse:
            memory = _memory_of(gradient)
            if memory in seen:
                gradient = gradient.clone()
            seen.add(memory)
        found.append(gradient)
    return found


def _memory_of(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


@door
def backward(
    heads: BaseArray | Sequence[BaseArray],
    head_grads: Any = None,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Computes gradients of `heads` into the gradient arrays of the leaves they come from.

    Args:
        heads: recorded arrays.
        head_grads: their gradients; ones where None.
        retain_graph: keep what another backward through the same graph needs.
        train_mode: what `is_training` says to functions that run meanwhile; operators go by the
            mode that they were recorded in.
    """
    found = _heads("backward", heads, head_grads)
    nodes = reached(found)
    kinds = set(map(type, nodes))
    leaves, buffers = _wanted(nodes)
    sources = _sources(found, nodes, kinds)
    run = _run_alone if is_small(nodes, kinds) else run_backward
    try:
        if head_grads is None:  # else they might be read
            release_memory(buffers)
        gradients = _gradients(
            "backward", found, leaves, sources, retain_graph, False, train_mode, run
        )
        if len(gradients) > 1 or head_grads is not None:
            gradients = _distinct(gradients, found)
        for leaf, gradient in zip(leaves, gradients, strict=True):
            leaf.is_fresh = True
            store_gradient(leaf.gradient, gradient, leaf.grad_req)
    except BaseException:
        for array in buffers:
            reacquire_memory(array)
        raise
    if not retain_graph:
        free(found)


def _wanted(nodes: Sequence[TapeNode]) -> tuple[list[Leaf], list[BaseArray]]:
    """The leaves that want gradients, at least one; the arrays that will be written to."""
    leaves: list[Leaf] = []
    written: list[BaseArray] = []
    for node in nodes:
        if type(node) is not Leaf:
            continue
        if node.grad_req == "null":
            node.is_fresh = True
            continue
        leaves.append(node)
        if node.grad_req == "write":
            written.append(node.gradient)
    if not leaves:
        raise MXNetError("backward: the heads come from no array that wants a gradient")
    return leaves, written


def _sources(heads: _Heads, nodes: Sequence[TapeNode], kinds: set[type[TapeNode]]) -> list[Source]:
    """What may start gradients, of the nodes (of these `kinds`) that `heads` were computed from."""
    if NoGradient in kinds:
        refuse_without_gradient(heads)
    if Source not in kinds:
        return []
    found = [n for n in nodes if type(n) is Source]
    if any(n.always for n in found) or any(map(is_level, nodes)):
        return found
    return []


@door
def grad(
    heads: BaseArray | Sequence[BaseArray],
    variables: BaseArray | Sequence[BaseArray],
    head_grads: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> list[BaseArray]:
    """Gradients of `heads` with respect to `variables`, as new arrays.

    Args:
        heads: recorded arrays.
        variables: arrays with attach_grad.
        head_grads: gradients of the heads; ones where None.
        retain_graph: keep the graph; default: when `create_graph` is on, which needs it.
        create_graph: record the gradients too, so that they have gradients.
        train_mode: as `backward` has it.
    """
    arrays = _as_list("grad: variables", variables)
    if not arrays:
        raise AssertedError("grad: variables cannot be an empty list")
    found = _heads("grad", heads, head_grads)
    nodes = reached(found)
    leaves = [_leaf_of(i, array, nodes) for i, array in enumerate(arrays)]
    keep = create_graph or bool(retain_graph)
    sources = _sources(found, nodes, set(map(type, nodes)))
    gradients = _gradients("grad", found, leaves, sources, keep, create_graph, train_mode)
    if not keep:
        free(found)
    made = [
        _gradient_array(array, value)
        for array, value in zip(arrays, _distinct(gradients, found), strict=True)
    ]
    if create_graph:
        _record(made, gradients, found)
    return made


def _leaf_of(i: int, array: BaseArray, nodes: Sequence[TapeNode]) -> Leaf:
    node = array._node
    if not isinstance(node, Leaf) or node.grad_req == "null":
        raise MXNetError(f"grad: variable {i} wants no gradient; call attach_grad() first")
    if node not in nodes:
        raise MXNetError(
            f"grad: the heads do not depend on variable {i}: compute them from it inside record(), "
            "or leave it out"
        )
    return node


def _gradient_array(array: BaseArray, gradient: Tensor | None) -> BaseArray:
    if gradient is not None and gradient.is_sparse:
        return sparse_gradient(gradient.detach(), array.context)
    if gradient is None:
        gradient = torch.zeros(array.shape, dtype=array._raw.dtype, device=array.context.device)
    kind = type(array) if array.stype == "default" else CLASSES["default"]
    return wrap(contiguous(gradient.detach().to(array._raw.dtype)), array.context, kind)


def _record(made: Sequence[BaseArray], gradients: Sequence[Tensor | None], heads: _Heads) -> None:
    """Puts computed gradients on the tape."""
    given = [g for _, g in heads.values() if g is not None]
    inputs = [*(array for array, _ in heads.values()), *given]
    for array, gradient in zip(made, gradients, strict=True):
        array._tracked = array._raw if gradient is None else gradient
        array._node = step(GRADIENT, inputs)
