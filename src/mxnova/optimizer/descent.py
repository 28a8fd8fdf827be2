# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent and what stays close to it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..core.base.dtypes import BFLOAT16
from ..core.nd.updates import UpdateOfSeveral
from .base import (
    Optimizer,
    aggregation_size,
    arrays_of,
    is_half,
    listed,
    register,
    zeros_like,
)
from .multi_tensor import Together

__all__ = ["DCASGD", "NAG", "SGD", "SGLD", "Signum", "Test", "ccSGD"]


@register
class SGD(Optimizer):
    """Gradient descent, with momentum where that is not 0.

    Without momentum: ``weight -= lr * (grad + wd * weight)``; with it, ``mom = momentum * mom - lr
    * (grad + wd * weight)``, then ``weight += mom``. The gradient is rescaled and clipped first.

    Args:
        momentum: decay of the momentum.
        lazy_update: with row_sparse gradients, move only the rows that they have.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.SGD())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.995, 2.005], dtype=float32)
    """

    _step_depends_on_counts = False

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update
        self.aggregate_num = aggregation_size()

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight, sparse=self.lazy_update) if self.momentum != 0.0 else None

    def _paired(self, state: Any, master: nd.NDArray) -> Any:
        return state, master

    def _goes_with_dense(self, weight: nd.NDArray, grad: nd.NDArray, state: Any) -> bool:
        own = arrays_of(state)
        several = _MULTI.get((len(own), self.multi_precision and is_half(weight)))
        return several is not None and several.takes([weight, grad, *own], 1, self.lazy_update)

    def _batch_limit(self) -> int:
        return self._batch_limit_of(SGD, self.aggregate_num)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its momentum in place; or each of a list."""
        self._update(index, weight, grad, state, has_master=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; float16 weights by their float32 copies, where there are such."""
        first = weight[0] if isinstance(index, (list, tuple)) else weight
        self._update(index, weight, grad, state, self.multi_precision and is_half(first))

    def _update(self, index: Any, weight: Any, grad: Any, state: Any, has_master: bool) -> None:
        indices, weights, grads, states = listed(index, weight, grad, state)
        self._update_count(indices)
        lrs, wds = self._get_lrs(indices), self._get_wds(indices)
        options = self._options()
        if self.momentum > 0:
            options["momentum"] = self.momentum
        owned = [arrays_of(state) for state in states]
        n_states = len(owned[0])
        if len(weights) > 1:
            groups = zip(weights, grads, owned, strict=True)
            arrays = [array for w, g, own in groups for array in (w, g, *own)]
            several = _MULTI[n_states, has_master]
            if several.takes(arrays, len(weights), self.lazy_update):
                several(arrays, weights, lrs, wds, **options)
                return
        update = SINGLE[n_states, has_master]
        options["lazy_update"] = self.lazy_update
        for w, g, own, lr, wd in zip(weights, grads, owned, lrs, wds, strict=True):
            update(w, g, *own, out=w, lr=lr, wd=wd, **options)


# By number of states, the float32 copy included, and by whether there is such a copy.
SINGLE = {
    (0, False): nd.sgd_update,
    (1, False): nd.sgd_mom_update,
    (1, True): nd.mp_sgd_update,
    (2, True): nd.mp_sgd_mom_update,
}
_MULTI = {
    (0, False): UpdateOfSeveral("multi_sgd_update", "sgd_update"),
    (1, False): UpdateOfSeveral("multi_sgd_mom_update", "sgd_mom_update"),
    (1, True): UpdateOfSeveral("multi_mp_sgd_update"),
    (2, True): UpdateOfSeveral("multi_mp_sgd_mom_update"),
}


@register
class ccSGD(SGD):  # noqa: N801 - MXNet's name
    """The old name of `SGD`.

    Args:
        *args: those of SGD.
        **kwargs: those of SGD.

    Example:
        >>> mx.optimizer.ccSGD(learning_rate=0.1).lr
        0.1
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)


@register
class NAG(Together):
    """Nesterov's accelerated gradient: a step from where the momentum will lead.

    ``mom = momentum * mom - lr * (grad + wd * weight)``, then
    ``weight += momentum * mom - lr * (grad + wd * weight)``; `SGD` where the momentum is 0.

    Args:
        momentum: decay of the momentum.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.NAG())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.995, 2.005], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight) if self.momentum != 0.0 else None

    def _paired(self, state: Any, master: nd.NDArray) -> Any:
        return state, master

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its momentum in place."""
        self._update(index, weight, grad, state, has_master=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; of a float16 weight by its float32 copy, where there is one; each of lists."""
        if isinstance(index, (list, tuple)):
            super().update_multi_precision(index, weight, grad, state)
        else:
            self._update(index, weight, grad, state, self.multi_precision and is_half(weight))

    def _several(self) -> tuple[UpdateOfSeveral, dict[str, Any]] | None:
        if self.momentum == 0.0:
            return None
        return _MULTI_NESTEROV, self._options(momentum=self.momentum)

    def _update(self, index: Any, weight: Any, grad: Any, state: Any, has_master: bool) -> None:
        lr, wd = self._counted(index)
        own = arrays_of(state)
        options = self._options(lr=lr, wd=wd)
        if len(own) > has_master:
            options["momentum"] = self.momentum
        _NESTEROV[len(own), has_master](weight, grad, *own, out=weight, **options)


_MULTI_NESTEROV = UpdateOfSeveral("_multi_nag_mom_update")
_NESTEROV = {
    **SINGLE,
    (1, False): nd.nag_mom_update,
    (2, True): nd.mp_nag_mom_update,
}


_MULTI_SIGNUM = UpdateOfSeveral("_multi_signum_update")


@register
class Signum(Together):
    """Steps by the sign of the gradient, or of its momentum.

    ``mom = momentum * mom - (1 - momentum) * (grad + wd * weight)``, then
    ``weight = (1 - lr * wd_lh) * weight + lr * sign(mom)``. Bernstein et al., "signSGD: Compressed
    Optimisation for Non-Convex Problems", 2018.

    Args:
        learning_rate: learning rate.
        momentum: decay of the momentum.
        wd_lh: weight decay that acts on the weight directly.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.Signum())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.99, 2.01], dtype=float32)
    """

    def __init__(
        self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight, sparse=True) if self.momentum != 0.0 else None

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its momentum in place."""
        lr, wd = self._counted(index)
        options = self._options(lr=lr, wd=wd)
        if state is None:
            nd.signsgd_update(weight, grad, out=weight, **options)
            return
        options.update(momentum=self.momentum, wd_lh=self.wd_lh)
        nd.signum_update(weight, grad, state, out=weight, **options)

    def _several(self) -> tuple[UpdateOfSeveral, dict[str, Any]] | None:
        if self.momentum == 0.0:
            return None
        options = self._options(momentum=self.momentum, wd_lh=self.wd_lh)
        return _MULTI_SIGNUM, options


@register
class SGLD(Optimizer):
    """Stochastic gradient Langevin dynamics: half a step, and Gaussian noise of variance `lr`.

    Patterson and Teh, "Stochastic Gradient Riemannian Langevin Dynamics on the Probability
    Simplex", 2013.

    Args:
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.SGLD(learning_rate=0.1))
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.shape
        (2,)
    """

    _step_depends_on_counts = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight in place."""
        lr, wd = self._counted(index)
        step = self._scaled(grad) + wd * weight
        drawn_as = np.float32 if weight.dtype == BFLOAT16 else weight.dtype
        noise = nd.random.normal(
            0, math.sqrt(lr), shape=weight.shape, dtype=drawn_as, ctx=weight.context
        )
        weight[:] += noise.astype(weight.dtype, copy=False) - (lr / 2) * step


@register
class DCASGD(Optimizer):
    """Asynchronous gradient descent that makes up for the delay of gradients.

    ``grad + wd * weight + lamda * grad**2 * (weight - previous)`` takes the gradient's place, where
    ``previous`` is the weight before its last update. Zheng et al., "Asynchronous Stochastic
    Gradient Descent with Delay Compensation", 2016.

    Args:
        momentum: decay of the momentum.
        lamda: strength of the compensation.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.DCASGD())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.995, 2.005], dtype=float32)
    """

    _step_depends_on_counts = False

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.weight_previous: dict[Any, Any] = {}
        self.lamda = lamda

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None, and the weight."""
        return zeros_like(weight) if self.momentum != 0.0 else None, weight.copy()

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        lr, wd = self._counted(index)
        mom, previous = state
        grad = self._scaled(grad)
        step = -lr * (grad + wd * weight + self.lamda * grad * grad * (weight - previous))
        if mom is not None:
            mom[:] = self.momentum * mom + step
            step = mom
        previous[:] = weight
        weight[:] += step


@register
class Test(Optimizer):
    """Adds the rescaled gradient to the weight; for tests.

    Args:
        kwargs: arguments of `Optimizer`.

    Example:
        >>> mx.optimizer.Test().rescale_grad
        1.0
    """

    _step_depends_on_counts = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Zeros; later the weight."""
        return zeros_like(weight, dtype="float32")

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight, and puts it into the state."""
        weight[:] += grad * self.rescale_grad
        state[:] = weight
