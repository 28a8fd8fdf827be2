# SPDX-License-Identifier: Apache-2.0
"""Stores hear of records before a loader's worker is asked for them."""

from __future__ import annotations

import pickle

import pytest

from mxnova.formats.remote import ranges, requests, spans
from mxnova.record_dataset.files import RecordFiles
from mxnova.recordio import RecordDataset
from tests.waiting import wait_until

from .conftest import write_records

N = 600
PIECE = 1 << 16


@pytest.fixture
def store(serve):
    return serve()


@pytest.fixture
def dataset(store, tmp_path, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_CACHE", str(1 << 20))  # a file fits into it, two do not
    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(PIECE))
    monkeypatch.setenv("MXNOVA_REMOTE_READ_AHEAD", str(60 << 10))  # records of some 60
    monkeypatch.setattr(requests, "_current", requests.Requests())  # of files with other grains
    for module in (ranges, spans):  # so that no two records come with one request
        monkeypatch.setattr(module, "GRAIN", 1 << 10)
    for name in "ab":
        write_records(tmp_path / f"{name}.rec", N, lambda i: bytes([i % 256]) * 1000)
    return lambda *names: RecordDataset([f"{store.url}/{name}.rec" for name in names])


def are_there(dataset, batch):
    """Whether all bytes of a batch's records were asked for."""
    files = dataset._reader.files
    located = [files._located(number) for number in batch]
    places = [(file.buffer, *file.place(inside, inside + 1)) for file, inside in located]
    return all(buffer.spans.missing(first, end) >= end for buffer, first, end in places)


def settle(dataset):
    shared = dataset._reader.files.files[0].buffer._requests
    wait_until(lambda: not shared.under_way)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_the_batches_of_the_same_worker_are_asked_for(dataset, stride):
    data = dataset("a", "b")
    batches = list(data.sampler(8, seed=1))
    for i in (1, 1 + stride):
        data.__getitems__(batches[i])
        settle(data)
    there = [i for i, batch in enumerate(batches) if are_there(data, batch)]
    assert there == list(range(1, 1 + 9 * stride + 1, stride))[: len(there)] and len(there) >= 8


READERS = {
    "batches": lambda data, **ranks: data.batches(8, seed=1, **ranks),
    "sampler": lambda data, **ranks: map(data.__getitems__, data.sampler(8, seed=1, **ranks)),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_fits_into_memory_comes_in_large_pieces(dataset, store, tmp_path, reader):
    data = dataset("a")
    before = len(store.requests)
    for _ in range(2):  # epochs
        records = [record for batch in READERS[reader](data) for record in batch]
        assert sorted(records) == sorted(RecordDataset(tmp_path / "a.rec"))
    n_pieces = -(-(tmp_path / "a.rec").stat().st_size // PIECE)
    # The first two batches of a sampler, which are not known before, cut pieces at each record.
    assert len(store.requests) - before <= n_pieces + 2 * 2 * 8


@pytest.mark.parametrize("case", ["two files", "three ranks", "a third of the records"])
def test_records_of_which_few_are_read_come_alone(dataset, store, case):
    keys = range(0, N, 3) if case == "a third of the records" else None
    data = (
        dataset("a", "b") if case == "two files" else RecordDataset(f"{store.url}/a.rec", keys=keys)
    )
    before = len(store.requests)
    ranks = {"num_ranks": 3} if case == "three ranks" else {}
    n = sum(len(batch) for batch in READERS["batches"](data, **ranks))
    sizes = [int(end) - int(start) + 1 for start, end in map(_range, store.requests[before:])]
    assert len(sizes) > 0.6 * n
    assert sum(sizes) < 2 * 1024 * len(sizes)


def test_what_files_are_read_whole_is_asked_once_an_epoch(dataset, monkeypatch):
    data, asked = dataset("a"), []
    monkeypatch.setattr(RecordFiles, "are_read_whole", lambda _files, n: asked.append(n) or True)
    for reader in READERS.values():
        list(reader(data))
    assert asked == [1, 1]


def _range(request):
    return request[1].removeprefix("bytes=").split("-")


def test_blocks_are_asked_for_as_wholes(dataset):
    data = dataset("a")
    batches = list(data.sampler(8, seed=1, block_size=16, window=4))
    for batch in batches[:2]:
        data.__getitems__(batch)
    settle(data)
    assert all(are_there(data, batch) for batch in batches[:8])


@pytest.mark.parametrize("change", ["other files", "plain lists", "another epoch"])
def test_what_does_not_follow_is_not_asked_for(dataset, change):
    data = dataset("a", "b")
    samplers = {
        "other files": lambda: dataset("a").sampler(8, seed=1),
        "plain lists": lambda: map(list, data.sampler(8, seed=1)),
        "another epoch": lambda: data.sampler(8, seed=1),
    }
    sampler = samplers[change]()
    first = list(sampler)
    then = list(sampler) if change == "another epoch" else first
    data.__getitems__(first[0])
    data.__getitems__(then[1])
    settle(data)
    assert not any(are_there(data, batch) for batch in (*first[2:9], *then[2:9]))


def test_a_batch_knows_its_place_in_another_process(dataset):
    batch = list(dataset("a").sampler(8, seed=1))[3]
    copy = pickle.loads(pickle.dumps(batch))
    assert copy == batch == list(batch) and copy.place == batch.place and copy.place.number == 3


def test_local_files_are_not_followed(tmp_path):
    write_records(tmp_path / "a.rec", N, lambda i: bytes(i))
    data = RecordDataset(tmp_path / "a.rec")
    for batch in data.sampler(8):
        assert len(data.__getitems__(batch)) == 8
    assert data._prefetch._last is None
