# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.errors import ArgumentError
from mxnova.record_dataset.shares import Rank, Share


def taken(n, done, n_ranks, batch_size, uneven):
    """The positions that ranks take, a list of batches for each."""
    shares = [Share(n, done, Rank(i, n_ranks, batch_size, uneven)) for i in range(n_ranks)]
    return [[range(*share.batch(i)) for i in range(share.n_batches)] for share in shares], shares


@pytest.mark.parametrize("uneven", ["exact", "pad", "drop"])
@pytest.mark.parametrize("n, done, n_ranks, batch_size", [
    (100, 0, 1, 7), (100, 3, 4, 8), (100, 0, 3, 5), (5, 0, 8, 4), (64, 0, 4, 16), (10, 10, 2, 3),
])  # fmt: skip
def test_after_any_step_a_prefix_was_taken(n, done, n_ranks, batch_size, uneven):
    batches, shares = taken(n, done, n_ranks, batch_size, uneven)
    steps = max(map(len, batches))
    for step in range(steps):
        positions = sorted(p for rank in batches for batch in rank[: step + 1] for p in batch)
        after = {share.done_after(step + 1) for share in shares}
        assert len(after) == 1
        if (end := after.pop()) < n:
            assert positions == list(range(done, end))
    counts = [sum(map(len, rank)) for rank in batches]
    everything = sorted(p for rank in batches for batch in rank for p in batch)
    assert everything == list(range(done, done + len(everything)))  # nothing twice, no gap
    if uneven == "exact":
        assert len(everything) == n - done
        assert max(counts) - min(counts) <= 1
    else:
        assert len(set(counts)) == 1
        assert abs(len(everything) - (n - done)) < n_ranks
        assert (len(everything) >= n - done) is (uneven == "pad" or len(everything) == n - done)


@pytest.mark.parametrize("rank, name", [
    (Rank(0, 1, 0, "pad"), "batch_size"), (Rank(0, 0, 1, "pad"), "num_ranks"),
    (Rank(2, 2, 1, "pad"), "rank"), (Rank(-1, 2, 1, "pad"), "rank"), (Rank(0, 1, 1, "x"), "uneven"),
])  # fmt: skip
def test_refused(rank, name):
    with pytest.raises(ArgumentError, match=f"f: {name}="):
        rank.check("f")
