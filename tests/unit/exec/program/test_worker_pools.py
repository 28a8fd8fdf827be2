# SPDX-License-Identifier: Apache-2.0
"""Threads that share batches out: each computes alone, and others go on as they were."""

from __future__ import annotations

import pytest
import torch

from mxnova.core.exec.program.worker_pools import computed_alone, mapped_alone


def test_threads_compute_alone(two_threads):
    assert {computed_alone(torch.get_num_threads) for _ in range(8)} == {1}
    assert torch.get_num_threads() == 2


def test_nothing_is_recorded_there(two_threads):
    assert computed_alone(torch.is_grad_enabled) is False


def test_errors_come_back(two_threads):
    with pytest.raises(ZeroDivisionError):
        computed_alone(lambda: 1 // 0)


def test_parts_come_back_in_their_order(two_threads):
    found = mapped_alone(lambda i: (i, torch.get_num_threads()), range(9))
    assert found == [(i, 1) for i in range(9)]
