# SPDX-License-Identifier: Apache-2.0
"""Threads that share batches out: each computes alone, and others go on as they were."""

from __future__ import annotations

import pytest
import torch

from mxnova.core.exec.backends.batch_split import computed_alone


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_threads_compute_alone(two_threads):
    assert {computed_alone(torch.get_num_threads) for _ in range(8)} == {1}
    assert torch.get_num_threads() == 2


def test_nothing_is_recorded_there(two_threads):
    assert computed_alone(torch.is_grad_enabled) is False


def test_errors_come_back(two_threads):
    with pytest.raises(ZeroDivisionError):
        computed_alone(lambda: 1 // 0)
