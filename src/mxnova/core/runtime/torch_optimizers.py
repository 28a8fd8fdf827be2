# SPDX-License-Identifier: Apache-2.0
"""The border to torch for updates of weights: functions of lists, fused steps of optimizers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .torch_api import works

__all__ = ["foreach", "fused_adam_", "fused_sgd_", "has_fused_optimizers"]


class _Foreach:
    """Functions of lists of tensors: ``foreach.mul_(tensors, 2.0)`` is ``torch._foreach_mul_``.

    One that torch lacks becomes a loop over the method of tensors.
    """

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(torch, f"_foreach_{name}", None) or _one_by_one(name)
        setattr(self, name, function)
        return function


def _one_by_one(name: str) -> Callable[..., Any]:
    method: Callable[..., Tensor] = getattr(Tensor, name)

    def run(tensors: Sequence[Tensor], *columns: Any, **options: Any) -> list[Tensor]:
        n = len(tensors)
        each = [c if isinstance(c, (list, tuple)) else [c] * n for c in columns]
        return [method(*row, **options) for row in zip(tensors, *each, strict=True)]

    return run


foreach: Any = _Foreach()


@functools.cache
def has_fused_optimizers() -> bool:
    """Whether the kernels are there that update many weights by SGD, Adam and AdamW at once."""
    return works(_steps_by_sgd) and all(
        works(functools.partial(_steps_by_adam, decoupled)) for decoupled in (False, True)
    )


def _steps_by_sgd() -> bool:
    weight, grad = torch.ones(2), torch.ones(2)
    fused_sgd_([weight], [grad], [], lr=0.5, wd=0.0)
    return bool((weight == 0.5).all())


def _steps_by_adam(decoupled: bool) -> bool:
    weight, grad, mean, var = torch.ones(2), torch.ones(2), torch.zeros(2), torch.zeros(2)
    endless = torch.full((), float("inf"))
    states, numbers = ([weight], [grad], [mean], [var], [endless]), (0.5, 0.75, 0.75, 0.0, 0.0)
    fused_adam_(*states, *numbers, decoupled=decoupled)
    return bool((weight == 0.75).all() and (mean == 0.25).all() and (var == 0.25).all())


def fused_sgd_(
    weights: Sequence[Tensor],
    grads: Sequence[Tensor],
    buffers: Sequence[Tensor],
    lr: float,
    wd: float,
    momentum: float = 0.0,
    dampening: float = 0.0,
) -> None:
    """A step of SGD for several weights, where `has_fused_optimizers`.

    ``buffer = momentum * buffer + (1 - dampening) * (grad + wd * weight)``.
    """
    torch._fused_sgd_(  # type: ignore[call-overload]
        weights, grads, buffers,
        lr=lr, weight_decay=wd, momentum=momentum, dampening=dampening,
        nesterov=False, maximize=False, is_first_step=False,
    )  # fmt: skip


def fused_adam_(
    weights: Sequence[Tensor],
    grads: Sequence[Tensor],
    means: Sequence[Tensor],
    variances: Sequence[Tensor],
    steps: Sequence[Tensor],
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    wd: float,
    *,
    found_inf: Tensor | None = None,
    decoupled: bool = False,
) -> None:
    """A step of Adam for several weights, where `has_fused_optimizers`.

    Args:
        weights: updated, as are `means` and `variances`.
        grads: their gradients.
        means: of the gradients.
        variances: of the gradients, not centered.
        steps: how many there were, for each weight.
        lr: learning rate.
        beta1: decay of `means`.
        beta2: decay of `variances`.
        eps: added to the root of `variances`.
        wd: weight decay.
        found_inf: 1 where nothing is to change.
        decoupled: decay leaves the moments alone, as in AdamW.
    """
    kernel: Any = torch._fused_adamw_ if decoupled else torch._fused_adam_
    kernel(
        weights, grads, means, variances, [], steps,
        lr=lr, beta1=beta1, beta2=beta2, weight_decay=wd, eps=eps,
        amsgrad=False, maximize=False, found_inf=found_inf,
    )  # fmt: skip
