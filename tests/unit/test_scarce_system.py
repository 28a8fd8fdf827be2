# SPDX-License-Identifier: Apache-2.0
"""Folders that may only be read, no file that can be opened, writers that are killed or are two."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import FileError
from tests.waiting import wait_until

resource = pytest.importorskip("resource", reason="limits, users and signals of Unix")
ENV = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    "OMP_NUM_THREADS": "1",
}


def started(code, *args, **options):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, args)], env=ENV, **options)


READ_ONLY = """
import os, sys
from pathlib import Path
import mxnova as mx
from mxnova.cli import environment
from mxnova.core.base.errors import FileError

scratch, folder = sys.argv[1:]
x = mx.nd.ones((3,))
CALLS = {
    "arrays": lambda folder: mx.nd.save(folder + "/new", x),
    "an old file": lambda folder: mx.nd.save(folder + "/old", x),
    "symbol": lambda folder: mx.sym.var("x").save(folder + "/s.json"),
    "checkpoint": lambda folder: mx.model.save_checkpoint(folder + "/n", 0, mx.sym.var("x"), {}, {}),
    "records": lambda folder: mx.recordio.MXRecordIO(folder + "/r.rec", "w").close(),
    "alias": lambda folder: environment.install(Path(folder)),
}
for call in CALLS.values():
    call(scratch)  # imports what it needs, which another user may not read
if os.getuid() == 0:  # who may write everywhere
    os.setgid(65534)
    os.setuid(65534)
if not os.access(folder, os.R_OK | os.X_OK):
    sys.exit(77)
for name, call in CALLS.items():
    try:
        call(folder)
    except OSError as error:
        assert isinstance(error, FileError) or name == "alias", (name, error)
        assert str(error.filename).startswith(folder), (name, error.filename)
        assert "denied" in str(error).lower(), (name, error)
    else:
        raise AssertionError(name)
"""


@pytest.fixture
def read_only():
    """A folder with one file, in which nobody may write but root."""
    with tempfile.TemporaryDirectory() as outer:
        folder = Path(outer, "folder")
        folder.mkdir()
        (folder / "old").write_bytes(b"old")
        (folder / "old").chmod(0o444)
        Path(outer).chmod(0o755)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_folders_that_may_only_be_read(read_only, tmp_path):
    child = started(READ_ONLY, tmp_path, read_only, stderr=subprocess.PIPE, text=True)
    _, error = child.communicate()
    if child.returncode == 77:
        pytest.skip("another user cannot look into temporary folders")
    assert child.returncode == 0, error
    assert [p.name for p in read_only.iterdir()] == ["old"]
    assert (read_only / "old").read_bytes() == b"old"


CALLS = {
    "save": lambda folder: mx.nd.save(str(folder / "new"), mx.nd.ones((3,))),
    "load": lambda folder: mx.nd.load(str(folder / "old")),
    "symbol": lambda folder: mx.sym.load(str(folder / "s.json")),
    "records": lambda folder: mx.recordio.MXRecordIO(str(folder / "r.rec"), "w"),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_file_can_be_opened(name, tmp_path):
    mx.nd.save(str(tmp_path / "old"), mx.nd.ones((3,)))
    mx.sym.var("x").save(str(tmp_path / "s.json"))
    CALLS[name](tmp_path)  # imports what it needs
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        with pytest.raises(FileError, match="Too many open files") as error:
            CALLS[name](tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert str(error.value.filename).startswith(str(tmp_path))
    CALLS[name](tmp_path)


WRITER = """
import sys
import mxnova as mx
number, path = int(sys.argv[1]), sys.argv[2]
array = mx.nd.full((200_000,), number)
print("ready", flush=True)
while True:
    mx.nd.save(path, {"a": array})
"""


def test_two_writers_that_are_killed_leave_a_whole_file(tmp_path):
    path = tmp_path / "a.params"
    writers = [started(WRITER, i, path, stdout=subprocess.PIPE) for i in (1, 2)]
    try:
        for writer in writers:
            assert writer.stdout.readline() == b"ready\n"
        seen = set()

        def has_seen_both():
            if path.exists():
                (value,) = np.unique(mx.nd.load(str(path))["a"].asnumpy())
                seen.add(value)
            return seen == {1, 2}

        wait_until(has_seen_both)
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    (value,) = np.unique(mx.nd.load(str(path))["a"].asnumpy())
    assert value in (1, 2)
    mx.nd.save(str(path), mx.nd.ones((1,)))  # removes what those who were killed left
    assert [p.name for p in tmp_path.iterdir()] == ["a.params"]
