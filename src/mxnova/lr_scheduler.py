# SPDX-License-Identifier: Apache-2.0
"""Learning rates as functions of the number of updates.

An optimizer asks its scheduler before every update. The first updates may warm up: the rate grows
from a small one, or stays there, before the schedule proper begins.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Sequence
from math import cos, pi

from .core.base.doors import facade
from .core.base.errors import AssertedError, AssertedTypeError, argument_error, shown

__all__ = [
    "CosineScheduler",
    "FactorScheduler",
    "LRScheduler",
    "MultiFactorScheduler",
    "PolyScheduler",
]

_log = logging.getLogger("mxnova")

# MXNet's lines, which programs look for
_CHANGE = "Update[%d]: Change learning rate to %0.5e"
_LAST_CHANGE = "Update[%d]: now learning rate arrived at %0.5e, will not change in the future"


class LRScheduler:
    """A schedule of learning rates; subclasses define ``__call__``.

    Attributes:
        base_lr: learning rate after the warm-up; schedulers move it as they go.
        warmup_final_lr: where the warm-up ends.

    Args:
        base_lr: the learning rate to begin with.
        warmup_steps: number of updates that warm up.
        warmup_begin_lr: the learning rate of the first of them, at most `base_lr`.
        warmup_mode: "linear" (toward `base_lr`) or "constant" (stays at `warmup_begin_lr`).

    Raises:
        ArgumentError: an argument has no proper value.
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_final_lr = base_lr
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_mode = warmup_mode
        LRScheduler._check(self)

    def _check(self) -> None:
        """The rules of the constructor, which hold for what is read from a file, too.

        Raises:
            ArgumentError: an attribute has no proper value.
        """
        _check_count(self, "warmup_steps", self.warmup_steps, low=0)
        begin, final = self.warmup_begin_lr, self.warmup_final_lr
        if begin > final:
            raise argument_error(
                _name(self), "warmup_begin_lr", begin, f"exceeds base_lr={shown(final)}"
            )
        if self.warmup_mode not in ("linear", "constant"):
            raise argument_error(
                _name(self), "warmup_mode", self.warmup_mode, "must be 'linear' or 'constant'"
            )

    def get_warmup_lr(self, num_update: int) -> float:
        """The learning rate of update number `num_update`, one of those that warm up."""
        if num_update >= self.warmup_steps:
            reason = f"the warm-up has {self.warmup_steps} updates"
            raise argument_error(_name(self), "num_update", num_update, reason, AssertedError)
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        rise = self.warmup_final_lr - self.warmup_begin_lr
        return self.warmup_begin_lr + rise * float(num_update) / float(self.warmup_steps)

    def __call__(self, num_update: int) -> float:
        """The learning rate after `num_update` updates, the most that any weight has had."""
        raise NotImplementedError(f"{type(self).__name__} defines no __call__(num_update)")


class FactorScheduler(LRScheduler):
    """Multiplies the learning rate by `factor` after every `step` updates.

    Args:
        step: number of updates between changes.
        factor: at most 1.
        stop_factor_lr: the learning rate does not fall below it.
        base_lr: see `LRScheduler`, as are the others.
        warmup_steps: number of updates that warm up.
        warmup_begin_lr: the learning rate of the first update.
        warmup_mode: "linear" or "constant".
    """

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0
        FactorScheduler._check(self)

    def _check(self) -> None:
        super()._check()
        if self.step < 1:
            raise argument_error(_name(self), "step", self.step, "must be at least 1")
        _check_factor(self, self.factor)
        if self.count < 0:
            raise argument_error(_name(self), "count", self.count, "must be at least 0")

    def __call__(self, num_update: int) -> float:
        """The learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        self._skip((num_update - self.count - 1) // self.step - _MOST_SKIPPED)
        while num_update > self.count + self.step:  # programs may have skipped updates
            self.count += self.step
            self.base_lr *= self.factor
            if self.base_lr < self.stop_factor_lr:
                self.base_lr = self.stop_factor_lr
                _log.info(_LAST_CHANGE, num_update, self.base_lr)
            else:
                _log.info(_CHANGE, num_update, self.base_lr)
        return self.base_lr

    def _skip(self, n_changes: int) -> None:
        """So many changes at once, if any, where one by one they would take too long."""
        if not n_changes > 0:
            return
        self.count += n_changes * self.step
        try:
            rate = self.base_lr * float(self.factor) ** n_changes
            self.base_lr = max(rate, self.stop_factor_lr)
        except OverflowError:  # a factor below -1
            self.base_lr = self.stop_factor_lr


_MOST_SKIPPED = 10_000  # changes, which are made one by one


class MultiFactorScheduler(LRScheduler):
    """Multiplies the learning rate by `factor` after the numbers of updates in `step`.

    Args:
        step: increasing numbers of updates.
        factor: at most 1.
        base_lr: see `LRScheduler`, as are the others.
        warmup_steps: number of updates that warm up.
        warmup_begin_lr: the learning rate of the first update.
        warmup_mode: "linear" or "constant".
    """

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.step = step
        self.cur_step_ind = 0
        self.factor = factor
        self.count = 0
        MultiFactorScheduler._check(self)

    def _check(self) -> None:
        super()._check()
        step = self.step
        if not isinstance(step, list) or not step:
            raise AssertedTypeError(f"{_name(self)}: step={shown(step)}: must be a list of numbers")
        if step[0] < 1 or any(b <= a for a, b in itertools.pairwise(step)):
            raise argument_error(_name(self), "step", step, "must increase, from 1 at least")
        _check_factor(self, self.factor)
        _check_count(self, "cur_step_ind", self.cur_step_ind, low=0)

    def __call__(self, num_update: int) -> float:
        """The learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _log.info(_CHANGE, num_update, self.base_lr)
        return self.base_lr


class _Decay(LRScheduler):
    """Goes from `base_lr` to `final_lr` until update `max_update`, and stays there."""

    def __init__(
        self,
        max_update: int,
        base_lr: float,
        final_lr: float,
        warmup_steps: int,
        warmup_begin_lr: float,
        warmup_mode: str,
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _check_count(self, "max_update", max_update, low=1)
        self.base_lr_orig = self.base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps = self.max_update - self.warmup_steps

    def _check(self) -> None:
        super()._check()
        _check_count(self, "max_update", self.max_update, low=1)
        if self.max_steps != self.max_update - self.warmup_steps:
            reason = "must be max_update - warmup_steps"
            raise argument_error(_name(self), "max_steps", self.max_steps, reason)

    def __call__(self, num_update: int) -> float:
        """The learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            done = num_update - self.warmup_steps
            share = done / self.max_steps if self.max_steps else 1.0
            drop = self.base_lr_orig - self.final_lr
            self.base_lr = self.final_lr + drop * self._rest(share)
        return self.base_lr

    def _rest(self, share: float) -> float:
        """How much of the way to `final_lr` is left after `share` of the updates."""
        raise NotImplementedError


class PolyScheduler(_Decay):
    """Decays as a power of the share of updates to come: ``(1 - share) ** pwr``.

    Args:
        max_update: number of the update that reaches `final_lr`.
        base_lr: see `LRScheduler`, as are those of the warm-up.
        pwr: the power.
        final_lr: the learning rate in the end.
        warmup_steps: number of updates that warm up.
        warmup_begin_lr: the learning rate of the first update.
        warmup_mode: "linear" or "constant".
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _rest(self, share: float) -> float:
        return float((1 - share) ** self.power)


class CosineScheduler(_Decay):
    """Decays along half a cosine: ``(1 + cos(pi * share)) / 2``.

    Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2016, without
    the restarts.

    Args:
        max_update: number of the update that reaches `final_lr`.
        base_lr: see `LRScheduler`, as are those of the warm-up.
        final_lr: the learning rate in the end.
        warmup_steps: number of updates that warm up.
        warmup_begin_lr: the learning rate of the first update.
        warmup_mode: "linear" or "constant".
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)

    def _rest(self, share: float) -> float:
        return (1 + cos(pi * share)) / 2


def _check_factor(scheduler: LRScheduler, factor: float) -> None:
    if factor > 1.0:
        raise argument_error(_name(scheduler), "factor", factor, "must be at most 1")


def _check_count(scheduler: LRScheduler, name: str, value: int, low: int) -> None:
    if not isinstance(value, int):
        raise AssertedTypeError(f"{_name(scheduler)}: {name}={shown(value)}: must be an int")
    if value < low:
        raise argument_error(_name(scheduler), name, value, f"must be at least {low}")


def _name(scheduler: LRScheduler) -> str:
    return type(scheduler).__name__


facade(__name__)
