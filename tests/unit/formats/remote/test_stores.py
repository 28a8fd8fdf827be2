# SPDX-License-Identifier: Apache-2.0
"""What is read from stores and written to them, the same for each.

Google's store is gcp-storage-emulator (``pip install gcsfs gcp-storage-emulator``), S3 is moto,
WebHDFS a server of these tests. MXNOVA_TEST_STORES has URLs of folders in others that run, such as
``abfs://`` for Azurite.
"""

from __future__ import annotations

import contextlib
import gc
import os
import socket
import uuid
import weakref
import zipfile

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MissingFileError
from mxnova.formats.remote.stores import located
from mxnova.recordio import IRHeader, MXIndexedRecordIO, MXRecordIO, RecordDataset, pack_img, unpack

from . import web_hdfs

N = 40
OTHERS = os.environ.get("MXNOVA_TEST_STORES", "").split()


@contextlib.contextmanager
def google(monkeypatch):
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")  # asks Google by gRPC
    gcsfs = pytest.importorskip("gcsfs")
    emulator = pytest.importorskip("gcp_storage_emulator.server")
    fsspec = pytest.importorskip("fsspec")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
    server = emulator.create_server("127.0.0.1", port, in_memory=True, default_bucket="bucket")
    server.start()
    gcsfs.GCSFileSystem.clear_instance_cache()
    try:
        yield f"gs://bucket/{uuid.uuid4().hex}"
    finally:
        gcsfs.GCSFileSystem.clear_instance_cache()
        server.stop()


@contextlib.contextmanager
def amazon(monkeypatch):
    s3fs, moto = pytest.importorskip("s3fs"), pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://{}:{}".format(*server.get_host_and_port()))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    s3fs.S3FileSystem.clear_instance_cache()
    try:
        s3fs.S3FileSystem().mkdir("bucket")
        yield "s3://bucket/folder"
    finally:
        s3fs.S3FileSystem.clear_instance_cache()
        server.stop()


SERVERS = {"gs": google, "s3": amazon}
STARTED = [pytest.param(name, marks=pytest.mark.slow) for name in SERVERS]


@pytest.fixture(params=["memory", "http", "webhdfs", *STARTED, *OTHERS])
def folders(request, monkeypatch, tmp_path):
    """Where to write, and where the same is read."""
    if request.param == "memory":
        yield (request.getfixturevalue("memory"),) * 2
    elif request.param == "http":  # which takes no files
        yield str(tmp_path), request.getfixturevalue("serve")().url
    elif request.param == "webhdfs":
        pytest.importorskip("requests")
        server = request.getfixturevalue("serve")(handler=web_hdfs.Handler)
        yield ("webhdfs://{}:{}/folder".format(*server.server_address),) * 2
    elif request.param in SERVERS:
        with SERVERS[request.param](monkeypatch) as url:
            yield url, url
    else:
        yield (f"{request.param.rstrip('/')}/{uuid.uuid4().hex}",) * 2


@pytest.mark.filterwarnings("ignore")  # of the packages of stores
def test_all_that_is_read_and_written(folders):
    target, source = folders
    arrays_and_networks(target, source)
    checkpoints(target, source)
    records(target, source)
    with pytest.raises(MissingFileError):
        mx.nd.load(f"{source}/none.params")


def arrays_and_networks(target, source):
    values = mx.nd.arange(12).reshape((3, 4))
    for factor in (1, 2):  # the second takes the place of the first
        mx.nd.save(f"{target}/a.params", {"w": factor * values})
    assert (mx.nd.load(f"{source}/a.params")["w"] == 2 * values).asnumpy().all()
    mx.sym.Activation(mx.sym.var("x"), act_type="relu", name="last").save(f"{target}/a.json")
    assert mx.sym.load(f"{source}/a.json").list_outputs() == ["last_output"]


def checkpoints(target, source):
    for step in (1, 2):
        arrays = {"w": mx.nd.full((3,), step)}
        saving = mx.checkpoint.save(f"{target}/run", step, arrays, keep=1, wait=True)
    assert mx.checkpoint.steps(f"{target}/run") == [2]
    path = saving.wait().replace(target, source)
    loaded = {"w": mx.nd.zeros((3,))}
    assert mx.checkpoint.load(path, loaded).step == 2
    assert loaded["w"].asnumpy().tolist() == [2, 2, 2]


def records(target, source):
    draw = np.random.default_rng(0)
    images = draw.integers(0, 256, (N, 8, 8, 3), np.uint8)
    with MXIndexedRecordIO(f"{target}/a.idx", f"{target}/a.rec", "w") as file:
        for i, image in enumerate(images):
            file.write_idx(i, pack_img(IRHeader(0, i, i, 0), image, img_fmt=".png"))
    with MXRecordIO(f"{source}/a.rec", "r") as file:
        assert [unpack(record)[0].id for record in iter(file.read, None)] == list(range(N))
    with MXIndexedRecordIO(f"{source}/a.idx", f"{source}/a.rec", "r") as file:
        assert [unpack(file.read_idx(i))[0].id for i in (30, 2)] == [30, 2]
    for order in ({"shuffle": False}, {}, {"block_size": 8, "window": 2}):
        dataset = RecordDataset(f"{source}/a.rec", decode="image")
        found = [element for batch in dataset.batches(7, **order) for element in batch]
        assert sorted(header.id for header, _ in found) == list(range(N))
        assert all((pixels[..., ::-1] == images[header.id]).all() for header, pixels in found)
    batches = mx.io.ImageRecordIter(
        path_imgrec=f"{source}/a.rec", data_shape=(3, 8, 8), batch_size=10
    )
    labels = [label for batch in batches for label in batch.label[0].asnumpy().tolist()]
    assert labels == list(range(N))


def test_file_systems_that_fsspec_does_not_keep_are_let_go(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", b"content")
    place = located(f"zip://a::{tmp_path}/a.zip")
    assert place.info()["size"] == 7
    files = weakref.ref(place.files)
    del place
    gc.collect()
    assert files() is None
