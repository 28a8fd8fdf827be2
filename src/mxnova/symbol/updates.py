# SPDX-License-Identifier: Apache-2.0
"""Optimizer updates whose operators take the gradients' scale as an array, on numbers too."""

from __future__ import annotations

from typing import Any

from ..core.graph.functions import function_of
from ..core.graph.symbol import Symbol
from .creation import full

__all__ = ["adamw_update", "mp_adamw_update"]


def adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """Adam with decoupled weight decay; `mx.nd.contrib.adamw_update` describes the arguments."""
    result: Symbol = function_of("_adamw_update", "adamw_update")(
        *(weight, grad, mean, var, _scale(rescale_grad)),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        name=name,
        **kwargs,
    )
    return result


def mp_adamw_update(
    weight: Symbol,
    grad: Symbol,
    mean: Symbol,
    var: Symbol,
    weight32: Symbol,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """`adamw_update` of a float32 copy of the weights, `weight32`, rounded to their own type."""
    result: Symbol = function_of("_mp_adamw_update", "mp_adamw_update")(
        *(weight, grad, mean, var, weight32, _scale(rescale_grad)),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        name=name,
        **kwargs,
    )
    return result


def _scale(rescale_grad: Any) -> Symbol:
    return rescale_grad if isinstance(rescale_grad, Symbol) else full((1,), float(rescale_grad))
