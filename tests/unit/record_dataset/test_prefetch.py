# SPDX-License-Identifier: Apache-2.0
"""Stores hear of records before a loader's worker is asked for them."""

from __future__ import annotations

import pickle
import time

import pytest

from mxnova.formats.remote import ranges, spans
from mxnova.recordio import RecordDataset

from .conftest import write_records

N = 400


@pytest.fixture
def dataset(serve, tmp_path, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(1 << 16))
    monkeypatch.setenv("MXNOVA_REMOTE_READ_AHEAD", str(60 << 10))  # records of some 60
    for module in (ranges, spans):  # so that no two records come with one request
        monkeypatch.setattr(module, "GRAIN", 1 << 10)
    for name in "ab":
        write_records(tmp_path / f"{name}.rec", N, lambda i: bytes([i % 256]) * 1000)
    url = serve().url
    return lambda *names: RecordDataset([f"{url}/{name}.rec" for name in names])


def are_there(dataset, batch):
    """Whether all bytes of a batch's records were asked for."""
    files = dataset._reader.files
    located = [files._located(number) for number in batch]
    places = [(file.buffer, *file.place(inside, inside + 1)) for file, inside in located]
    return all(buffer.spans.missing(first, end) >= end for buffer, first, end in places)


def settle(dataset):
    requests = dataset._reader.files.files[0].buffer._requests
    end = time.monotonic() + 30
    while requests.under_way:
        assert time.monotonic() < end, f"{requests.under_way} requests are under way"
        time.sleep(0.001)


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_the_batches_of_the_same_worker_are_asked_for(dataset, stride):
    data = dataset("a", "b")
    batches = list(data.sampler(8, seed=1))
    for i in (1, 1 + stride):
        data.__getitems__(batches[i])
        settle(data)
    there = [i for i, batch in enumerate(batches) if are_there(data, batch)]
    assert there == list(range(1, 1 + 9 * stride + 1, stride))[: len(there)] and len(there) >= 8


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
