# SPDX-License-Identifier: Apache-2.0
"""How an operator is run so that ATen's autograd gives MXNet's gradient."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from .record import Op, as_tuple

__all__ = ["no_writes", "recorded"]


def recorded(op: Op) -> Callable[..., Any]:
    """`op.forward` as it runs where gradients are wanted: same arguments, same results."""
    if op.writes_in_backward:
        return functools.partial(_watched, op)
    if op.differentiable and op.backward is None:
        return op.forward
    return functools.partial(_explicit if op.differentiable else _cut, op)


def _watched(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    results = op.forward(*tensors, **facts)
    outputs = as_tuple(results)
    write = op.on_backward(tensors, outputs, **facts) if outputs[0].requires_grad else None
    if write is not None:
        outputs[0].register_hook(_Writer(write))
    return results


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


class _Writer:
    """Writes once for each backward pass, but not again in those that differentiate one of them."""

    def __init__(self, write: Callable[[], None]) -> None:
        self._write = write
        self._was_differentiated = False

    def __call__(self, _d_output: Tensor) -> None:
        if _MODE.writes and not self._was_differentiated:
            self._was_differentiated = torch.is_grad_enabled()
            with torch.no_grad():
                self._write()


def _cut(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    with torch.no_grad():
        return op.forward(*tensors, **facts)


def _explicit(op: Op, *tensors: Tensor, **facts: Any) -> Any:
    return _Explicit.apply(op, facts, *tensors)  # type: ignore[no-untyped-call]


@functools.cache
def _arguments(function: Any) -> tuple[str, ...]:
    code = function.__code__
    names: Sequence[str] = code.co_varnames[: code.co_argcount]
    return tuple(n for n in names if n != "self")


def _reads(op: Op) -> tuple[str, ...]:
    """The names that `op.backward` takes: d_<output>, inputs, outputs."""
    function: Any = op.backward
    function = getattr(function, "func", function)
    return _arguments(getattr(function, "__func__", function))


class _Explicit(torch.autograd.Function):
    """An operator with a gradient of its own; only what its backward names is kept."""

    @staticmethod
    def forward(ctx: Any, op: Op, facts: dict[str, Any], *tensors: Tensor) -> Any:
        results = op.forward(*tensors, **facts)
        outputs = results if isinstance(results, tuple) else (results,)
        arrays = dict(zip((*op.inputs(), *op.outputs()), (*tensors, *outputs), strict=True))
        ctx.op = op
        ctx.n_inputs = len(tensors)
        ctx.kept = tuple(n for n in _reads(op) if n in arrays)
        ctx.save_for_backward(*(arrays[n] for n in ctx.kept))
        return results

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        op: Op = ctx.op
        values = dict(zip(ctx.kept, ctx.saved_tensors, strict=True))
        values.update(zip((f"d_{n}" for n in op.outputs()), d_outputs, strict=True))
        backward: Any = op.backward
        gradients = backward(**{n: values[n] for n in _reads(op)})
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        missing = ctx.n_inputs - len(gradients)  # trailing inputs (labels, lengths) get none
        kept = {_memory_of(t) for t in ctx.saved_tensors} - {None}
        owned = (g.clone() if _memory_of(g) in kept else g for g in gradients)
        return (None, None, *owned, *(None,) * missing)


def _memory_of(tensor: Tensor | None) -> int | None:
    """What tells memory apart; None for what is no dense tensor."""
    if tensor is None or tensor.is_sparse:
        return None
    return tensor.untyped_storage().data_ptr()
