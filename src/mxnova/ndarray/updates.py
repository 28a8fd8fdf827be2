# SPDX-License-Identifier: Apache-2.0
"""Optimizer updates whose operators take the gradients' scale as an array, on numbers too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.nd.array import NDArray
from ..core.nd.creation import full
from ..core.nd.functions import function_of

__all__ = [
    "adamw_update",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
]

Arrays = Sequence[NDArray]


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
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
) -> Any:
    """Adam with decoupled weight decay; no update where `rescale_grad` is zero or not finite.

    Args:
        weight: the weights.
        grad: their gradient.
        mean: its running mean, mutated.
        var: its running mean of squares, mutated.
        rescale_grad: factor for the gradient, a number or an array of one.
        lr: learning rate.
        eta: schedule factor of the whole step.
        beta1: decay of `mean`.
        beta2: decay of `var`.
        epsilon: added to the denominator.
        wd: weight decay.
        clip_gradient: bound for the size of the rescaled gradient; none when negative.
        out: array to write the new weights into.
        name: ignored.
        kwargs: further arguments of the operator.
    """
    return function_of("_adamw_update")(
        *(weight, grad, mean, var, _scale(rescale_grad, weight)),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        out=out,
        **kwargs,
    )


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
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
) -> Any:
    """`adamw_update` of a float32 copy of the weights, `weight32`, rounded to their own type."""
    return function_of("_mp_adamw_update")(
        *(weight, grad, mean, var, weight32, _scale(rescale_grad, weight)),
        lr=lr,
        eta=eta,
        beta1=beta1,
        beta2=beta2,
        epsilon=epsilon,
        wd=wd,
        clip_gradient=clip_gradient,
        out=out,
        **kwargs,
    )


def multi_adamw_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """`adamw_update` of several weights at once; `size` is their number (0: all that are given)."""
    arrays = _interleaved(weights, grads, mean, var)
    rates = {"lrs": lrs, "wds": wds, "etas": etas, "num_weights": size or len(weights)}
    scale = _scale(rescale_grad, weights[0])
    return function_of("_multi_adamw_update")(*arrays, scale, out=out, **rates, **kwargs)


def multi_mp_adamw_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    weights32: Arrays,
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """`mp_adamw_update` of several weights at once; `size` is their number (0: all given)."""
    arrays = _interleaved(weights, grads, mean, var, weights32)
    rates = {"lrs": lrs, "wds": wds, "etas": etas, "num_weights": size or len(weights)}
    scale = _scale(rescale_grad, weights[0])
    return function_of("_multi_mp_adamw_update")(*arrays, scale, out=out, **rates, **kwargs)


def multi_lamb_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """LAMB for several weights at once; `num_tensors` is their number (0: all that are given)."""
    arrays = _interleaved(weights, grads, mean, var)
    rates = {"step_count": step_count, "learning_rates": lrs, "wds": wds}
    number = num_tensors or len(weights)
    function = function_of("_multi_lamb_update")
    return function(*arrays, out=out, num_tensors=number, **rates, **kwargs)


def multi_mp_lamb_update(
    weights: Arrays,
    grads: Arrays,
    mean: Arrays,
    var: Arrays,
    weights32: Arrays,
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """`multi_lamb_update` of float32 copies of the weights, rounded to their own type."""
    arrays = _interleaved(weights, grads, mean, var, weights32)
    rates = {"step_count": step_count, "learning_rates": lrs, "wds": wds}
    number = num_tensors or len(weights)
    function = function_of("_multi_mp_lamb_update")
    return function(*arrays, out=out, num_tensors=number, **rates, **kwargs)


def _scale(rescale_grad: Any, weight: NDArray) -> NDArray:
    if isinstance(rescale_grad, NDArray):
        return rescale_grad
    return full((1,), float(rescale_grad), ctx=weight.context)


def _interleaved(*groups: Arrays) -> list[NDArray]:
    """The arrays of the first weight, then those of the second, …."""
    return [array for arrays in zip(*groups, strict=True) for array in arrays]
