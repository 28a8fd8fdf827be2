# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from mxnova.kvstore.distributed import step_times
from mxnova.kvstore.distributed.step_times import StepTimes


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands until it is moved."""
    now = [100.0]
    monkeypatch.setattr(step_times.time, "perf_counter", lambda: now[0])

    def move(seconds):
        now[0] += seconds

    return move


def test_the_own_time_ends_with_the_last_push_and_begins_with_the_last_answer(clock):
    reports = []
    times = StepTimes(reports.append)
    times.report()
    assert reports == []
    for _ in range(6):
        clock(0.25)  # computes
        times.push("a")
        clock(0.125)  # still computes: gradients leave as they are made
        times.push("b")
        clock(0.5)  # waits for others
        times.answer()
        times.answer()
    times.report()
    found = json.loads(reports[-1])
    assert found == {
        "steps": 4,
        **dict.fromkeys(("own_median", "own_p95"), 0.375),
        **dict.fromkeys(("step_median", "step_p95"), 0.875),
    }


def test_a_report_comes_every_other_second(clock):
    reports = []
    times = StepTimes(reports.append)
    for _ in range(100):
        clock(0.1)
        times.push(3)
        times.answer()
    assert len(reports) == 4
