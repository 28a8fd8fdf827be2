# SPDX-License-Identifier: Apache-2.0
"""Runs of a user's operator: arrays for its `forward` and `backward`, and what becomes of them."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...nd.array import NDArray
from ...nd.function import tied
from ...nd.recording import pause
from ...nd.wrapping import wrap, wrap_sparse
from ...op.sparse.storage import Value, cast_storage, empty_sparse, stype_of
from ...runtime.context import Context, context_at, current_context
from ...runtime.profiler import custom_code

if TYPE_CHECKING:  # the operator, which is above
    from .custom import Custom

__all__ = ["Facts", "RecordedRun", "Run", "SparseStep", "UserCode"]

Facts = tuple[tuple[int, ...], torch.dtype]  # of an array: shape and element type


class UserCode:
    """Turns what a user's method raises into an MXNetError that names operator, error and line."""

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception):
            frames = traceback.extract_tb(trace)
            theirs = [f for f in frames if not f.filename.startswith(_PACKAGE)] or frames
            line = f"{theirs[-1].filename}:{theirs[-1].lineno}: {theirs[-1].line}"
            text = f"{self._where} raised {type(error).__name__}: {error} ({line})"
            raise MXNetError(text) from error


_PACKAGE = str(Path(__file__).parents[2])


class Run:
    """One forward and the backward that belongs to it."""

    def __init__(self, op: Custom, data: Sequence[Value], train: bool) -> None:
        self.op = op
        self._train = train
        self._context = _context_of(data)
        self._operator = op.operator_for(self._context, data)
        self.n_arguments = len(op.inputs()) - len(op.aux)
        self._aux = self._arrays(data[self.n_arguments :])

    def _arrays(self, values: Sequence[Value]) -> list[NDArray]:
        """Arrays over the same memory: what the user writes to them is seen outside.

        Values inside a graph that lie in another order than that of their axes are copied.
        """
        return [
            wrap(v.data.contiguous(), self._context)
            if isinstance(v, Tensor)
            else wrap_sparse(v.with_data(v.data), self._context)
            for v in values
        ]

    def _zeros(self, facts: Sequence[Facts], stypes: Sequence[str] | None) -> list[NDArray]:
        place, stypes = self._context.device, stypes or ["default"] * len(facts)
        return self._arrays(
            [
                torch.zeros(shape, dtype=dtype, device=place)
                if stype == "default"
                else empty_sparse(stype, shape, dtype, place)
                for (shape, dtype), stype in zip(facts, stypes, strict=True)
            ]
        )

    def forward(self, data: Sequence[Value], stypes: Sequence[str] | None = None) -> list[NDArray]:
        """The outputs, stored as `stypes`, for these arguments and auxiliary states."""
        outputs = self._zeros(self.op.results(data), stypes)
        with (
            custom_code(self.op.op_type),
            self.op.user_code("forward"),
            pause(self._train),
            self._context,
        ):
            self._operator.forward(
                is_train=self._train,
                req=["write"] * len(outputs),
                in_data=self._arrays(data[: self.n_arguments]),
                out_data=outputs,
                aux=self._aux,
            )
        return outputs

    def backward(
        self,
        d_outputs: Sequence[Value],
        arguments: Sequence[Value],
        outputs: Sequence[Value],
        wanted: Sequence[bool],
        facts: Sequence[Facts],
        stypes: Sequence[str] | None = None,
    ) -> list[NDArray]:
        """Gradients, stored as `stypes`, of the arguments; `facts` are their shapes and types."""
        gradients = self._zeros(facts, stypes)
        with (
            custom_code(f"_backward_{self.op.op_type}"),
            self.op.user_code("backward"),
            pause(self._train),
            self._context,
        ):
            self._operator.backward(
                req=["write" if w else "null" for w in wanted],
                out_grad=self._arrays(d_outputs),
                in_data=self._arrays(arguments),
                out_data=self._arrays(outputs),
                in_grad=gradients,
                aux=self._aux,
            )
        return gradients


def _context_of(values: Sequence[Value]) -> Context:
    """The current context, or that of the values where they are elsewhere."""
    current = current_context()
    device = values[0].data.device if values else current.device
    if device == current.device:
        return current
    return context_at(device)


class RecordedRun(torch.autograd.Function):
    """A run whose gradient is the user's; only what backward is said to read is kept."""

    @staticmethod
    def forward(ctx: Any, run: Run, *data: Tensor) -> tuple[Tensor, ...]:
        """The outputs."""
        outputs = tuple(a._tensor for a in run.forward(data))
        arguments = data[: run.n_arguments]
        numbered = [None] * len(outputs) + [*arguments, *outputs]
        ctx.run = run
        ctx.counts = (len(outputs), len(arguments), len(data))
        ctx.facts = [(tuple(t.shape), t.dtype) for t in arguments]
        ctx.needed = run.op.dependencies()
        ctx.kept = [i for i in sorted(ctx.needed) if i >= len(outputs)]
        ctx.save_for_backward(*(numbered[i] for i in ctx.kept))
        ctx.mark_non_differentiable(*(t for t in outputs if not t.is_floating_point()))
        return outputs

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Any, ...]:
        """Gradients of the arguments; none of the run and of auxiliary states."""
        with torch.no_grad():
            found = RecordedRun._gradients(ctx, d_outputs)
        if torch.is_grad_enabled():  # a graph of the gradients is wanted
            made = [g for g in found if g is not None]
            name = f"Custom: op_type={ctx.run.op.op_type!r}"
            given = iter(tied(name, made, [*ctx.saved_tensors, *d_outputs]))
            found = [None if g is None else next(given) for g in found]
        return (None, *found)

    @staticmethod
    def _gradients(ctx: Any, d_outputs: Sequence[Tensor]) -> list[Tensor | None]:
        n, m, n_data = ctx.counts
        numbered = [torch.empty(0)] * (n + m + n)
        for i, d_output in enumerate(d_outputs):
            if i in ctx.needed:
                numbered[i] = d_output.contiguous()
        for i, tensor in zip(ctx.kept, ctx.saved_tensors, strict=True):
            numbered[i] = tensor
        wanted = ctx.needs_input_grad[1 : 1 + m]
        gradients = ctx.run.backward(
            numbered[:n], numbered[n : n + m], numbered[n + m :], wanted, ctx.facts
        )
        kept = (g._tensor if w else None for g, w in zip(gradients, wanted, strict=True))
        return [*kept, *(None,) * (n_data - m)]


class SparseStep:
    """A run on arrays in sparse storage, as a kernel."""

    def __init__(self, stypes: Sequence[str]) -> None:
        self._stypes = stypes
        self._run: Run
        self._outputs: list[NDArray]

    def forward(self, op: Custom, *data: Value, train: bool) -> tuple[Value, ...]:
        """The outputs."""
        self._run = Run(op, data, train)
        self._outputs = self._run.forward(data, self._stypes)
        return tuple(a._value for a in self._outputs)

    def backward(self, op: Custom, *given: Any) -> tuple[Value, ...]:
        """Gradients of the arguments, for those of the outputs and the inputs."""
        facts = op.results(given[len(self._outputs) :])
        device = self._outputs[0].context.device
        d_outputs = [
            torch.zeros(shape, dtype=dtype, device=device) if d is None else d
            for d, (shape, dtype) in zip(given, facts, strict=False)
        ]
        data = given[len(d_outputs) :]
        arguments, aux = data[: self._run.n_arguments], data[self._run.n_arguments :]
        groups = [
            [stype_of(d) for d in d_outputs],
            [stype_of(a) for a in arguments],
            [a.stype for a in self._outputs],
            ["undefined"] * len(arguments),
            [stype_of(a) for a in aux],
        ]
        with op.user_code("infer_storage_type_backward"):
            wanted, _, _, stypes, *_ = op.prop.infer_storage_type_backward(*groups)
        gradients = self._run.backward(
            [cast_storage(d, stype) for d, stype in zip(d_outputs, wanted, strict=True)],
            arguments,
            [a._value for a in self._outputs],
            [True] * len(arguments),
            [(tuple(a.shape), a.dtype) for a in arguments],
            stypes,
        )
        return tuple(g._value for g in gradients)
