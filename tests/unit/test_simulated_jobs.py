# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, reading and restarts of simulated jobs: what can be told without the simulator."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.simulator.jobs import (
    HOUR,
    Cluster,
    checkpoint_seconds,
    done_by,
    goodput,
    interval_of,
    reading_rate,
    restart_seconds,
    start_seconds,
)


def test_goodput_is_what_failures_leave():
    """Half an interval, a checkpoint on its way and a restart are lost by each failure."""
    cluster = Cluster(lifetime=2000 * HOUR)
    for n in (64, 256):
        each = interval_of(n, cluster) / 2 + checkpoint_seconds(n, cluster)
        each += restart_seconds(n, cluster)
        lost = each * n / cluster.lifetime
        assert goodput(n, cluster, hours=20_000) == pytest.approx(1 - lost, abs=0.2 * lost)


@pytest.mark.parametrize(
    ("failures", "end", "expected"),
    [
        ([], 100, 100),
        ([25], 100, 20 + 65),  # five seconds of training are lost, ten by the restart
        ([25, 57], 100, 20 + 20 + 33),
        ([25, 30], 100, 20 + 60),  # during the restart, which begins anew
        ([25], 30, 20),
        ([5], 100, 85),
    ],
)
def test_time_that_counts(failures, end, expected):
    cluster = Cluster(latency=0.0, connection=0.0, link=math.inf, start=10.0)
    assert done_by(end, iter(failures), 1, cluster, interval=10.0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("n", "others", "expected"),
    [(1, 0, 3), (1, 1, 3), (1, 3, 5), (2, 0, 4), (8, 0, 13), (8, 4, 19)],
)
def test_workers_start_in_turn_on_the_cores_that_they_share(n, others, expected):
    here = Cluster(start=3.0, work=2.0, cores=2, others=others, crowding=1.5)
    assert start_seconds(n, here) == pytest.approx(expected)
    assert start_seconds(n, replace(here, cores=None)) == 3.0


def test_a_job_that_always_restarts_does_nothing():
    assert goodput(8, Cluster(lifetime=60.0, start=600.0), hours=50) == 0


def test_bytes_and_latencies_limit_reading():
    cluster = Cluster(latency=0.05, link=1e8)
    assert reading_rate(1 << 20, 1, cluster) == pytest.approx((1 << 20) / (0.05 + (1 << 20) / 1e8))
    assert reading_rate(1 << 20, 64, cluster) == 1e8


def test_operations_at_a_time_shorten_a_checkpoint_of_many():
    cluster = Cluster(latency=0.01, state=0.0)
    assert checkpoint_seconds(4096, cluster) == pytest.approx(0.01 * (32 + 6 * 4096))
    many = replace(cluster, parallel=64)
    assert checkpoint_seconds(4096, many) == pytest.approx(0.01 * (32 + 6 * 64))


@pytest.mark.huge
@pytest.mark.parametrize("n", [1, 2, 4])
def test_restarts_and_the_time_that_counts_are_those_of_real_workers(monkeypatch, n):
    import os
    import sys

    from benchmarks.simulator.jobs import TOLERANCE, interrupted_run, this_machine

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), *filter(None, sys.path)]))
    found = interrupted_run(n, this_machine())
    for real, predicted in found:
        assert predicted == pytest.approx(real, rel=TOLERANCE)


@pytest.mark.huge
def test_the_operations_of_a_checkpoint_are_those_that_are_counted(monkeypatch, tmp_path):
    import os
    import sys

    from benchmarks.simulator.jobs import ALONE, EACH
    from benchmarks.simulator.processes import answer_of

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), *filter(None, sys.path)]))
    counts = {}
    for n in (1, 2, 4):
        (tmp_path / str(n)).mkdir()
        counts[n] = answer_of("slow_store", n, tmp_path / str(n), 0.02, 1 << 12)[1]
    assert abs(counts[1] - ALONE) <= 1
    assert abs(counts[4] - counts[2] - 2 * EACH) <= 3  # who waits looks again
