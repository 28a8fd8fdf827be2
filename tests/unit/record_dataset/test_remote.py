# SPDX-License-Identifier: Apache-2.0
"""Records of files in stores."""

from __future__ import annotations

import errno
import gc
import random

import pytest

from mxnova.core.base.errors import FileError, FormatError
from mxnova.formats.paths import names_in
from mxnova.formats.remote import writing
from mxnova.recordio import IRHeader, MXIndexedRecordIO, MXRecordIO, RecordDataset, pack

from .conftest import id_of, write_records

N = 300


@pytest.fixture(scope="module")
def payload():
    sizes = random.Random(0)
    return lambda i: bytes([i % 256]) * sizes.randrange(5000)


@pytest.fixture
def url(serve, tmp_path, payload, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(1 << 16))
    monkeypatch.setenv("MXNOVA_REMOTE_CACHE", str(1 << 20))
    write_records(tmp_path / "a.rec", N, payload)
    server = serve()
    return f"{server.url}/a.rec"


ORDERS = [{"shuffle": False}, {}, {"block_size": 16, "window": 3}]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("threads", [0, 2])
def test_the_same_batches_as_of_a_local_file(url, tmp_path, order, threads):
    here, there = RecordDataset(tmp_path / "a.rec"), RecordDataset(url)
    for epoch in range(2):
        found = [data.batches(7, threads=threads, **order) for data in (here, there)]
        for batches in found:
            batches.set_epoch(epoch)
        assert list(found[0]) == list(found[1])


def test_states_are_those_of_batches_that_were_given_out(url, tmp_path):
    for path in (tmp_path / "a.rec", url):
        data = RecordDataset(path)
        batches = data.batches(8, seed=3)
        taken = [next(it) for it in [iter(batches)] for _ in range(5)]
        other = RecordDataset(path).batches(8)
        other.load_state_dict(batches.state_dict())
        numbers = [id_of(record) for batch in [*taken, *other] for record in batch]
        assert sorted(numbers) == list(range(N)) and batches.state_dict()["done"] == 40


def test_an_index_is_made_where_there_is_none(url, tmp_path):
    (tmp_path / "a.idx").unlink()
    assert [id_of(record) for record in RecordDataset(url)] == list(range(N))


def test_requests_are_large_and_few(url, tmp_path, serve, monkeypatch):
    monkeypatch.delenv("MXNOVA_REMOTE_REQUEST_SIZE")
    server = serve()
    data = RecordDataset(f"{server.url}/a.rec")
    for order in ORDERS:
        server.requests.clear()
        assert sum(map(len, data.batches(8, **order))) == N
    assert len(server.requests) <= 2  # a file of less than a request is there since it was opened


def test_records_in_order_are_asked_for_together(serve, tmp_path, payload, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(1 << 19))
    for name in "ab":
        write_records(tmp_path / f"{name}.rec", 5 * N, payload)
    server = serve()
    data = RecordDataset([f"{server.url}/{name}.rec" for name in "ab"])
    size = (tmp_path / "a.rec").stat().st_size
    server.requests.clear()
    found = [id_of(record) for batch in data.batches(128, shuffle=False) for record in batch]
    assert found == [*range(5 * N)] * 2
    assert len(server.requests) <= 2 * size // (128 * 2000) + 4


def test_chosen_keys_ask_for_their_records_alone(serve, tmp_path, payload, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(1 << 16))
    write_records(tmp_path / "a.rec", 5 * N, payload)
    server = serve()
    keys = [7, 1400, 350, 8]
    for order in ORDERS:
        data = RecordDataset(f"{server.url}/a.rec", keys=keys)
        server.requests.clear()
        found = [id_of(record) for batch in data.batches(2, **order) for record in batch]
        assert sorted(found) == sorted(keys) and len(server.requests) <= 5


def test_a_loader_with_workers(url, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_TIMEOUT", "5")
    monkeypatch.setenv("MXNOVA_REMOTE_RETRIES", "0")
    data_module = pytest.importorskip("torch.utils.data")
    data = RecordDataset(url)
    assert len(data[3]) > 0  # opened before the fork
    loader = data_module.DataLoader(
        data, batch_sampler=data.sampler(16), num_workers=2, collate_fn=list
    )
    assert sorted(id_of(record) for batch in loader for record in batch) == list(range(N))
    assert len(RecordDataset(url)) == N  # forked workers have closed nothing of this process


def test_a_store_that_fails_is_no_broken_record(url, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_RETRIES", "0")
    data = RecordDataset(url, max_broken=N)

    async def fail(_start, _end):
        raise ConnectionResetError

    monkeypatch.setattr(data._reader.files.files[0].buffer._object, "_answer", fail)
    with pytest.raises(FileError):
        list(data.batches(8))
    assert data.broken == []


def test_records_one_by_one(memory):
    with MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w") as file:
        for i in range(50):
            file.write_idx(i, pack(IRHeader(0, i, i, 0), bytes(i)))
    with MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "r") as file:
        assert [id_of(file.read_idx(i)) for i in (40, 3, 49)] == [40, 3, 49]
        file.reset()
        assert [id_of(file.read()) for _ in range(50)] == list(range(50))
        assert file.read() is None


def test_a_writer_that_fails_leaves_nothing(memory):
    record = MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w")
    with pytest.raises(KeyboardInterrupt), record:  # noqa: PT012
        record.write_idx(0, b"record")
        raise KeyboardInterrupt
    forgotten = MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w")
    forgotten.write_idx(0, b"record")
    del forgotten
    for path in ("a.idx", "a.rec"):
        with pytest.raises(FileError, match="no such file"):
            MXRecordIO(f"{memory}/{path}", "r")


def test_a_damaged_record(memory):
    with MXRecordIO(f"{memory}/a.rec", "w") as file:
        file.write(b"record")
    from mxnova.formats.atomic import replacing

    with replacing(f"{memory}/a.rec") as file:
        file.write(bytes(16))
    with pytest.raises(FormatError, match=f"{memory}/a.rec: offset 0"):
        MXRecordIO(f"{memory}/a.rec", "r").read()


def test_a_writer_that_is_never_closed_says_what_is_lost(memory, caplog):
    files = [
        MXRecordIO(f"{memory}/b.rec", "w"),
        MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w"),
    ]
    for file in files:
        file.write(b"content")
    del file, files
    gc.collect()
    said = [record.getMessage() for record in caplog.records]
    lost = "was not closed, so that what was written to it is lost"
    assert sorted(said) == [f"{memory}/{name}.rec: {lost}" for name in "ab"]
    assert names_in(memory) == []


def test_an_index_is_not_sent_without_its_records(memory, monkeypatch):
    file = MXIndexedRecordIO(f"{memory}/a.idx", f"{memory}/a.rec", "w")
    file.write_idx(0, b"content")
    send = writing._send

    def fails(place, content):
        if place.url.endswith(".rec"):
            raise FileError(errno.EIO, "no", place.url)
        send(place, content)

    monkeypatch.setattr(writing, "_send", fails)
    with pytest.raises(FileError, match=r"a\.rec: no"):
        file.close()
    del file
    gc.collect()
    assert names_in(memory) == []
