# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova.core.base.errors import ArgumentError
from mxnova.record_dataset.order import EpochOrder, Shuffle

N = 4096
PLAIN, FULL, BLOCKS = Shuffle(None, None, 1), Shuffle(7, None, 1), Shuffle(7, 32, 16)


def order(shuffle, epoch=0, counts=(N,)):
    made = EpochOrder(counts, shuffle, epoch)
    return made.take(np.arange(made.n_records))


@pytest.mark.parametrize("shuffle", [PLAIN, FULL, BLOCKS, Shuffle(0, 1, 1), Shuffle(0, 9999, 3)])
@pytest.mark.parametrize("counts", [(N,), (1,), (3, 0, 100, 1), (32, 33, 31)])
def test_every_record_comes_once(shuffle, counts):
    assert sorted(order(shuffle, 3, counts)) == list(range(sum(counts)))


def test_an_order_is_a_function_of_seed_and_epoch():
    assert np.array_equal(order(BLOCKS, 5), order(BLOCKS, 5))
    different = [order(BLOCKS, 5), order(BLOCKS, 6), order(BLOCKS._replace(seed=8), 5)]
    assert all(np.mean(a != different[0]) > 0.9 for a in different[1:])


def test_orders_stay_what_they_were():
    """States are stored: an epoch must go on in the order that it began in."""
    assert order(Shuffle(1, None, 1), 2, (12,)).tolist() == [7, 1, 3, 0, 4, 8, 9, 2, 6, 5, 10, 11]
    assert order(Shuffle(1, 3, 2), 2, (12,)).tolist() == [4, 9, 3, 10, 5, 11, 1, 7, 6, 0, 8, 2]


@pytest.mark.parametrize("shuffle", [PLAIN, FULL, BLOCKS])
def test_parts_are_those_of_the_whole(shuffle):
    made, whole = EpochOrder((1000, 500), shuffle, 1), order(shuffle, 1, (1000, 500))
    for start, stop in ((0, 7), (700, 1400), (1499, 1500), (20, 20)):
        assert np.array_equal(made.take(np.arange(start, stop)), whole[start:stop])
        read = {r for a, b in made.ranges(start, stop) for r in range(a, b)}
        assert read >= set(whole[start:stop].tolist())
    assert made.take(np.arange(1490, 1510))[10:].tolist() == whole[:10].tolist()  # padding
    assert [made.position(r) for r in whole[::97].tolist()] == list(range(0, 1500, 97))


def test_blocks_are_read_as_a_whole():
    """Ranges of a window are blocks, and no block has records of two files."""
    made = EpochOrder((100, 60), Shuffle(0, 32, 2), 0)
    ranges = {span for start in range(160) for span in made.ranges(start, start + 1)}
    assert ranges == {(0, 32), (32, 64), (64, 96), (96, 100), (100, 132), (132, 160)}
    assert max(len(made.ranges(start, start + 1)) for start in range(160)) == 2


def test_block_wise_order_is_random():
    """Of 200 epochs: where a record comes is uniform, and neighbours in the file are no neighbours."""
    orders = np.stack([order(BLOCKS, epoch) for epoch in range(200)])
    places = np.argsort(orders, axis=1)
    # A uniform position has mean 1/2 and deviation 0.289: those of 200 lie within 4.5 deviations.
    assert np.abs(places.mean(axis=0) / N - 0.5).max() < 4.5 * 0.289 / 200**0.5
    eighths = np.stack([np.bincount(p, minlength=8) for p in (places.T * 8 // N)])
    chi2 = ((eighths - 25) ** 2 / 25).sum(axis=1)  # 7 degrees of freedom: mean 7
    assert abs(chi2.mean() - 7) < 1
    assert abs(np.corrcoef(np.arange(N), places.mean(axis=0))[0, 1]) < 0.1
    # In a batch of 64 neighbours are as rare as 16 mixed blocks of 32 have them.
    batches = orders.reshape(200, -1, 64)
    blocks_seen = [len(set((batch // 32).tolist())) for batch in batches[0]]
    assert np.mean(blocks_seen) > 14
    neighbours = np.mean(np.abs(np.diff(orders, axis=1)) == 1)
    assert neighbours < 3 * 2 / (16 * 32)  # two of a window's 512 records


@pytest.mark.parametrize(
    "name, value", [("seed", -1), ("block_size", 0), ("window", 0), ("seed", 1.5)]
)
def test_refused(name, value):
    with pytest.raises(ArgumentError, match=f"f: {name}="):
        BLOCKS._replace(**{name: value}).check("f")
