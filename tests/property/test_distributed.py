# SPDX-License-Identifier: Apache-2.0
"""Random programs of several workers, against one store that gets what all of them push."""

import numpy as np
import pytest

import mxnova as mx

from ..unit.kvstore.distributed.workers import run

OPTIMIZERS = [None, ("sgd", {"momentum": 0.9}), ("adam", {}), ("lamb", {}), ("test", {})]
N_PROGRAMS, N_STEPS = 8, 12


def _value(rng, shape, stype):
    dense = rng.normal(size=shape).astype(np.float32)
    if stype == "row_sparse":
        dense[rng.random(shape[0]) < 0.6] = 0
    return mx.nd.array(dense).tostype(stype)


class _Program:
    """Calls that all workers make, on their store and on a model of all of them.

    Everybody draws all workers' values, and so knows what should come.
    """

    def __init__(self, seed, rank, n):
        self.rng, self.rank, self.n = np.random.default_rng(seed), rank, n
        self.stores = mx.kv.create("dist_sync"), mx.kv.create("local")
        optimizer = OPTIMIZERS[self.rng.integers(len(OPTIMIZERS))]
        if optimizer is not None:
            name, options = optimizer
            for store in self.stores:
                store.set_optimizer(mx.optimizer.create(name, learning_rate=0.05, **options))
        self.shapes, self.stypes = {}, {}
        for key in range(self.rng.integers(2, 6)):
            self.shapes[key] = tuple(self.rng.integers(1, 30, self.rng.integers(2, 4)).tolist())
            sparse = self.rng.random() < 0.3 and optimizer != ("lamb", {})
            self.stypes[key] = "row_sparse" if sparse else "default"
            first = [_value(self.rng, self.shapes[key], self.stypes[key]) for _ in range(n)]
            self.stores[0].init(key, first[rank])
            self.stores[1].init(key, first[0])

    def run(self):
        calls = [self.push, self.push, self.pushpull, self.pull, self.pull_rows]
        for _ in range(N_STEPS):
            calls[self.rng.integers(len(calls))]()
        self.pull()

    def chosen(self, stype=None):
        keys = [key for key in self.shapes if stype in (None, self.stypes[key])]
        return [key for key in keys if self.rng.random() < 0.6]

    def pushed(self, keys):
        """For both stores what is pushed: by this worker, and by all."""
        of_all = [
            [_value(self.rng, self.shapes[k], self.stypes[k]) for _ in range(self.n)] for k in keys
        ]
        return [values[self.rank] for values in of_all], of_all

    def push(self):
        keys = self.chosen()
        for store, values in zip(self.stores, self.pushed(keys)):
            store.push(keys, values, priority=-1)

    def pushpull(self):
        keys = self.chosen("default")
        outs = [[mx.nd.zeros(self.shapes[key]) for key in keys] for _ in self.stores]
        for store, values, out in zip(self.stores, self.pushed(keys), outs):
            store.pushpull(keys, values, out=out)
        self.compare(*outs)

    def pull(self):
        keys = self.chosen()
        if self.rng.integers(self.n) != self.rank:  # one worker alone
            return
        outs = [[mx.nd.zeros(self.shapes[key]) for key in keys] for _ in self.stores]
        for store, out in zip(self.stores, outs):
            store.pull(keys, out, ignore_sparse=False)
        self.compare(*outs)

    def pull_rows(self):
        for key in self.chosen("row_sparse"):
            rows = mx.nd.array(self.rng.integers(0, self.shapes[key][0], 5))
            outs = [mx.nd.zeros(self.shapes[key], stype="row_sparse") for _ in self.stores]
            for store, out in zip(self.stores, outs):
                store.row_sparse_pull(key, out, row_ids=rows)
            self.compare([outs[0]], [outs[1]])

    def compare(self, mine, expected):
        for a, b in zip(mine, expected):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)


def _programs(rank, n, seed):
    for i in range(N_PROGRAMS):
        _Program([seed, i], rank, n).run()


@pytest.mark.parametrize("n, bound", [(2, 50), (3, 200), (2, 10**6)])
def test_random_programs_of_workers(n, bound):
    run(n, _programs, n, bound, MXNET_KVSTORE_BIGARRAY_BOUND=str(bound))
