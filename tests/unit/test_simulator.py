# SPDX-License-Identifier: Apache-2.0
"""The simulator of many workers: what can be told without it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from benchmarks.simulator.constants import ASSUMED, Constants
from benchmarks.simulator.exchange import EXCHANGES, seconds
from benchmarks.simulator.timeline import BUCKET, step_seconds
from benchmarks.simulator.workloads import WORKLOADS, Workload, even, resnet50, transformer

# Only bytes count: a second for each megabyte.
BYTES = Constants("bytes", 1e9, 0, 0, 1e-6, 1e-6, 0, 0, overlap=0)
LATENCY = replace(BYTES, one_way=0, both_ways=0, latency=1.0)
MB = 1_000_000


def test_networks_have_their_published_sizes():
    assert resnet50().parameters == 25_557_032
    assert sum(layer.operations for layer in resnet50().layers) == pytest.approx(8.18e9, rel=0.01)
    assert transformer().parameters == pytest.approx(1.01e9, rel=0.01)
    # 2 operations for each weight and word in a forward, and attention's products beside
    weights = 1024 * transformer().parameters * 2
    assert 1 < sum(layer.operations for layer in transformer().layers) / weights < 1.15


@pytest.mark.parametrize("n", [2, 3, 8, 100])
def test_bytes_of_ring_and_owners_are_the_least(n):
    for kind in ("ring", "owners"):
        assert seconds(kind, n, MB, BYTES) == pytest.approx(2 * (n - 1) / n)
    assert seconds("tree", n, MB, BYTES) == pytest.approx(2 * math.ceil(math.log2(n)))


@pytest.mark.parametrize("kind, rounds", [("ring", 14), ("tree", 6), ("owners", 2)])
def test_rounds_that_wait_for_each_other(kind, rounds):
    assert seconds(kind, 8, MB, LATENCY) == rounds


@pytest.mark.parametrize("kind", EXCHANGES)
def test_alone_there_is_nobody_to_wait_for(kind):
    assert seconds(kind, 1, MB, LATENCY) == 0
    assert seconds(kind, 1, MB, replace(BYTES, handling=1e-6)) == (kind == "owners")


def test_workers_of_one_machine_share_its_cores():
    # Both send and receive a megabyte for each part, on two cores; 8 do 7 times that on the same.
    here = replace(BYTES, cores=2)
    assert seconds("ring", 2, MB, here) == pytest.approx(1)
    assert seconds("ring", 8, MB, here) == pytest.approx(7)


def test_a_step_is_computation_and_what_is_not_hidden():
    layers = even(4, 10 * MB, 1e9)  # a forward second and two backward ones each: 12; 40 MB each
    alone = step_seconds(layers, "ring", 1, BYTES)
    assert alone == pytest.approx(12)
    exposed = step_seconds(layers, "ring", 2, replace(BYTES, both_ways=1e-7))
    assert exposed == pytest.approx(12 + 4 * 4)  # nothing is sent while it computes
    hidden = replace(BYTES, both_ways=1e-8, overlap=1.0)  # 0.4 s for each layer
    assert step_seconds(layers, "ring", 2, hidden) == pytest.approx(12 + 0.4)
    # Early, all but the gradient that is ready last is there before the forward begins.
    assert step_seconds(layers, "ring", 2, hidden, early=True) == pytest.approx(12 + 0.4)
    slower = replace(hidden, both_ways=4e-8)  # 1.6 s
    assert step_seconds(layers, "ring", 2, slower) == pytest.approx(12 + 4 * 0.6 + 1)
    assert step_seconds(layers, "ring", 2, slower, early=True) == pytest.approx(12 + 1.6)


def test_the_first_layers_parameters_come_first():
    """Layers whose gradients wait are overtaken by those that the next forward needs before."""
    first_is_small = Workload(
        "two", (*even(1, 2 * MB, 1e9).layers, *even(1, 20 * MB, 1e9).layers), 1
    )
    sends = replace(BYTES, both_ways=1e-7, overlap=1.0)  # 0.8 s and 8 s
    step = step_seconds(first_is_small, "ring", 2, sends)
    assert step == pytest.approx(6 + 0.8 + 8 - 1)  # the first's forward hides a second of 8


def test_small_layers_travel_together():
    many = even(1024, 1024, 0.0)
    once = replace(LATENCY, latency=1.0)
    n_bytes = many.parameters * 4
    assert step_seconds(many, "owners", 2, once) == pytest.approx(2 * n_bytes / BUCKET)


@pytest.mark.parametrize("machines", ASSUMED, ids=lambda c: c.name)
@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.name)
def test_more_workers_take_no_less_time(machines, workload):
    computed = workload.operations / machines.rate
    for kind in EXCHANGES:
        steps = [step_seconds(workload, kind, n, machines) for n in (1, 8, 64, 4096)]
        assert steps == sorted(steps)
        assert steps[0] > 0.999 * computed
        early = step_seconds(workload, kind, 64, machines, early=True)
        assert 0.999 * computed < early <= steps[2]


def test_constants_are_kept_in_files(tmp_path):
    ASSUMED[0].save(tmp_path / "x.json")
    assert Constants.load(tmp_path / "x.json") == ASSUMED[0]


def test_constants_are_measured_and_a_real_step_is_run(monkeypatch):
    """That it runs; how well it predicts is for a machine that does nothing else."""
    import os
    import sys

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.getcwd(), *filter(None, sys.path)]))
    from benchmarks.simulator.measure import constants_here
    from benchmarks.simulator.real import step_seconds as real_seconds

    here = constants_here(turns=2)
    assert here.rate > 1e8
    assert all(0 < getattr(here, name) < 1 for name in ("latency", "message", "handling"))
    assert 0 <= here.overlap <= 1 <= here.crowding
    assert 0 < real_seconds("owners", 2, turns=2) < 60
