# SPDX-License-Identifier: Apache-2.0
"""Learning rates of programs that are older than `lr_scheduler`."""

from __future__ import annotations

from .core.base.errors import argument_error

__all__ = ["FactorScheduler", "LearningRateScheduler"]


class LearningRateScheduler:
    """A schedule of learning rates; subclasses define ``__call__``.

    Attributes:
        base_lr: learning rate to begin with.
    """

    def __init__(self) -> None:
        self.base_lr = 0.01

    def __call__(self, iteration: int) -> float:
        """The learning rate of an iteration."""
        raise NotImplementedError(f"{type(self).__name__} defines no __call__(iteration)")


class FactorScheduler(LearningRateScheduler):
    """The learning rate is multiplied by a factor every so many iterations.

    Unlike `lr_scheduler.FactorScheduler` it may be asked for any iteration, in any order.

    Args:
        step: how many iterations, at least 1.
        factor: the factor, below 1.

    Raises:
        ArgumentError: `step` or `factor` is out of range.
    """

    def __init__(self, step: int, factor: float = 0.1) -> None:
        super().__init__()
        if step < 1:
            raise argument_error("FactorScheduler", "step", step, "must be at least 1")
        if factor >= 1.0:
            raise argument_error("FactorScheduler", "factor", factor, "must be below 1")
        self.step = step
        self.factor = factor

    def __call__(self, iteration: int) -> float:
        """The learning rate of an iteration."""
        return self.base_lr * float(self.factor ** (iteration // self.step))
