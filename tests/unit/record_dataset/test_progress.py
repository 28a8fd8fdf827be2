# SPDX-License-Identifier: Apache-2.0
"""Epochs that stop at random places and go on with other numbers of ranks and workers."""

import json
import random

import numpy as np
import pytest

from mxnova.core.base.errors import ArgumentError
from mxnova.record_dataset import batches as batches_module
from mxnova.recordio import RecordDataset

from .conftest import BROKEN, id_of, write_records

ORDERS = [{"block_size": 16, "window": 4}, {"block_size": None}, {"shuffle": False}]


def make(kind, path, batch_size, rank, n_ranks, order):
    dataset = RecordDataset(path, decode=id_of, max_broken=9)
    make = dataset.sampler if kind == "sampler" else dataset.batches
    return dataset, make(batch_size, seed=5, rank=rank, num_ranks=n_ranks, **order)


def run_sampler(path, batch_size, rank, n_ranks, order, state, k):
    """What a loader with workers gives out in `k` batches (they are ahead of it), and the state."""
    dataset, sampler = make("sampler", path, batch_size, rank, n_ranks, order)
    if state is not None:
        sampler.load_state_dict(state)
    batches = list(sampler)  # as workers in advance may
    got = [[dataset[i] for i in batch if i not in BROKEN] for batch in batches[:k]]
    return got, sampler.state_dict(batches=k)


def run_workers(path, batch_size, rank, n_ranks, order, state, k, n_workers, monkeypatch):
    """The same of `n_workers` that iterate over `batches`, of which the loader stores the states."""
    made = [make("batches", path, batch_size, rank, n_ranks, order)[1] for _ in range(n_workers)]
    iterators, got = [], []
    for i, one in enumerate(made):
        monkeypatch.setattr(batches_module, "_worker", lambda i=i: (i, n_workers))
        if state is not None:
            with monkeypatch.context() as main:  # states are loaded before workers start
                main.setattr(batches_module, "_worker", lambda: (0, 1))
                one.load_state_dict(state)
        iterators.append(iter(one))
    states = {}
    for step in range(k + n_workers):
        i = step % n_workers
        monkeypatch.setattr(batches_module, "_worker", lambda i=i: (i, n_workers))
        if step < k:
            batch = next(iterators[i], None)
            if batch is None:  # a loader ends when all of its workers have ended
                assert [list(one) for one in iterators] == [[]] * n_workers
                k = step
            got += [] if batch is None else [batch]
        states[f"worker_{i}"] = {"dataset_state": made[i].state_dict()}
    monkeypatch.setattr(batches_module, "_worker", lambda: (0, 1))
    return got, {"_snapshot": {"_worker_snapshots": states}, "_steps_since_snapshot": 0}


@pytest.mark.parametrize("part", range(4))
def test_what_was_taken_is_a_prefix_of_the_order(part, many, monkeypatch):
    """50 random schedules each: any ranks and workers, saved and gone on with, again and again."""
    path = many
    draw = random.Random(part)
    for _ in range(50):
        order, state, union, done = draw.choice(ORDERS), None, [], 0
        expected = make("sampler", path, 1, 0, 1, order)[1]._order_of(0)
        for _ in range(draw.randint(1, 4)):
            n_ranks, batch_size = draw.randint(1, 5), draw.randint(1, 12)
            n_workers, k = draw.randint(0, 4), draw.randint(0, 12)
            common = (path, batch_size)
            results = []
            for rank in range(n_ranks):
                given = (*common, rank, n_ranks, order, state, k)
                results.append(run_workers(*given, n_workers, monkeypatch) if n_workers
                               else run_sampler(*given))  # fmt: skip
            done = min(done + k * n_ranks * batch_size, 403)
            union += [i for got, _ in results for batch in got for i in batch]
            state = json.loads(json.dumps(draw.choice(results)[1]))  # any rank's
            if done == 403:
                break
        prefix = expected.take(np.arange(done)).tolist()
        assert sorted(union) == sorted(set(prefix) - BROKEN)
        sampler = make("sampler", path, 1, 0, 1, order)[1]
        sampler.load_state_dict(state)
        now = sampler.state_dict()
        if now["epoch"] == 0:
            assert now["done"] == done
            if done < 403:
                assert now["broken"] <= len(BROKEN & set(prefix))


def test_broken_records_are_counted_over_stops(many):
    path = many
    for order in ORDERS:
        state, seen = None, 0
        for n_ranks in (2, 3, 1):
            runs = [make("batches", path, 8, rank, n_ranks, order) for rank in range(n_ranks)]
            for _dataset, one in runs:
                if state:
                    one.load_state_dict(state)
                iterator = iter(one)
                for _ in range(4):
                    next(iterator)
            known = {n for dataset, _ in runs for n in dataset.broken}
            runs[0][0].load_state_dict(
                {"broken_records": sorted(known)}
            )  # as by a file or a gather
            state = runs[0][1].state_dict()
            prefix = set(runs[0][1]._order_of(0).take(np.arange(state["done"])).tolist())
            seen += 4 * 8 * n_ranks
            assert state["done"] == seen
            assert state["broken"] == len(prefix & BROKEN)


@pytest.mark.parametrize("kind", ["sampler", "batches"])
def test_epochs_follow_each_other(kind, tmp_path):
    path = tmp_path / "r.rec"
    write_records(path, 20)
    _, one = make(kind, path, 8, 0, 1, ORDERS[0])
    first, second = list(one), list(one)
    assert first != second
    assert (one.epoch, len(one), [len(b) for b in first]) == (2, 3, [8, 8, 4])
    one.set_epoch(0)
    assert list(one) == first
    _, other = make(kind, path, 8, 0, 1, ORDERS[0])
    iterator = iter(one)
    next(iterator)
    other.load_state_dict(one.state_dict())
    other.set_epoch(1)  # as programs do before each epoch: it goes on where the state says
    assert len(other) == 2
    assert list(other) == second[1:]
    assert list(iter(one)) == second  # an iteration that was given up begins again


@pytest.mark.parametrize("change, text", [
    ({"records": 4}, "about 4 records, there are 20"), ({"done": -1}, r"state\['done'\]=-1"),
    ({"epoch": "1"}, r"state\['epoch'\]"), ({"seed": -3}, "seed=-3"), ({"window": 0}, "window=0"),
    ({"broken_records": [20]}, "must be numbers below 20"), ({"step": None}, r"state\['step'\]"),
    ({"worker": [0, 2, 5]}, "batch size"),
])  # fmt: skip
def test_states_that_are_none(change, text, tmp_path):
    write_records(tmp_path / "r.rec", 20)
    _, one = make("sampler", tmp_path / "r.rec", 8, 0, 1, ORDERS[0])
    with pytest.raises(ArgumentError, match=text):
        one.load_state_dict({**one.state_dict(), **change})
    for state in ({}, {"a": {"b": 1}}, []):
        with pytest.raises(ArgumentError, match="there is no state of records"):
            one.load_state_dict(state)
