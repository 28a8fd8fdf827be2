# SPDX-License-Identifier: Apache-2.0
"""Learning rates for every element: AdaGrad, AdaDelta, RMSProp, Ftrl."""

from __future__ import annotations

from typing import Any

from .. import ndarray as nd
from ..core.nd.updates import UpdateOfSeveral
from .base import Optimizer, register, zeros_like
from .multi_tensor import Together

__all__ = ["AdaDelta", "AdaGrad", "Ftrl", "RMSProp"]


@register
class AdaGrad(Optimizer):
    """``weight -= lr * (grad / sqrt(history + eps) + wd * weight)``.

    ``history`` is the sum of the squared gradients. With row_sparse gradients only the rows that
    they have move; there is no weight decay for those. Duchi et al., "Adaptive Subgradient Methods
    for Online Learning and Stochastic Optimization", 2011.

    Args:
        eps: added to the history.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.AdaGrad())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.99, 2.01], dtype=float32)
    """

    _step_depends_on_counts = False

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The history."""
        return zeros_like(weight, sparse=True)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its history in place."""
        lr, wd = self._counted(index)
        if grad.stype == "row_sparse":
            nd.sparse.adagrad_update(
                weight, grad, state, out=weight,
                lr=lr, wd=wd, **self._options(epsilon=self.float_stable_eps),
            )  # fmt: skip
            return
        grad = self._scaled(grad)
        state += grad * grad
        step = grad / nd.sqrt(state + self.float_stable_eps)
        step += weight * wd
        step *= lr
        weight -= step


@register
class AdaDelta(Optimizer):
    """AdaGrad over a window, in units of the weights, without a learning rate.

    ``delta = sqrt(mean_delta + epsilon) / sqrt(mean_grad + epsilon) * grad`` by running means of
    the squares of ``delta`` and ``grad``; ``weight -= delta + wd * weight``. Zeiler, "ADADELTA: An
    Adaptive Learning Rate Method", 2012.

    Args:
        rho: decay of the running means.
        epsilon: added under the roots.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.AdaDelta())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.99, 2.01], dtype=float32)
    """

    _step_depends_on_counts = False

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The running means of the squares of gradients and of steps."""
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        self._update_count(index)
        wd = self._get_wd(index)
        grad = self._scaled(grad)
        mean_grad, mean_delta = state
        mean_grad *= self.rho
        mean_grad += (1.0 - self.rho) * grad * grad
        delta = nd.sqrt(mean_delta + self.epsilon) / nd.sqrt(mean_grad + self.epsilon) * grad
        mean_delta *= self.rho
        mean_delta += (1.0 - self.rho) * delta * delta
        weight[:] -= delta + wd * weight


@register
class RMSProp(Together):
    """The gradient over the root of its mean square.

    Tieleman and Hinton, "Lecture 6.5: rmsprop", 2012; `centered`, Graves, "Generating Sequences
    With Recurrent Neural Networks", 2013, equations 38 to 45: over its standard deviation, with
    momentum.

    Args:
        learning_rate: learning rate.
        gamma1: decay of the means.
        gamma2: decay of the momentum, where `centered`.
        epsilon: added under the root.
        centered: which of the two.
        clip_weights: bound for the size of the new weight; none when None.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.RMSProp())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.9968, 2.0032], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.centered = centered
        self.epsilon = epsilon
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The mean square; where `centered`, the mean and the momentum, too."""
        n_states = 3 if self.centered else 1
        return tuple([zeros_like(weight, sparse=True) for _ in range(n_states)])

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        lr, wd = self._counted(index)
        operator = nd.rmspropalex_update if self.centered else nd.rmsprop_update
        operator(weight, grad, *state, out=weight, lr=lr, wd=wd, **self._rates())

    def _rates(self) -> dict[str, Any]:
        options = self._options(gamma1=self.gamma1, epsilon=self.epsilon)
        if self.clip_weights:
            options["clip_weights"] = self.clip_weights
        if self.centered:
            options["gamma2"] = self.gamma2
        return options

    def _several(self) -> tuple[UpdateOfSeveral, dict[str, Any]]:
        return _MULTI_RMSPROP[self.centered], self._rates()


# By whether it is centered.
_MULTI_RMSPROP = {
    False: UpdateOfSeveral("_multi_rmsprop_update"),
    True: UpdateOfSeveral("_multi_rmspropalex_update"),
}


@register
class Ftrl(Together):
    """Follow the regularized leader: weights of small use become 0.

    McMahan et al., "Ad Click Prediction: a View from the Trenches", 2013.

    Args:
        lamda1: strength of the L1 penalty.
        learning_rate: learning rate. With an `lr_scheduler`, rates follow from the scheduler's own
            `base_lr` instead, as in MXNet.
        beta: how slowly the rate of an element falls.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.Ftrl())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.2993, 0.6993], dtype=float32)
    """

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.lr = learning_rate
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Return the state: the accumulator z of FTRL, and the sum of squared gradients."""
        return zeros_like(weight, sparse=True), zeros_like(weight, sparse=True)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its state in place."""
        lr, wd = self._counted(index)
        nd.ftrl_update(weight, grad, *state, out=weight, lr=lr, wd=wd, **self._penalty())

    def _penalty(self) -> dict[str, Any]:
        return self._options(lamda1=self.lamda1, beta=self.beta)

    def _several(self) -> tuple[UpdateOfSeveral, dict[str, Any]]:
        return _MULTI_FTRL, self._penalty()


_MULTI_FTRL = UpdateOfSeveral("_multi_ftrl_update")
