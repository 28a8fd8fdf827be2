# SPDX-License-Identifier: Apache-2.0
"""Learning rate schedulers: MXNet's numbers, and what is refused."""

import pytest

from mxnova import lr_scheduler as schedules

# Recorded from MXNet 1.9.1: the rates of updates 0 to 11.
RATES = [
    (
        schedules.FactorScheduler,
        {"step": 3, "factor": 0.5, "base_lr": 0.3, "warmup_steps": 2, "warmup_begin_lr": 0.1, "stop_factor_lr": 0.05},
        [0.1, 0.2, 0.3, 0.3, 0.15, 0.15, 0.15, 0.075, 0.075, 0.075, 0.05, 0.05],
    ),
    (
        schedules.MultiFactorScheduler,
        {"step": [2, 5], "factor": 0.5, "base_lr": 0.3},
        [0.3, 0.3, 0.3, 0.15, 0.15, 0.15, 0.075, 0.075, 0.075, 0.075, 0.075, 0.075],
    ),
    (
        schedules.PolyScheduler,
        {"max_update": 8, "base_lr": 0.3, "final_lr": 0.01, "warmup_steps": 3, "warmup_begin_lr": 0.05},
        [0.05, 0.13333333333333333, 0.21666666666666667, 0.3, 0.1956, 0.1144, 0.0564, 0.0216, 0.01, 0.01, 0.01, 0.01],
    ),
    (
        schedules.CosineScheduler,
        {"max_update": 8, "base_lr": 0.3, "final_lr": 0.01, "warmup_steps": 3, "warmup_mode": "constant", "warmup_begin_lr": 0.02},
        [0.02, 0.02, 0.02, 0.3, 0.27230746418436735, 0.19980746418436737, 0.11019253581563263, 0.03769253581563264, 0.01, 0.01, 0.01, 0.01],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("scheduler", "arguments", "rates"), RATES)
def test_rates(scheduler, arguments, rates):
    made = scheduler(**arguments)
    assert [made(n) for n in range(12)] == pytest.approx(rates, rel=1e-12)


def test_skipped_updates_count():
    factor = schedules.FactorScheduler(3, 0.5, base_lr=1.0)
    assert factor(10) == 0.125
    assert (factor.count, factor.base_lr) == (9, 0.125)
    several = schedules.MultiFactorScheduler([2, 5], 0.5, base_lr=1.0)
    assert several(100) == 0.25
    assert (several.count, several.cur_step_ind) == (5, 2)


@pytest.mark.parametrize("scheduler", [schedules.PolyScheduler, schedules.CosineScheduler])
def test_only_warmup(scheduler):
    assert scheduler(5, base_lr=0.2, final_lr=0.1, warmup_steps=5)(5) == 0.1


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: schedules.FactorScheduler(0), "step=0"),
        (lambda: schedules.FactorScheduler(3, 2.0), "factor=2.0"),
        (lambda: schedules.MultiFactorScheduler(3), "step=3"),
        (lambda: schedules.MultiFactorScheduler([]), r"step=\[\]"),
        (lambda: schedules.MultiFactorScheduler([3, 2]), r"step=\[3, 2\]"),
        (lambda: schedules.MultiFactorScheduler([0, 2]), r"step=\[0, 2\]"),
        (lambda: schedules.PolyScheduler(0), "max_update=0"),
        (lambda: schedules.CosineScheduler(5.5), "max_update=5.5"),
        (lambda: schedules.LRScheduler(warmup_steps=-1), "warmup_steps=-1"),
        (lambda: schedules.LRScheduler(warmup_steps=1.5), "warmup_steps=1.5"),
        (lambda: schedules.LRScheduler(0.1, 3, 0.2), "warmup_begin_lr=0.2"),
        (lambda: schedules.LRScheduler(warmup_mode="x"), "warmup_mode='x'"),
        (lambda: schedules.LRScheduler(0.1, 3).get_warmup_lr(3), "num_update=3"),
    ],
)
def test_refused(make, named):
    with pytest.raises((ValueError, TypeError), match=named):
        make()


def test_base_has_no_schedule():
    with pytest.raises(NotImplementedError, match="LRScheduler"):
        schedules.LRScheduler()(1)
