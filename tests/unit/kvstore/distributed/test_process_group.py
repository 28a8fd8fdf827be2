# SPDX-License-Identifier: Apache-2.0
"""A store in processes that PyTorch has brought together before, whose port is taken then."""

import os

import torch.distributed as dist

import mxnova as mx

from .workers import run


def _summed(rank, is_told):
    options = {} if is_told else {"rank": rank, "world_size": 2}
    if not is_told:
        place = "tcp://{MASTER_ADDR}:{MASTER_PORT}".format(**os.environ)
        options["init_method"] = place
        for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
            del os.environ[name]
    dist.init_process_group("gloo", **options)
    store = mx.kv.create("dist_sync")
    store.init("a", mx.nd.zeros(1))
    total = mx.nd.zeros(1)
    store.pushpull("a", mx.nd.ones(1) * (rank + 1), out=total)
    found = store.rank, store.num_workers, total.asscalar()
    dist.destroy_process_group()
    return found


def test_ranks_are_those_of_the_group():
    for is_told in (True, False):  # by the variables of a launcher, or by the program alone
        assert run(2, _summed, is_told) == [(0, 2, 3.0), (1, 2, 3.0)]
