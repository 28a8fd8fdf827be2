# SPDX-License-Identifier: Apache-2.0
"""Stores for tests of remote files."""

import os
import threading
import uuid

import pytest

from benchmarks.object_store import ObjectStore


@pytest.fixture
def memory():
    """The URL of a folder in a store that is in memory."""
    fsspec = pytest.importorskip("fsspec")
    folder = f"memory://{uuid.uuid4().hex}"
    yield folder
    files = fsspec.filesystem("memory")
    if files.exists(folder):
        files.rm(folder, recursive=True)


@pytest.fixture
def serve(tmp_path):
    """Starts servers of HTTP for the files in `tmp_path`."""
    pytest.importorskip("aiohttp")
    servers = []

    def start(**options):
        server = ObjectStore(tmp_path, **options)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        return server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def settings(monkeypatch):
    """Sets variables of remote files by the ends of their names."""

    def change(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"MXNOVA_REMOTE_{name.upper()}", str(value))

    change(retries=2, timeout=60)
    monkeypatch.setattr("mxnova.formats.remote.failures._FIRST_PAUSE", 0.001)
    return change


@pytest.fixture
def shared_memory(monkeypatch):
    """Gives the names of copies in shared memory that processes of this test have left.

    They have names of their own: other processes leave copies meanwhile, too.
    """
    memfd = pytest.importorskip("mxnova.core.runtime.memfd", exc_type=ImportError)
    prefix = f"mxnovatest-{uuid.uuid4().hex}-"
    monkeypatch.setattr(memfd, "_PREFIX", prefix)  # forks inherit it

    def names():
        return {name for name in os.listdir("/dev/shm") if name.startswith(prefix)}

    names.prefix = prefix
    return names
