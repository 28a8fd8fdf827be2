# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in stores, which have neither renamed folders nor empty ones."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mxnova as mx
from mxnova import checkpoint
from mxnova.checkpoint import commit
from mxnova.core.base.errors import FileError, MissingFileError, MXNetError
from mxnova.formats.source import read_file

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def folder(memory):
    return f"{memory}/run"


def save(folder, step, rank=0, world=1, value=None, **options):
    arrays = {"w": mx.nd.full((300_000, 2), step if value is None else value)}
    options = {"random": False, "wait": True, "timeout": 20, **options}
    return checkpoint.save(folder, step, arrays, rank=rank, world=world, **options)


def value(folder, step=None):
    found = checkpoint.read(folder, step).parameters()["w"].asnumpy()
    assert (found == found[0, 0]).all()
    return found[0, 0]


def test_a_run(folder):
    for step in (10, 20, 30):
        save(folder, step, keep=2)
    assert checkpoint.steps(folder) == [20, 30]
    assert value(folder) == 30 and value(folder, 20) == 20
    save(folder, 30, value=5, keep=2)
    assert checkpoint.steps(folder) == [20, 30] and value(folder) == 5
    assert len(fsspec.filesystem("memory").ls(folder)) == 2  # the first one of step 30 has gone
    target = {"w": mx.nd.zeros((300_000, 2))}
    checkpoint.load(f"{folder}/", target)
    assert (target["w"].asnumpy() == 5).all()


@pytest.mark.parametrize("world", [2, 3])
def test_several_workers(folder, world):
    threads = [
        threading.Thread(target=save, args=(folder, 7, rank, world)) for rank in range(world)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert checkpoint.steps(folder) == [7] and value(folder) == 7
    names = [name.rsplit("/")[-1] for name in fsspec.filesystem("memory").find(folder)]
    assert len(names) == world + 1, names


def test_only_the_bytes_that_are_needed_are_read(folder, monkeypatch):
    from mxnova.formats import shards
    from mxnova.formats.remote import objects

    monkeypatch.setenv("MXNOVA_REMOTE_REQUEST_SIZE", str(1 << 16))
    save(folder, 1)
    path = checkpoint.read(folder).path
    asked = []
    fetch = objects._StoreObject.fetch

    def noted(self, start, end):
        asked.append(end - start)
        return fetch(self, start, end)

    monkeypatch.setattr(objects._StoreObject, "fetch", noted)
    found = shards.read(path, check_hashes=False).read("w", (100_000, 0), (10, 2))
    assert (found == np.ones((10, 2))).all()
    assert sum(asked) < 1 << 18


@pytest.mark.parametrize("failing", range(3))
def test_a_save_that_fails_leaves_the_one_before(folder, monkeypatch, failing):
    monkeypatch.setenv("MXNOVA_REMOTE_RETRIES", "0")
    save(folder, 1, keep=1)
    files = type(fsspec.filesystem("memory"))
    put, n = files.pipe_file, iter(range(10))

    def fail(self, *args, **options):
        if next(n) == failing:
            raise ConnectionResetError
        put(self, *args, **options)

    monkeypatch.setattr(files, "pipe_file", fail)
    if failing < 2:  # the pieces, the index
        with pytest.raises(FileError):
            save(folder, 2, keep=1)
        assert checkpoint.steps(folder) == [1] and value(folder) == 1
        assert len(fsspec.filesystem("memory").ls(folder)) == 1
    monkeypatch.undo()
    save(folder, 2, keep=1)
    assert checkpoint.steps(folder) == [2] and value(folder) == 2


def test_a_folder_is_not_used_twice(folder, monkeypatch):
    save(folder, 1)
    first = checkpoint.read(folder).path
    fsspec.filesystem("memory").rm(folder, recursive=True)
    with pytest.raises(MissingFileError):
        checkpoint.read(folder)

    later = time.time() + 1
    monkeypatch.setattr("mxnova.formats.paths.time.time", lambda: later)
    save(folder, 1)
    assert checkpoint.read(folder).path != first


def test_an_attempt_in_the_same_second_has_another_folder(folder, monkeypatch):
    monkeypatch.setattr("mxnova.formats.paths.time.time", lambda: 1_800_000_000.5)
    names = []
    for _ in range(2):
        with pytest.raises(MXNetError, match="within"):
            save(folder, 1, world=2, timeout=0)
        names.append(json.loads(read_file(f"{folder}/saving.json"))["folder"])
    assert names == ["step-00000001.100000000", "step-00000001.100000001"]


@pytest.mark.parametrize("text", [b"{", b""])
def test_what_is_replaced_while_it_is_read_is_not_there_yet(folder, text, monkeypatch):
    fsspec.filesystem("memory").pipe_file(f"{folder}/a.json", text)
    assert commit._read_json(f"{folder}/a.json") is None

    def changed(path):
        raise FileError(errno.EINVAL, "the file has changed since it was opened", path)

    monkeypatch.setattr(commit, "read_file", changed)
    assert commit._read_json(f"{folder}/a.json") is None


def test_a_damaged_piece(folder):
    save(folder, 1)
    files = fsspec.filesystem("memory")
    (name,) = [name for name in files.find(folder) if "shard" in name]
    content = bytearray(files.cat_file(name))
    content[-1] ^= 1
    files.pipe_file(name, bytes(content))
    with pytest.raises(MXNetError, match="another hash"):
        value(folder)


def test_a_checkpoint_of_a_server(serve, tmp_path):
    save(str(tmp_path), 3)
    url = f"{serve().url}/step-00000003"
    assert value(url) == 3
    with pytest.raises(FileError, match="no folders"):
        checkpoint.read(url, 3)


def test_no_checkpoints(folder):
    assert checkpoint.steps(folder) == []
    with pytest.raises(MissingFileError, match=f"{folder}: there is no checkpoint"):
        checkpoint.load(folder)


_LAST_LINE = """
import fsspec, time
import mxnova as mx
files = fsspec.filesystem("memory")
write = type(files).pipe_file
def slow(*args, **options):
    time.sleep(0.3)
    return write(*args, **options)
type(files).pipe_file = slow
import atexit
atexit.register(lambda: print(*files.find("/run")))
mx.checkpoint.save("memory://run", 3, {"w": mx.nd.ones(4)}, random=False)
"""


@pytest.mark.slow
def test_the_end_of_the_program_waits_while_requests_can_be_sent():
    path = os.pathsep.join(p for p in sys.path if p)
    command = [sys.executable, "-c", _LAST_LINE]
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "model.safetensors.index.json" in done.stdout, done.stderr
