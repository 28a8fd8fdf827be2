# SPDX-License-Identifier: Apache-2.0
"""NAG, Signum, RMSProp and Ftrl on several weights in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...runtime import tuning
from ...runtime.torch_optimizers import foreach
from ..declaration import operator
from .multi import RatedUpdate
from .step import Tensors, bounded_, decayed_all, inverse, of_equal, scaled_all


class _Together(RatedUpdate):
    """Updates of weights with one learning rate and weight decay are made together."""

    def steps_(
        self, weights: Tensors, grads: Tensors, states: Sequence[Tensors], shared: Tensors
    ) -> None:
        rates = zip(self.lrs, self.wds, strict=True)
        for (lr, wd), columns in of_equal(rates, (weights, grads, *states)):
            for batch in _batches(columns):
                self.together_(lr, wd, *batch)

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        """Updates all of `weights`."""
        raise NotImplementedError

    def _scaled(self, grads: Tensors) -> Tensors:
        return scaled_all(grads, self.rescale_grad, self.clip_gradient)

    def _decayed(self, weights: Tensors, grads: Tensors, wd: float) -> Tensors:
        if wd == 0:
            return self._scaled(grads)
        wds = [wd] * len(weights)
        return decayed_all(weights, grads, wds, self.rescale_grad, self.clip_gradient)


def _batches(columns: Sequence[Tensors]) -> Iterator[list[Tensors]]:
    start = size = 0
    for end, weight in enumerate(columns[0]):
        if size and size + weight.numel() > tuning.OPTIMIZER_BATCH:
            yield [column[start:end] for column in columns]
            start, size = end, 0
        size += weight.numel()
    yield [column[start:] for column in columns]


@operator("_multi_nag_mom_update", extends=True)
class MultiNagMomUpdate(_Together):
    """`nag_mom_update` of several weights.

    Args:
        data: for each weight, weight, gradient and momentum (mutated).
        momentum: decay of the momentum.
    """

    momentum: float = 0.0
    arrays = ("weight", "grad", "mom")

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        (moms,) = states
        momentum = self.momentum
        steps = foreach.mul(self._scaled(grads), -lr)
        foreach.mul_(weights, 1 - lr * wd * (1 + momentum))
        foreach.add_(weights, moms, alpha=momentum**2)
        foreach.add_(weights, steps, alpha=1 + momentum)
        foreach.mul_(moms, momentum)
        foreach.add_(moms, steps)
        foreach.add_(moms, weights, alpha=-lr * wd)  # the new ones: see `nesterov_step_`


@operator("_multi_signum_update", extends=True)
class MultiSignumUpdate(_Together):
    """`signum_update` of several weights.

    Args:
        data: for each weight, weight, gradient and momentum (mutated).
        momentum: decay of the momentum.
        wds: weight decay of each weight that goes through the momentum.
        wd_lh: weight decay that acts on the weights directly.
    """

    momentum: float = 0.0
    wd_lh: float = 0.0
    arrays = ("weight", "grad", "mom")

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        (moms,) = states
        share = 1 - self.momentum
        foreach.mul_(moms, self.momentum)
        foreach.sub_(moms, self._scaled(grads), alpha=share)
        foreach.sub_(moms, weights, alpha=share * wd)
        foreach.mul_(weights, 1 - lr * self.wd_lh)
        foreach.add_(weights, foreach.sign(moms), alpha=lr)


@operator("_multi_rmsprop_update", extends=True)
class MultiRmsPropUpdate(_Together):
    """`rmsprop_update` of several weights.

    Args:
        data: for each weight, weight, gradient and running mean of its square (mutated).
        gamma1: decay of the running means.
        epsilon: added under the root.
        clip_gradient: bound for the size of the decayed gradients; none when negative.
        clip_weights: bound for the size of the new weights; none when negative.
    """

    gamma1: float = 0.95
    epsilon: float = 1e-8
    clip_weights: float = -1.0
    arrays = ("weight", "grad", "n")

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        (squares,) = states
        grads = self._decayed(weights, grads, wd)
        foreach.mul_(squares, self.gamma1)
        foreach.addcmul_(squares, grads, grads, value=1 - self.gamma1)
        roots = foreach.add(squares, self.epsilon)
        foreach.sqrt_(roots)
        foreach.addcdiv_(weights, grads, roots, value=-lr)
        bounded_(weights, self.clip_weights)


@operator("_multi_rmspropalex_update", extends=True)
class MultiRmsPropAlexUpdate(MultiRmsPropUpdate):
    """`rmspropalex_update` of several weights.

    Args:
        data: for each weight, weight, gradient, running means of its square and of itself, and
            momentum (the last three mutated).
        gamma2: decay of the momentum.
    """

    gamma2: float = 0.9
    arrays = ("weight", "grad", "n", "g", "delta")  # type: ignore[assignment]

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        squares, means, deltas = states
        grads = self._decayed(weights, grads, wd)
        for decaying in (squares, means):
            foreach.mul_(decaying, self.gamma1)
        foreach.add_(means, grads, alpha=1 - self.gamma1)
        foreach.addcmul_(squares, grads, grads, value=1 - self.gamma1)
        deviations = foreach.addcmul(squares, means, means, value=-1)
        foreach.add_(deviations, self.epsilon)
        foreach.sqrt_(deviations)
        foreach.mul_(deltas, self.gamma2)
        foreach.addcdiv_(deltas, grads, deviations, value=-lr)
        foreach.add_(weights, deltas)
        bounded_(weights, self.clip_weights)


@operator("_multi_ftrl_update", extends=True)
class MultiFtrlUpdate(_Together):
    """`ftrl_update` of several weights.

    Args:
        data: for each weight, weight, gradient, the state that the weight follows from, and the
            sum of squared gradients (both mutated).
        lamda1: strength of the L1 penalty.
        beta: added to the roots of the sums.
    """

    lamda1: float = 0.01
    beta: float = 1.0
    arrays = ("weight", "grad", "z", "n")

    def together_(
        self, lr: float, wd: float, weights: Tensors, grads: Tensors, *states: Tensors
    ) -> None:
        leaders, sums = states
        grads = self._scaled(grads)
        steps = foreach.sqrt(sums)
        foreach.addcmul_(sums, grads, grads)
        roots = foreach.sqrt(sums)
        foreach.sub_(steps, roots)
        foreach.add_(leaders, grads)
        foreach.addcmul_(leaders, steps, weights, value=inverse(lr))
        foreach.copy_(weights, leaders)
        bounded_(weights, self.lamda1)
        foreach.sub_(weights, leaders)  # shrunk, times -1
        foreach.add_(roots, self.beta)
        foreach.div_(roots, lr)
        foreach.add_(roots, wd)
        foreach.div_(weights, roots)
