# SPDX-License-Identifier: Apache-2.0
"""How an update is declared, and where its results go.

An update mutates its states and gives the new weight. It writes to the weight itself only when the
caller asks for it by ``out=weight``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...base.params import doc_of_arguments
from ..declaration import elementwise_shape, function_operator
from ..infer import DTypes
from ..kernel import F, Signature
from ..schema import Op

__all__ = ["Out", "destination", "master_dtypes", "rounded", "update_operator"]

Out = tuple[Tensor, ...] | None

# What most updates say of their arrays and parameters; a docstring describes only what differs.
_DESCRIPTIONS = {
    "weight": "the weight, of any shape.",
    "grad": "its gradient, of the same shape and type.",
    "mom": "momentum, mutated.",
    "mean": "running mean of the gradient, mutated.",
    "var": "running mean of the gradient's square, mutated.",
    "history": "sum of the squared gradients, mutated.",
    "weight32": "float32 copy of the weight, mutated.",
    "lr": "learning rate.",
    "momentum": "decay of the momentum.",
    "beta1": "decay of the running mean.",
    "beta2": "decay of the running mean of squares.",
    "epsilon": "added to the denominator.",
    "wd": "weight decay (L2 penalty).",
    "rescale_grad": "factor for the gradient.",
    "clip_gradient": "bound for the size of the rescaled gradient; none when negative.",
    "lazy_update": "with a row_sparse gradient: leave the rows that it lacks as they are.",
}


def update_operator(*names: str, **rules: Any) -> Callable[[F], F]:
    """`function_operator` for an update: no gradient, inputs without names, arrays of one shape."""
    defaults = {"shape": elementwise_shape, "differentiable": None, "named_inputs": False}
    declare = function_operator(*names, **{**defaults, **rules})

    def described(function: F) -> F:
        signature = Signature.of(function)
        arguments = (*signature.inputs, *signature.parameters)
        function.__doc__ = _described(function.__doc__ or "", arguments)
        return declare(function)

    return described


def _described(doc: str, arguments: tuple[str, ...]) -> str:
    """`doc` with a description of every argument, in order."""
    doc = inspect.cleandoc(doc)
    described = {**_DESCRIPTIONS, **doc_of_arguments(doc)}
    summary = doc.split("\nArgs:\n")[0].rstrip()
    return "\n".join([summary, "", "Args:", *(f"    {n}: {described[n]}" for n in arguments)])


def destination(weight: Tensor, out: Out, at: int = 0) -> Tensor:
    """The tensor to update: `weight` itself when it is the caller's output `at`, else a copy."""
    return weight if out is not None and out[at] is weight else weight.clone()


def rounded(weight32: Tensor, weight: Tensor, out: Out) -> Tensor:
    """`weight32` in `weight`'s type, in its place when it is the caller's first output."""
    if out is not None and out[0] is weight:
        return weight.copy_(weight32)
    return weight32.to(weight.dtype, copy=True)


def master_dtypes(op: Op, t: DTypes) -> None:
    """Weight, gradient and result have one element type; all else is float32."""
    t.same("weight", "grad", "output")
    for name in t.inputs[2:]:
        t[name] = torch.float32
