# SPDX-License-Identifier: Apache-2.0
"""Loaders with worker processes, of torch and Gluon, that end in any way and go on."""

import json
import os
import signal

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset

from mxnova.gluon.data import DataLoader as GluonLoader
from mxnova.recordio import RecordDataset

from .conftest import BROKEN, id_of

pytestmark = pytest.mark.slow
ORDER = {"block_size": 16, "window": 4, "seed": 3}


def gluon_loader(path, n_workers, _method):
    dataset = RecordDataset(path, decode=id_of, max_broken=9)
    sampler = dataset.sampler(8, **ORDER)
    return sampler, GluonLoader(
        dataset, batch_sampler=sampler, num_workers=n_workers, batchify_fn=np.array
    )


def sampled(path, n_workers, method, decode=id_of):
    dataset = RecordDataset(path, decode=decode, max_broken=9)
    sampler = dataset.sampler(8, **ORDER)
    options = {"multiprocessing_context": method} if n_workers else {}
    return sampler, DataLoader(
        dataset, batch_sampler=sampler, num_workers=n_workers, collate_fn=np.array, **options
    )


def iterated(path, n_workers, method, decode=id_of):
    batches = RecordDataset(path, decode=decode, max_broken=9).batches(8, **ORDER)
    options = {"multiprocessing_context": method} if n_workers else {}
    return batches, DataLoader(
        batches, batch_size=None, num_workers=n_workers, collate_fn=np.array, **options
    )


def lists(batches):
    return [np.asarray(batch).tolist() for batch in batches]


def expected(path):
    return lists(RecordDataset(path, decode=id_of, max_broken=9).batches(8, **ORDER))


@pytest.mark.parametrize("make, n_workers, method", [
    (sampled, 2, "fork"), pytest.param(sampled, 1, "spawn", marks=pytest.mark.huge), (iterated, 2, "fork"), (gluon_loader, 2, None),
])  # fmt: skip
def test_an_epoch_goes_on_with_other_workers(make, n_workers, method, many):
    whole = expected(many)
    progress, loader = make(many, n_workers, method)
    batches = iter(loader)
    got = lists(next(batches) for _ in range(20))
    state = json.loads(json.dumps(progress.state_dict(batches=20)))
    assert got == whole[:20]
    assert state["done"] == 160
    prefix = progress._order_of(0).take(np.arange(160)).tolist()
    assert state["broken"] == len(BROKEN & set(prefix))
    del batches
    for other in (sampled, iterated, gluon_loader):
        progress, loader = other(many, 0, None)
        progress.load_state_dict(state)
        assert lists(loader) == whole[20:]


def test_the_loaders_state_has_the_samplers(many):
    _, loader = gluon_loader(many, 2, None)
    batches = iter(loader)
    got = lists(next(batches) for _ in range(7))
    _, other = gluon_loader(many, 0, None)
    other.load_state_dict(json.loads(json.dumps(loader.state_dict())))
    assert got + lists(other) == expected(many)
    assert lists(loader) != lists(other)  # epochs 1 and 1, and then 2: each loader goes on


@pytest.mark.parametrize("make", [sampled, iterated])
def test_a_worker_is_killed(make, many):
    """What had arrived is known; the rest is read after a restart.

    It ends between torch's calls: a worker that is killed inside `Event.is_set` keeps its lock, and
    the loader deadlocks.
    """
    whole, parent = expected(many), os.getpid()

    def decode(record):
        if id_of(record) == whole[11][3] and os.getpid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
        return id_of(record)

    progress, loader = make(many, 2, "fork", decode)
    batches = iter(loader)
    got = lists(next(batches) for _ in range(5))
    with pytest.raises(RuntimeError, match=r"killed|exited unexpectedly"):
        got.extend(np.asarray(batch).tolist() for batch in batches)
    state = progress.state_dict(batches=len(got))
    del batches
    progress, loader = make(many, 1, "fork")
    progress.load_state_dict(state)
    assert got + lists(loader) == whole


def test_torch_knows_the_iterable(many):
    batches = RecordDataset(many).batches(8)
    assert isinstance(batches, IterableDataset)
    dataset = RecordDataset(many, keys=range(3), decode=lambda record: np.array(list(record[:24])))
    assert next(iter(DataLoader(dataset, batch_size=3))).shape == (3, 24)
    assert isinstance(next(iter(DataLoader(dataset))), torch.Tensor)


@pytest.mark.parametrize("n_workers, k", [(0, 9), (2, 9), (2, 51)])
@pytest.mark.parametrize("make", [sampled, iterated])
def test_torchdata_stores_the_state(make, n_workers, k, many):
    stateful = pytest.importorskip("torchdata.stateful_dataloader")

    def loader_of():
        progress, plain = make(many, 0, None)
        options = {"batch_sampler": progress} if make is sampled else {"batch_size": None}
        return progress, stateful.StatefulDataLoader(
            plain.dataset, num_workers=n_workers, collate_fn=np.array, **options
        )

    _, loader = loader_of()
    batches = iter(loader)
    got = lists(next(batches) for _ in range(k))
    state = loader.state_dict()
    _, again = loader_of()
    again.load_state_dict(state)
    assert got + lists(again) == expected(many)
    progress, plain = make(many, 0, None)
    progress.load_state_dict(state)
    assert got + lists(plain) == expected(many)
