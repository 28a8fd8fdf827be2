# SPDX-License-Identifier: Apache-2.0
"""Who owns which values, or slices of them."""

import itertools
import math

import pytest

import mxnova as mx
from mxnova.kvstore.distributed.plan import UpdatePlan
from mxnova.kvstore.distributed.sharding import Shard, Sharding, sliced


@pytest.mark.parametrize("shape", [(10,), (7, 3), (3, 7), (2, 2, 9), (4,), (1000, 1)])
@pytest.mark.parametrize("owners", [range(1), range(3), (5, 2, 9, 4)])
def test_slices_are_whole_and_even(shape, owners):
    shards = sliced(shape, owners)
    assert [shard.owner for shard in shards] == list(owners)
    assert (shards[0].start, shards[-1].stop) == (0, math.prod(shape))
    assert all(a.stop == b.start for a, b in itertools.pairwise(shards))
    unit = math.prod(shape[1:]) if shape[0] >= len(owners) else 1
    lengths = [shard.stop - shard.start for shard in shards]
    assert max(lengths) - min(lengths) <= unit
    for shard in shards:
        assert math.prod(shard.shape) == shard.stop - shard.start
        assert shard.shape[1:] == (shape[1:] if shape[0] >= len(owners) else ())


def test_small_values_go_to_whoever_has_least(monkeypatch):
    monkeypatch.setenv("MXNET_KVSTORE_BIGARRAY_BOUND", "100")
    sharding = Sharding(range(2), slices=True)
    owners = [sharding.shards(i, (n,)) for i, n in enumerate([50, 20, 20, 5, 100])]
    assert [shards[0].owner for shards in owners] == [0, 1, 1, 1, 0]
    assert [len(shards) for shards in owners] == [1, 1, 1, 1, 2]
    assert sharding.shards(0, (50,)) is owners[0]


def test_values_are_not_sliced_where_they_must_not_be(monkeypatch):
    monkeypatch.setenv("MXNET_KVSTORE_BIGARRAY_BOUND", "100")
    assert Sharding(range(2), slices=False).shards("a", (5, 60)) == [Shard(0, 0, 300, (5, 60))]


class _Own(mx.optimizer.SGD):
    pass


@pytest.mark.parametrize(
    "updater, expected",
    [
        (None, True),
        (mx.optimizer.get_updater(mx.optimizer.Adam()), True),
        (mx.optimizer.get_updater(mx.optimizer.LAMB()), False),
        (mx.optimizer.get_updater(_Own()), False),  # nobody knows what it does
        (lambda key, total, value: None, False),
    ],
)
def test_only_what_is_updated_by_elements_is_sliced(updater, expected, monkeypatch):
    monkeypatch.setenv("MXNET_KVSTORE_BIGARRAY_BOUND", "100")
    plan = UpdatePlan(updater, None, 2, Sharding(range(2), slices=True, in_rows=True))
    assert len(plan.shards("a", mx.nd.zeros((300, 5)))) == 1 + expected


def test_rows_are_not_sliced(monkeypatch):
    monkeypatch.setenv("MXNET_KVSTORE_BIGARRAY_BOUND", "100")
    sharding = Sharding(range(3), slices=True, in_rows=True)
    assert sharding.shards("few", (2, 600)) == [Shard(0, 0, 1200, (2, 600))]
    assert [shard.shape for shard in sharding.shards("many", (4, 600))] == [
        (1, 600),
        (1, 600),
        (2, 600),
    ]
