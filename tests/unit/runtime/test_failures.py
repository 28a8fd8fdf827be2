# SPDX-License-Identifier: Apache-2.0
"""What engines keep of operations that failed."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mxnova.core.runtime.engine.failures import Failures
from mxnova.core.runtime.engine.operation import Operation, Task


@pytest.fixture
def hurried():
    """Threads take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_operations_of_several_threads_fail_at_once(hurried):
    failures, task = Failures(), Task(Operation(None, name="work"))

    def fail(thread):
        for i in range(200):
            failure = failures.of_operation(task, ValueError(f"{thread}, {i}"))
            if i % 3 == 0:
                assert failure.take() is not None

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fail, range(4)))
    told = {str(error.__cause__) for error in failures.take()}
    assert told == {f"{thread}, {i}" for thread in range(4) for i in range(200) if i % 3}
    assert not failures.are_open()


@pytest.mark.parametrize("kept", [Failures.of_operation, Failures.of_call])
def test_failures_that_were_raised_are_forgotten(kept):
    failures, task = Failures(), Task(Operation(None, name="work"))
    unseen = kept(failures, task, ValueError("nobody waits for it"))
    for i in range(100):
        failure = kept(failures, task, ValueError(str(i)))
        failures.pass_over_calls()
        assert failure.take() is not None
    assert len(failures) == 2
    assert failures.are_open()
    assert unseen.is_open
