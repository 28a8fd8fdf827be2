# SPDX-License-Identifier: Apache-2.0
"""DataLoaders that stop within an epoch and go on."""

import json

import numpy as np
import pytest

from mxnova.core.base.errors import ArgumentError
from mxnova.gluon.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler

DATA = np.arange(53)


class Reversed:
    """A sampler of a user's, without states."""

    def __len__(self):
        return 8

    def __iter__(self):
        return iter(np.array_split(DATA[::-1], 8))


KINDS = {
    "in order": {"batch_size": 8},
    "shuffled": {"batch_size": 8, "shuffle": True},
    "left over": {"batch_size": 8, "shuffle": True, "last_batch": "rollover"},
    "discarded": {"batch_size": 8, "shuffle": True, "last_batch": "discard"},
    "of a user": {"batch_sampler": Reversed()},
}


def lists(batches):
    return [batch.asnumpy().tolist() for batch in batches]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before, after", [
    (0, 0), pytest.param(2, 0, marks=pytest.mark.slow), pytest.param(0, 3, marks=pytest.mark.slow),
])  # fmt: skip
def test_an_epoch_goes_on(kind, before, after):
    np.random.seed(3)
    loader, other = (DataLoader(DATA, num_workers=n, **KINDS[kind]) for n in (before, after))
    for k in (0, 1, 4, 6):
        lists(loader)  # an epoch before: what is left over differs
        batches = iter(loader)
        for _ in range(k):
            next(batches)
        state = json.loads(json.dumps(loader.state_dict()))
        other.load_state_dict(state)
        assert state["batches"] == k
        assert other.state_dict() == state
        rest = lists(batches)
        if k:  # else the order is not drawn yet
            assert lists(other) == rest
        other.load_state_dict(loader.state_dict())
        assert loader.state_dict() == other.state_dict()


def test_a_restored_order_draws_nothing_from_the_generator():
    np.random.seed(0)
    loader = DataLoader(DATA, 8, shuffle=True)
    batches = iter(loader)
    next(batches)
    state, before = loader.state_dict(), np.random.get_state()[1].tolist()
    loader.load_state_dict(state)
    assert lists(loader) == lists(batches)
    assert np.random.get_state()[1].tolist() == before


def test_states_that_are_none():
    loader = DataLoader(DATA, 8, shuffle=True)
    for state in ({}, {"batches": -1}, {"batches": 1, "sampler": {"batches": 1}}):
        with pytest.raises(ArgumentError, match="is no state of a"):
            loader.load_state_dict(state)
    sampler = RandomSampler(5)
    with pytest.raises(ArgumentError, match="length 4, there are 5"):
        sampler.load_state_dict({"length": 4})
    with pytest.raises(ArgumentError, match="no state of a Mersenne Twister"):
        sampler.load_state_dict({"length": 5, "generator": "0:0"})


def test_a_batch_sampler_goes_on_by_itself():
    sampler = BatchSampler(SequentialSampler(10), 3, "rollover")
    batches = iter(sampler)
    next(batches)
    other = BatchSampler(SequentialSampler(10), 3, "rollover")
    other.load_state_dict(sampler.state_dict())
    assert list(other) == list(batches) == [[3, 4, 5], [6, 7, 8]]
    assert other.state_dict()["left_over"] == [9]
