# SPDX-License-Identifier: Apache-2.0
"""How sparse values take part in ATen's autograd.

A sparse value that gradients flow through is accompanied by a stand-in: a tensor of its shape
without memory, which is what autograd sees. Gradients of kernels are tensors or records; those of
rows travel through autograd as ATen's sparse tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ..runtime.torch_api import apply_function
from .gradient import recorded
from .kernel import Kernel
from .outputs import as_tuple
from .schema import Op
from .sparse.storage import Csr, RowSparse, Value, dense_of

__all__ = ["densified", "kernel_gradients", "run_kernel", "stand_in", "value_of_gradient"]


def stand_in(value: Value, dtype: torch.dtype | None = None) -> Tensor:
    """A tensor of the shape of `value` that has no memory, of its type or of `dtype`.

    It holds anything: nobody computes with it.
    """
    data = value if isinstance(value, Tensor) else value.data
    return data.new_empty_strided(value.shape, (0,) * len(value.shape), dtype=dtype)


def densified(value: Value, tracked: Tensor) -> Tensor:
    """The dense tensor of a sparse value whose gradient flows to its stand-in."""
    dense: Tensor = _densified(value, tracked)
    return dense


class _Densified(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Value, tracked: Tensor) -> Tensor:
        return dense_of(value)

    @staticmethod
    def backward(ctx: Any, *d_output: Tensor) -> tuple[Any, ...]:
        return None, d_output[0]


_densified = apply_function(_Densified)


def run_kernel(
    op: Op,
    kernel: Kernel,
    values: Sequence[Value],
    tracked: Sequence[Tensor | None],
    facts: Mapping[str, Any],
) -> tuple[tuple[Value, ...], tuple[Tensor, ...]]:
    """(results, what gradients flow through for each of them) of a kernel.

    Args:
        op: the operator.
        kernel: its forward.
        values: its inputs.
        tracked: what gradients flow through for each input: the tensor itself or a stand-in; None
            for a record that none flows through. Empty: nothing is recorded, and the second part of
            the result is empty too.
        facts: of the run.
    """
    if not tracked:
        return as_tuple(kernel.forward(op, *values, **facts)), ()
    results: list[Value] = []
    if torch.is_grad_enabled():
        linked = _step(op, kernel, values, facts, results, *tracked)
    else:
        with torch.enable_grad():
            linked = _step(op, kernel, values, facts, results, *tracked)
    return tuple(results), linked


class _Step(torch.autograd.Function):
    """One kernel; its results go into a list, since autograd passes only tensors on."""

    @staticmethod
    def forward(
        ctx: Any,
        op: Op,
        kernel: Kernel,
        values: Sequence[Value],
        facts: Mapping[str, Any],
        results: list[Value],
        *tracked: Tensor | None,
    ) -> tuple[Tensor, ...]:
        made = kernel.forward(op, *values, **facts)
        results.extend(made if isinstance(made, tuple) else (made,))
        ctx.op, ctx.kernel, ctx.values = op, kernel, values
        # ATen's operators, which may have made any other tensor, take few sparse gradients.
        ctx.takes_sparse = [
            not isinstance(v, Tensor) or (t is not None and t.is_leaf)
            for t, v in zip(tracked, values, strict=True)
        ]
        ctx.set_materialize_grads(False)
        return tuple(r if isinstance(r, Tensor) else stand_in(r) for r in results)

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor | None) -> tuple[Any, ...]:
        given = [None if d is None else value_of_gradient(d) for d in d_outputs]
        found = kernel_gradients(ctx.op, ctx.kernel, given, ctx.values, ctx.needs_input_grad[5:])
        return (None,) * 5 + tuple(map(_as_tensor, found, ctx.takes_sparse))


_step = apply_function(_Step)


def kernel_gradients(
    op: Op,
    kernel: Kernel,
    d_outputs: Sequence[Value | None],
    values: Sequence[Value],
    wanted: Sequence[bool],
) -> list[Value | None]:
    """The gradient of each input that one is wanted of, in whatever storage; None where none flows.

    Args:
        op: the operator.
        kernel: what was run.
        d_outputs: gradients of its outputs.
        values: its inputs.
        wanted: of which of them.
    """
    if all(d is None for d in d_outputs):
        return [None] * len(values)
    run = _dense_gradients if kernel.backward is None else kernel.backward
    found = as_tuple(run(op, *d_outputs, *values))
    found += (None,) * (len(values) - len(found))
    return [
        (g() if callable(g) else g) if is_wanted else None
        for g, is_wanted in zip(found, wanted, strict=True)
    ]


def _dense_gradients(op: Op, *d_outputs_and_values: Any) -> tuple[Tensor | None, ...]:
    """The gradients that the dense form of the operator has."""
    n = len(op.outputs())
    d_outputs, values = d_outputs_and_values[:n], d_outputs_and_values[n:]
    if not op.differentiable:
        return (None,) * len(values)
    inputs = [dense_of(v).detach().requires_grad_(v.dtype.is_floating_point) for v in values]
    with torch.enable_grad():
        results = recorded(op)(*inputs, **op.quiet_facts())
    results = results if isinstance(results, tuple) else (results,)
    pairs = [(r, d) for r, d in zip(results, d_outputs, strict=True) if d is not None]
    leaves = [t for t in inputs if t.requires_grad]
    heads = [dense_of(d) for _, d in pairs]
    found = iter(torch.autograd.grad([r for r, _ in pairs], leaves, heads, allow_unused=True))
    return tuple(next(found) if t.requires_grad else None for t in inputs)


def _as_tensor(gradient: Value | None, takes_sparse: bool) -> Tensor | None:
    """A gradient as autograd takes it."""
    if isinstance(gradient, (Csr, RowSparse)):
        return gradient.to_torch() if takes_sparse else gradient.dense()
    return gradient


def value_of_gradient(gradient: Tensor) -> Value:
    """A gradient as autograd gives it, in the storage that it came in."""
    if not gradient.is_sparse:
        return gradient
    if gradient.requires_grad:  # records have no gradients
        return gradient.to_dense()
    return (RowSparse if gradient.sparse_dim() == 1 else Csr).of_torch(gradient)
