# SPDX-License-Identifier: Apache-2.0
"""Rates for every layer, which let batches grow: LARS, LAMB, LANS, LBSGD."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from .base import (
    Optimizer,
    aggregation_size,
    all_dense,
    arrays_of,
    dense,
    is_half,
    listed,
    register,
    zeros_like,
)
from .descent import SINGLE

__all__ = ["LAMB", "LANS", "LARS", "LBSGD"]


@register
class LARS(Optimizer):
    """SGD with a learning rate for each layer: ``lr * eta * |weight| / (|grad| + wd * |weight|)``.

    Weights that are named ``…gamma``, ``…beta`` or ``…bias`` keep `lr`; among weights with names,
    only ``…_weight`` decay. You et al., "Large Batch Training of Convolutional Networks", 2017.

    Args:
        momentum: decay of the momentum.
        lazy_update: with row_sparse gradients, move only the rows that they have.
        eta: factor for the learning rates of layers.
        eps: added to the denominator.
        momentum_correction: when the learning rate changes, change the momentum with it.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.LARS())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([1., 2.], dtype=float32)
    """

    _progress_names = (*Optimizer._progress_names, "last_lr", "cur_lr")
    _step_depends_on_counts = False

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.momentum_correction = momentum_correction
        self.lazy_update = lazy_update
        self.aggregate_num = aggregation_size()
        self.eta = eta
        self.eps = eps
        self.skip = 0
        self.last_lr: float | None = None
        self.cur_lr: float | None = None

    def set_wd_mult(self, args_wd_mult: dict[Any, float]) -> None:
        """Sets factors for the weight decays of weights, by index or name.

        What is not named has 1, or 0 where its name does not end with ``_weight``.
        """
        undecayed = {n: 0.0 for n in self.idx2name.values() if not n.endswith("_weight")}
        super().set_wd_mult({})
        self.wd_mult = {**undecayed, **self.wd_mult, **args_wd_mult}

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        """Learning rates before they are adapted; the last one is kept to correct the momentum."""
        lr = self.learning_rate
        self.last_lr = lr if self.cur_lr is None else self.cur_lr
        self.cur_lr = lr
        return self._multiplied(lr, indices, self.lr_mult, "lr_mult")

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight, sparse=self.lazy_update) if self.momentum != 0.0 else None

    def _paired(self, state: Any, master: nd.NDArray) -> Any:
        return state, master

    def _batch_limit(self) -> int:
        return self._batch_limit_of(LARS, self.aggregate_num)

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
        owned = [arrays_of(state) for state in states]
        options = self._options()
        if len(owned[0]) > has_master:
            options["momentum"] = self._corrected_momentum()
        adapted = self._adapted(indices, weights, grads, lrs, wds)
        if all_dense(weights, grads):
            groups = zip(weights, grads, owned, strict=True)
            arrays = [array for w, g, own in groups for array in (w, g, *own)]
            decays = nd.array(wds, ctx=weights[0].context, dtype="float32")
            update = _PRELOADED[len(owned[0]), has_master]
            update(*arrays, adapted, decays, out=weights, num_weights=len(weights), **options)
            return
        update = SINGLE[len(owned[0]), has_master]
        options["lazy_update"] = self.lazy_update
        rates = adapted.asnumpy().tolist()
        for w, g, own, lr, wd in zip(weights, grads, owned, rates, wds, strict=True):
            update(w, g, *own, out=w, lr=lr, wd=wd, **options)

    def _corrected_momentum(self) -> float:
        if self.momentum_correction and self.last_lr and self.cur_lr is not None:
            return self.momentum * (self.cur_lr / self.last_lr)
        return self.momentum

    def _adapted(
        self,
        indices: Sequence[Any],
        weights: Sequence[nd.NDArray],
        grads: Sequence[nd.NDArray],
        lrs: list[float],
        wds: list[float],
    ) -> nd.NDArray:
        """The learning rates of these layers, (layers,) float32, on the weights' device."""
        context, n = weights[0].context, len(weights)
        rates = nd.array(lrs, ctx=context, dtype="float32")
        names = [str(self.idx2name.get(i, i)) for i in indices]
        adapts = [not name.endswith(("gamma", "beta", "bias")) for name in names]
        if not any(adapts):
            return rates
        weight_sums, grad_sums = (
            nd.multi_sum_sq(*map(dense, arrays), num_arrays=n) for arrays in (weights, grads)
        )
        if not all(adapts):  # where a norm is 0, multi_lars keeps the rate
            weight_sums *= nd.array(adapts, ctx=context, dtype="float32")
        decays = nd.array(wds, ctx=context, dtype="float32")
        adapted: nd.NDArray = nd.multi_lars(
            rates, weight_sums, grad_sums, decays,
            eta=self.eta, eps=self.eps, rescale_grad=self.rescale_grad,
        )  # fmt: skip
        return adapted


# By number of states, the float32 copy included, and by whether there is such a copy.
_PRELOADED = {
    (0, False): nd.preloaded_multi_sgd_update,
    (1, False): nd.preloaded_multi_sgd_mom_update,
    (1, True): nd.preloaded_multi_mp_sgd_update,
    (2, True): nd.preloaded_multi_mp_sgd_mom_update,
}


@register
class LAMB(Optimizer):
    """Adam with a learning rate for each layer: ``lr * |weight| / |direction|``.

    The direction is ``mean / (sqrt(var) + epsilon) + wd * weight``. You et al., "Large Batch
    Optimization for Deep Learning: Training BERT in 76 minutes", 2019.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        lower_bound: least value for a weight's norm; none when None.
        upper_bound: greatest value for a weight's norm; none when None.
        bias_correction: correct the means for having begun at 0.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.LAMB())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.9984, 2.0016], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction
        self.aggregate_num = _lamb_aggregation()

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and mean of squares."""
        return zeros_like(weight, sparse=True), zeros_like(weight, sparse=True)

    def _batch_limit(self) -> int:
        return self._batch_limit_of(LAMB, self.aggregate_num)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place; or each of a list."""
        self._update(index, weight, grad, state, has_master=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; float16 weights by their float32 copies, where there are such."""
        first = weight[0] if isinstance(index, (list, tuple)) else weight
        self._update(index, weight, grad, state, self.multi_precision and is_half(first))

    def _update(self, index: Any, weight: Any, grad: Any, state: Any, has_master: bool) -> None:
        indices, weights, grads, states = listed(index, weight, grad, state)
        self._update_count(indices)
        lrs, wds = [self._get_lr(i) for i in indices], [self._get_wd(i) for i in indices]
        counts = [self._index_update_count[i] for i in indices]
        owned = [arrays_of(state) for state in states]
        if has_master:  # the state begins with the copy, the operator ends with it
            owned = [(*own[1:], own[0]) for own in owned]
        update: Any = (
            nd.contrib.multi_mp_lamb_update if has_master else nd.contrib.multi_lamb_update
        )
        bounds = {"lower_bound": self.lower_bound, "upper_bound": self.upper_bound}
        update(
            weights, grads, *zip(*owned, strict=True), out=weights, num_tensors=len(weights),
            step_count=counts, lrs=lrs, wds=wds,
            beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon,
            bias_correction=self.bias_correction,
            **{name: bound for name, bound in bounds.items() if bound is not None},
            **self._options(),
        )  # fmt: skip


def _lamb_aggregation() -> int:
    """45 weights, as many as MXNet's operator takes, or fewer where the environment says so."""
    name = "MXNET_OPTIMIZER_AGGREGATION_SIZE"
    return max(1, min(45, aggregation_size())) if name in os.environ else 45


@register
class LANS(Optimizer):
    """LAMB by normalized gradients, with Nesterov's momentum.

    The gradient, rescaled and clipped, is divided by its norm. The direction is ``beta1 * u(m) +
    (1 - beta1) * u(grad)``, where ``u(x)`` is ``x / (sqrt(var) + epsilon) + wd * weight`` with the
    norm of the weight, and ``m`` the mean corrected for having begun at 0, as ``var`` is. Zheng et
    al., "Accelerated Large Batch Optimization of BERT Pretraining in 54 minutes", 2020. MXNet
    1.9.1 lacks it; names of arguments are MXNet 2's.

    Args:
        learning_rate: learning rate.
        beta1: decay of the mean.
        beta2: decay of the mean of squares.
        epsilon: added to the denominator.
        lower_bound: least value for a weight's norm; none when None.
        upper_bound: greatest value for a weight's norm; none when None.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.LANS())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.9984, 2.0016], dtype=float32)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """Mean and mean of squares."""
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Updates a weight and its means in place."""
        lr, wd = self._counted(index)
        t = self._index_update_count[index]
        grad = _over_norm(self._scaled(dense(grad)))
        mean, var = state
        mean *= self.beta1
        mean += (1.0 - self.beta1) * grad
        var *= self.beta2
        var += (1.0 - self.beta2) * grad * grad
        root = nd.sqrt(var / (1.0 - self.beta2**t))
        root += self.epsilon
        decay = wd * weight
        step = self.beta1 * _over_norm(mean / (1.0 - self.beta1**t) / root + decay)
        step += (1.0 - self.beta1) * _over_norm(grad / root + decay)
        step *= self._weight_norm(weight)
        weight[:] -= lr * step

    def _weight_norm(self, weight: nd.NDArray) -> nd.NDArray:
        """The norm within its bounds, (1,)."""
        norm: nd.NDArray = nd.norm(dense(weight))
        if self.lower_bound is not None:
            norm = nd.maximum(norm, self.lower_bound)
        if self.upper_bound is not None:
            norm = nd.minimum(norm, self.upper_bound)
        return norm


def _over_norm(array: nd.NDArray) -> nd.NDArray:
    """The array divided by its norm; zeros where that is 0."""
    norm = nd.norm(array)
    unit: nd.NDArray = nd.broadcast_div(array, norm + (norm == 0))
    return unit


@register
class LBSGD(Optimizer):
    """SGD over sums of batches, whose learning rate warms up or is adapted to each layer.

    The gradients of `batch_scale` calls are averaged, and used in the last of them. The learning
    rate is multiplied by a factor that grows from 1 to `batch_scale` in `warmup_epochs`; with
    the strategy "lars" by ``sqrt(|weight|² / (|grad|² + wd * |weight|²))``, from 0.01 to 100. Goyal
    et al., "Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour", 2017.

    Args:
        momentum: decay of the momentum.
        multi_precision: see `Optimizer`.
        warmup_strategy: how the factor grows: "linear", "power2", "sqrt", or "lars".
        warmup_epochs: epochs in which it grows.
        batch_scale: number of batches to a sum.
        updates_per_epoch: batches in an epoch.
        begin_epoch: epochs that were trained before.
        num_epochs: epochs in all; not used.
        kwargs: arguments of `Optimizer`.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.LBSGD())
        >>> weight = mx.nd.array([1, 2])
        >>> update(0, mx.nd.array([0.5, -0.5]), weight)
        >>> weight.asnumpy().round(4)
        array([0.995, 2.005], dtype=float32)
    """

    _progress_names = (*Optimizer._progress_names, "cumgrads")

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(multi_precision=multi_precision, **kwargs)
        self.momentum = momentum
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs = warmup_epochs
        self.batch_scale = batch_scale
        self.updates_per_epoch = updates_per_epoch
        self.init_updates = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        self.lbmult = 1
        self.cumgrads: dict[Any, dict[str, Any]] = {}
        self.adaptive = False
        self.admult = 1

    def create_state(self, index: Any, weight: nd.NDArray) -> Any:
        """The momentum, or None."""
        return zeros_like(weight, sparse=True) if self.momentum != 0.0 else None

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Adds to the sum of gradients; after `batch_scale` calls, updates the weight in place."""
        lr, wd = self._get_lr(index), self._get_wd(index)
        self._update_count(index)  # as in MXNet, after the rate was asked for
        total, n_calls = self._accumulated(index, grad)
        if n_calls % self.batch_scale:
            return
        mean = total / self.batch_scale
        adapts = self.warmup_strategy == "lars"
        factor = self._layer_factor(weight, mean, wd) if adapts else self._warmup_factor(n_calls)
        options = self._options(lr=lr * factor, wd=wd)
        if state is None:
            nd.sgd_update(weight, mean, out=weight, **options)
        else:
            options["momentum"] = self.momentum
            nd.sgd_mom_update(weight, mean, state, out=weight, **options)

    def _accumulated(self, index: Any, grad: nd.NDArray) -> tuple[nd.NDArray, int]:
        """The sum of gradients with this one; how many calls there were, in earlier epochs too."""
        entry = self.cumgrads.setdefault(index, {"cum_grad": None, "num_cums": self.init_updates})
        begins = entry["cum_grad"] is None or entry["num_cums"] % self.batch_scale == 0
        entry["cum_grad"] = grad.copy() if begins else entry["cum_grad"] + grad
        entry["num_cums"] += 1
        return entry["cum_grad"], entry["num_cums"]

    def _warmup_factor(self, n_calls: int) -> float:
        n_warmup = self.warmup_epochs * self.updates_per_epoch
        if n_calls >= n_warmup:
            return float(self.batch_scale)
        share = n_calls / n_warmup
        ways = {"linear": share, "power2": share * share, "sqrt": math.sqrt(share)}
        rise = ways.get(self.warmup_strategy, 0.0) if n_calls > 1 else 0.0
        return 1.0 + (self.batch_scale - 1) * rise

    def _layer_factor(self, weight: nd.NDArray, grad: nd.NDArray, wd: float) -> float:
        weight2, grad2 = (float(nd.sum(nd.square(a)).asscalar()) for a in (weight, grad))
        factor = math.sqrt(weight2 / (grad2 + wd * weight2 + 1e-18))
        return min(max(factor, 0.01), 100.0)
