# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import stat
import sys
import threading

import pytest

from mxnova.formats import atomic
from mxnova.formats.atomic import replacing

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions, links and pipes")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_the_new_content_appears_at_the_end(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_the_block_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(path) as file:  # noqa: PT012 - the block is the matter
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_an_error_of_the_disk_leaves_the_old_file(tmp_path, monkeypatch, call):
    def fail(*args):
        raise OSError("disk")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="disk"), replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_content_is_on_the_disk_before_it_has_the_name(tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (calls.append(os.fstat(fd).st_size), fsync(fd)))
    monkeypatch.setattr(os, "replace", lambda *args: (calls.append("replace"), replace(*args)))
    with replacing(tmp_path / "file") as file:
        file.write(b"12345")
    assert calls == [5, "replace"]


def test_large_content_in_many_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "_CHUNK", 1000)
    content = os.urandom(500_000)
    with replacing(tmp_path / "file") as file:
        file.write(content[:10])
        file.write(memoryview(content)[10:400_000])
        file.write(content[400_000:])
    assert (tmp_path / "file").read_bytes() == content


@posix
def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_mode(tmp_path):
    path = tmp_path / "file"
    before = os.umask(0o027)
    try:
        with replacing(path) as file:
            file.write(b"1")
        assert mode_of(path) == 0o640
        path.chmod(0o600)
        with replacing(path) as file:
            file.write(b"2")
        assert mode_of(path) == 0o600
    finally:
        os.umask(before)


@posix
def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix
def test_a_pipe_is_written_in_place(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    received = []
    reader = threading.Thread(target=lambda: received.append(path.read_bytes()))
    reader.start()
    with replacing(path) as file:
        file.write(b"through")
    reader.join()
    assert received == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may write anything
    with pytest.raises(PermissionError, match="file"), replacing(path):
        pass
    assert path.read_bytes() == b"old"


def test_folders_and_missing_folders(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "missing" / "file"):
        pass
    with pytest.raises(OSError, match=tmp_path.name), replacing(tmp_path):
        pass
