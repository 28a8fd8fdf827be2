# SPDX-License-Identifier: Apache-2.0
"""Running an operator so that ATen's autograd computes MXNet's gradient."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..runtime import torch_api
from .outputs import as_tuple
from .schema import Op

__all__ = [
    "Reads",
    "Writer",
    "explicit_gradients",
    "ignores_head",
    "is_derived",
    "is_source",
    "no_writes",
    "recorded",
    "starting",
    "zeros_for",
]


def recorded(op: Op) -> Callable[..., Any]:
    """`op.forward` as it runs where gradients are wanted: same arguments, same results."""
    if is_derived(op):
        return op.forward
    if op.writes_in_backward:
        return functools.partial(_watched, op)
    return functools.partial(_explicit if op.differentiable else _cut, op)


def is_derived(op: Op) -> bool:
    """Whether its gradient is what autograd derives from its forward."""
    return bool(op.differentiable and op.backward is None and not op.writes_in_backward)


def is_source(op: Op) -> bool:
    """Whether gradients come of `op` though zeros arrive at it, as those of losses do.

    A gradient of zeros is not none: MXNet hands it on through operators without a slope, and what
    is behind those gives its own gradient all the same.
    """
    return op.starts_gradients or ignores_head(op)


def ignores_head(op: Op) -> bool:
    """Whether `op` is a loss: its gradient depends on inputs and outputs only."""
    if op.backward is None or not op.differentiable:
        return False
    n_outputs = len(op.outputs())
    return all(i >= n_outputs for i in Reads.of(op).order)


def starting(results: Sequence[Tensor], starts: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """`results`; a gradient of the first real one hands zeros to `starts`, too."""
    wanting = [s for s in starts if s.requires_grad]
    at = next((i for i, r in enumerate(results) if r.is_floating_point()), None)
    if not wanting or at is None:
        return tuple(results)
    first: Tensor = _Starting.apply(results[at], *wanting)  # type: ignore[no-untyped-call]
    return (*results[:at], first, *results[at + 1 :])


class _Starting(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, result: Tensor, *starts: Tensor) -> Tensor:
        ctx.starts = [(s.shape, s.dtype, s.device) for s in starts]
        return result.view_as(result)

    @staticmethod
    def backward(ctx: Any, d_result: Tensor) -> tuple[Tensor, ...]:
        return d_result, *(zeros_for(*facts) for facts in ctx.starts)


def zeros_for(shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
    """A gradient of zeros without memory."""
    return torch.zeros((), dtype=dtype, device=device).expand(shape)


def _watched(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    outputs = as_tuple(op.forward(*tensors, **facts))
    if not outputs[0].requires_grad:  # nor then, unless an input that is not read wants one
        outputs = starting(outputs, tensors)
    write = op.on_backward(tensors, outputs[1:], **facts) if outputs[0].requires_grad else None
    if write is not None:
        outputs[0].register_hook(Writer(write))
    return outputs if len(outputs) > 1 else outputs[0]


class _Mode(threading.local):
    writes = True


_MODE = _Mode()


@contextmanager
def no_writes() -> Iterator[None]:
    """A block whose backward passes write to no array, as those that differentiate a gradient."""
    before, _MODE.writes = _MODE.writes, False
    try:
        yield
    finally:
        _MODE.writes = before


class Writer:
    """Writes once for each backward pass, but not again in those that differentiate one of them."""

    def __init__(self, write: Callable[[], None]) -> None:
        self._write = write
        self._was_differentiated = False
        # On a GPU it is the number of kernels that counts.
        self._waits = getattr(write, "on_gpu", False) and torch_api.has_final_calls()

    def __call__(self, _d_output: Tensor) -> None:
        if _MODE.writes and not self._was_differentiated:
            self._was_differentiated = torch.is_grad_enabled()
            if self._waits:
                _write_later(self._write)
                return
            with torch.no_grad():
                self._write()


class _Later(threading.local):
    """Writes that wait for the end of a backward pass, which has a number."""

    number = -1
    writes: list[Any]


_LATER = _Later()


def _write_later(write: Callable[[], None]) -> None:
    """Writes at the end of the backward pass that runs, all of a kind at once."""
    number = torch_api.backward_pass()
    if _LATER.number != number:
        _LATER.number, _LATER.writes = number, []
        torch_api.after_backward(functools.partial(_write_all, _LATER.writes))
    _LATER.writes.append(write)


def _write_all(writes: list[Any]) -> None:
    kinds: dict[Any, list[Any]] = {}
    for write in writes:
        kinds.setdefault(type(write), []).append(write)
    writes.clear()
    with torch.no_grad():
        for kind, alike in kinds.items():
            kind.all(alike)


def _cut(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    with torch.no_grad():
        return op.forward(*tensors, **facts)


def _explicit(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    return _apply(op, facts, *tensors)


@functools.cache
def _arguments(function: Any) -> tuple[str, ...]:
    code = function.__code__
    names: Sequence[str] = code.co_varnames[: code.co_argcount]
    return tuple(n for n in names if n != "self")


class Reads(NamedTuple):
    """The inputs and outputs that the backward of an operator reads.

    Attributes:
        kept: which of its inputs and outputs, by number.
        order: for each argument, where it stands among gradients of outputs and what is kept.
    """

    kept: tuple[int, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, op: Op) -> Reads:
        """Those of an operator, worked out once."""
        known: Reads | None = op.__dict__.get("_reads")
        if known is None:
            function: Any = op.backward
            function = getattr(function, "func", function)
            named = _arguments(getattr(function, "__func__", function))
            arrays = (*op.inputs(), *op.outputs())
            kept = [n for n in named if n in arrays]
            pool = (*(f"d_{n}" for n in op.outputs()), *kept)
            known = cls(tuple(map(arrays.index, kept)), tuple(map(pool.index, named)))
            op.__dict__["_reads"] = known
        return known


class _Explicit(torch.autograd.Function):
    """An operator with a gradient of its own; only what its backward names is kept."""

    @staticmethod
    def forward(ctx: Any, op: Op, facts: dict[str, Any], *tensors: Tensor) -> Any:
        results = op.forward(*tensors, **facts)
        arrays = tensors + (results if isinstance(results, tuple) else (results,))
        ctx.op = op
        ctx.n_inputs = len(tensors)
        ctx.save_for_backward(*[arrays[i] for i in Reads.of(op).kept])
        return results

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        gradients = explicit_gradients(ctx.op, d_outputs, ctx.saved_tensors)
        missing = ctx.n_inputs - len(gradients)  # trailing inputs (labels, lengths) get none
        return (None, None, *gradients, *(None,) * missing)


_apply = torch_api.apply_function(_Explicit)


def explicit_gradients(
    op: Op, d_outputs: Sequence[Tensor], kept: Sequence[Tensor]
) -> list[Tensor | None]:
    """What the backward of an operator gives for its first inputs, in memory of their own.

    Args:
        op: the operator.
        d_outputs: gradients of its outputs.
        kept: the inputs and outputs that `Reads` names.
    """
    pool = (*d_outputs, *kept)
    backward: Any = op.backward
    gradients = as_tuple(backward(*[pool[i] for i in Reads.of(op).order]))
    taken = [_memory_of(t) for t in kept]
    return [g.clone() if g is not None and _memory_of(g) in taken else g for g in gradients]


def _memory_of(tensor: Tensor) -> int:
    """What tells memory apart; -1: it is no dense tensor."""
    return -1 if tensor.is_sparse else tensor.untyped_storage().data_ptr()
