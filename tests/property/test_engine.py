# SPDX-License-Identifier: Apache-2.0
"""Random programs end as if they had run one step after the other; see `scripts/stress_engine`."""

from __future__ import annotations

import sys

import pytest

from mxnova.core.runtime.engine import NaiveEngine, ThreadedEngine, ThreadedEnginePerDevice

from .engine_programs import check, check_pushers

N_STEPS = 10_000
ENGINES = {
    "naive": NaiveEngine,
    "threaded": lambda: ThreadedEngine(8),
    "per_device": lambda: ThreadedEnginePerDevice(8),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    engine = ENGINES[request.param]()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.00002)  # threads take turns more often than they would
    yield engine
    sys.setswitchinterval(interval)
    engine.stop(10)


def test_programs_with_failures(engine):
    check(engine, 1, N_STEPS, failures=True)


def test_programs_that_run_partly_in_the_pushers_thread(engine):
    check(engine, 2, N_STEPS, failures=False)


def test_threads_that_push_at_once(engine):
    check_pushers(engine, 3, N_STEPS)
