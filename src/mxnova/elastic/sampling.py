# SPDX-License-Identifier: Apache-2.0
"""Which samples make a batch, for data sets of any kind."""

from __future__ import annotations

from typing import Any

from ..core.base.errors import argument_error
from ..record_dataset.order import Shuffle
from ..record_dataset.sampler import Numbers, RecordSampler
from ..record_dataset.shares import Rank

__all__ = ["sampler"]


def sampler(
    length: int,
    batch_size: int,
    *,
    store: Any = None,
    rescale: str = "global",
    shuffle: bool = True,
    seed: int = 0,
    uneven: str = "exact",
) -> RecordSampler:
    """Lists of the numbers of samples for one worker, as `RecordDataset.sampler` gives for records.

    The order is a function of `seed` and the epoch alone. After each step the samples that all
    workers have taken are those at its beginning, so that any number of workers goes on from there.

    Args:
        length: of the data set.
        batch_size: samples of a batch, see `rescale`.
        store: the store that tells the workers apart; None: this one is alone.
        rescale: whose batch has `batch_size` samples: ``"global"``, that of all workers together,
            which they divide evenly, so that steps are the same on any number of workers; or
            ``"local"``, that of each worker.
        shuffle: whether samples come in random order.
        seed: of that order, not negative.
        uneven: what becomes of the last samples, which cannot be divided evenly: some workers get
            one more (``"exact"``), they are left out (``"drop"``), or the epoch's first come a
            second time (``"pad"``).

    Raises:
        ArgumentError: a number is out of its range, or fewer samples than workers make a batch.

    Example:
        >>> list(mx.elastic.sampler(5, 2, shuffle=False))
        [[0, 1], [2, 3], [4]]
    """
    if type(length) is not int or length < 0:
        raise argument_error("elastic.sampler", "length", length, "must be a number of samples")
    rank, world = (0, 1) if store is None else (int(store.rank), int(store.num_workers))
    order = Shuffle(seed if shuffle else None, None, 1)
    return RecordSampler(Numbers(length), order, Rank(rank, world, batch_size, uneven, rescale))
