# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError


class Store:
    def __init__(self, rank, num_workers):
        self.rank, self.num_workers = rank, num_workers


def samplers(n, batch_size, world, **options):
    return [
        mx.elastic.sampler(n, batch_size, store=Store(r, world), **options) for r in range(world)
    ]


def steps_of(workers, limit):
    """What all take in each of at most so many steps of an epoch, and the state of each."""
    share = workers[0].share()
    n = min(limit, share.n_steps)
    totals = [share.n_records_of(i) for i in range(n)]
    lists = [list(worker) for worker in workers]
    taken = [[x for own in lists if i < len(own) for x in own[i]] for i in range(n)]
    assert list(map(len, taken)) == totals
    return taken, [worker.state_dict(batches=n) for worker in workers]


@pytest.mark.parametrize("rescale", ["global", "local"])
@pytest.mark.parametrize("seed", range(20))
def test_random_schedules_take_every_sample_once(rescale, seed):
    """Workers come and go after any number of steps: epochs stay permutations, in one order."""
    draw = np.random.default_rng(seed)
    n, batch_size = int(draw.integers(1, 200)), int(draw.integers(8, 40))
    options = {"seed": seed, "rescale": rescale}
    taken, state, epochs, n_steps = {}, None, 2, []
    while True:
        workers = samplers(n, batch_size, int(draw.integers(1, 9)), **options)
        for worker in workers if state else ():
            worker.load_state_dict(state)
        if workers[0].epoch == epochs:
            break
        epoch = workers[0].epoch
        steps, states = steps_of(workers, int(draw.integers(0, 9)))
        assert all(each == states[0] for each in states)
        state = states[0]
        if state["done"] == n:  # as the sampler says when it is asked between epochs
            state = {**state, "epoch": epoch + 1, "done": 0}
        n_steps += steps
        taken.setdefault(epoch, []).extend(x for step in steps for x in step)
    for epoch in range(epochs):
        whole = mx.elastic.sampler(n, n, seed=seed)
        whole.set_epoch(epoch)
        assert sorted(taken[epoch]) == list(range(n))
        assert taken[epoch] == next(iter(whole))
    if rescale == "global":  # steps are those of one worker
        alone = mx.elastic.sampler(n, batch_size, seed=seed)
        assert n_steps == [step for _ in range(epochs) for step in alone]


def test_a_global_batch_is_divided_evenly():
    sizes = [len(next(iter(worker))) for worker in samplers(100, 10, 4)]
    assert sorted(sizes) == [2, 2, 3, 3]
    assert [len(next(iter(worker))) for worker in samplers(100, 10, 4, rescale="local")] == [10] * 4


def test_who_gets_nothing_in_the_last_step_has_as_many_steps():
    workers = samplers(9, 8, 4)
    assert [len(list(worker)) for worker in workers] == [1, 1, 1, 2]
    assert {worker.share().n_steps for worker in workers} == {2}


@pytest.mark.parametrize("arguments, options, text", [
    ((10, 2), {"store": Store(0, 3)}, "batch_size=2: must be at least num_ranks, which is 3"),
    ((10, 0), {}, "batch_size=0"), ((-1, 2), {}, "length=-1"), ((2.5, 2), {}, "length=2.5"),
    ((10, 2), {"rescale": "both"}, "rescale='both'"), ((10, 2), {"seed": -1}, "seed=-1"),
])  # fmt: skip
def test_refused(arguments, options, text):
    with pytest.raises(ArgumentError, match=text):
        mx.elastic.sampler(*arguments, **options)
