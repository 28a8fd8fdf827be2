# SPDX-License-Identifier: Apache-2.0
"""S3, as moto knows it: pip install s3fs 'moto[s3,server]'."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid

import numpy as np
import pytest

import mxnova as mx
from mxnova import checkpoint
from mxnova.core.base.errors import FileError, MissingFileError
from mxnova.formats.remote import objects
from mxnova.recordio import IRHeader, MXIndexedRecordIO, MXRecordIO, RecordDataset, pack, unpack

s3fs = pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def endpoint():
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(endpoint, monkeypatch, settings):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    name = uuid.uuid4().hex
    s3fs.S3FileSystem().mkdir(name)
    yield f"s3://{name}"
    s3fs.S3FileSystem.clear_instance_cache()


def test_arrays_that_are_sent_at_once_and_in_parts(bucket):
    for n in (3, 20_000_000):
        values = mx.nd.arange(n)
        mx.nd.save(f"{bucket}/a.params", [values])
        assert (mx.nd.load(f"{bucket}/a.params")[0].asnumpy() == values.asnumpy()).all()


def test_checkpoints_of_two_workers(bucket):
    def save(rank, step):
        arrays = {"w": mx.nd.full((300_000, 2), step)}
        options = {"rank": rank, "world": 2, "keep": 2, "timeout": 30}
        checkpoint.save(f"{bucket}/run", step, arrays, random=False, wait=True, **options)

    for step in (1, 2, 3):
        threads = [threading.Thread(target=save, args=(rank, step)) for rank in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert checkpoint.steps(f"{bucket}/run") == [2, 3]
    assert (checkpoint.read(f"{bucket}/run").parameters()["w"].asnumpy() == 3).all()


def test_records(bucket):
    with MXIndexedRecordIO(f"{bucket}/a.idx", f"{bucket}/a.rec", "w") as file:
        for i in range(500):
            file.write_idx(i, pack(IRHeader(0, i, i, 0), bytes(3000)))
    data = RecordDataset(f"{bucket}/a.rec")
    for order in ({"shuffle": False}, {}, {"block_size": 64}):
        found = [unpack(record)[0].id for batch in data.batches(32, **order) for record in batch]
        assert sorted(found) == list(range(500))


def test_a_file_that_is_replaced_while_it_is_read(bucket, monkeypatch):
    monkeypatch.setenv("MXNOVA_REMOTE_READ_AHEAD", "0")
    monkeypatch.setattr(objects, "_CHECKED_S", 1e9)  # S3 is asked for the version that was opened
    write_random_records(f"{bucket}/a.rec")
    found = MXRecordIO(f"{bucket}/a.rec", "r")
    found.read()
    write_random_records(f"{bucket}/a.rec")
    with pytest.raises(FileError, match="no longer exists"):
        all(iter(found.read, None))


def write_random_records(url):
    with MXRecordIO(url, "w") as file:
        for _ in range(200):
            file.write(os.urandom(1000))


def test_what_is_not_there(bucket):
    for url in (f"{bucket}/none", "s3://no-such-bucket-at-all/a"):
        with pytest.raises(MissingFileError):
            mx.nd.load(url)
        if "no-such" in url:
            with pytest.raises(FileError):
                mx.nd.save(url, [mx.nd.ones((1,))])


def test_a_writer_that_is_killed(bucket):
    mx.nd.save(f"{bucket}/a.params", [mx.nd.ones((3,))])
    program = f"""
import os
import s3fs
import mxnova as mx
send, n = s3fs.core.S3File._upload_chunk, iter(range(9))
def killed(self, final=False):
    if next(n) == 2:
        os.kill(os.getpid(), 9)
    return send(self, final)
s3fs.core.S3File._upload_chunk = killed
mx.nd.save("{bucket}/a.params", [mx.nd.zeros((40_000_000,))])
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == -9
    np.testing.assert_array_equal(mx.nd.load(f"{bucket}/a.params")[0].asnumpy(), [1, 1, 1])
