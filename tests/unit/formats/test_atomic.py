# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mxnova.core.base.errors import DirectoryError, FileError, MissingFileError
from mxnova.formats import raw_files, temporary
from mxnova.formats.atomic import replacing

fcntl = temporary.fcntl
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


def test_an_empty_file_is_filled_where_it_is(tmp_path):
    path = tmp_path / "file"
    with open(path, "w+b") as held:
        with replacing(path) as file:
            file.write(b"new")
        assert held.read() == b"new"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_the_block_leaves_an_empty_file_empty(tmp_path, error):
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(error), replacing(path) as file:  # noqa: PT012 - the block is the matter
        file.write(bytes(1_000_000))
        raise error
    assert path.read_bytes() == b""
    with replacing(path) as file:
        file.write(b"again")
    assert path.read_bytes() == b"again"


def test_large_content_in_many_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(raw_files, "CHUNK", 1000)
    content = os.urandom(500_000)
    with replacing(tmp_path / "file") as file:
        file.write(content[:10])
        file.write(memoryview(content)[10:400_000])
        file.write(content[400_000:])
    assert (tmp_path / "file").read_bytes() == content


LARGE = 3 * raw_files.CHUNK


@pytest.mark.parametrize("error", [None, errno.EOPNOTSUPP])
def test_room_that_was_asked_for_and_not_used_is_given_back(tmp_path, monkeypatch, error):
    if error is not None:
        monkeypatch.setattr(os, "posix_fallocate", failing(error), raising=False)
    path = tmp_path / "file"
    with replacing(path, LARGE) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


def test_a_disk_without_room_is_known_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "posix_fallocate", failing(errno.ENOSPC), raising=False)
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(FileError, match="No space"), replacing(path, LARGE):
        raise AssertionError("the block must not begin")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def failing(code):
    def fail(*arguments):
        raise OSError(code, os.strerror(code))

    return fail


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
def test_a_pipe_and_a_device_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "is a pipe"), ("/dev/null", "is a device")):
        with pytest.raises(FileError, match=f"{path}: {kind}, not a regular file"), replacing(path):
            pass
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *args: False)  # root may write anything
    with pytest.raises(PermissionError, match="file"), replacing(path):
        pass
    assert path.read_bytes() == b"old"


def test_folders_missing_folders_and_impossible_names(tmp_path):
    with pytest.raises(MissingFileError), replacing(tmp_path / "missing" / "file"):
        pass
    with pytest.raises(DirectoryError, match=tmp_path.name), replacing(tmp_path):
        pass
    for name in ("a\0b", "a\ud800b"):
        with pytest.raises(FileError, match="a"), replacing(tmp_path / name):
            pass
    assert os.listdir(tmp_path) == []


# Savers that are killed, and savers beside each other ---------------------------------------------

SAVE_AND_WAIT = """
import sys
from mxnova.formats.atomic import replacing
with replacing(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


def saver(path):
    """A process that has written a part and waits to be killed, or to be told to finish."""
    command = [sys.executable, "-c", SAVE_AND_WAIT, str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline().strip() == b"ready"
    return process


def save(path):
    with replacing(path) as file:
        file.write(b"whole")


@posix
def test_what_a_killed_saver_left_is_removed_by_the_next(tmp_path):
    killed = [saver(tmp_path / name) for name in "ab"]
    for process in killed:
        process.kill()
        process.communicate()
    assert len(os.listdir(tmp_path)) == 2
    save(tmp_path / "c")
    assert os.listdir(tmp_path) == ["c"]


@posix
def test_the_file_of_a_saver_that_lives_is_left_to_it(tmp_path):
    other = saver(tmp_path / "a")
    save(tmp_path / "b")
    with replacing(tmp_path / "c") as file:
        file.write(b"of this process")
        save(tmp_path / "d")
    other.communicate()
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c", "d"]
    assert (tmp_path / "a").read_bytes() == b"half"


def test_savers_at_once_do_not_disturb_each_other(tmp_path):
    def work(number):
        for _ in range(50):
            save(tmp_path / str(number % 2))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert sorted(os.listdir(tmp_path)) == ["0", "1"]


@posix
def test_a_saver_whose_file_was_taken_for_abandoned_begins_another(tmp_path, monkeypatch):
    lock, taken = fcntl.flock, []

    def unlink_first(file, how):
        if not taken:
            taken.extend(os.listdir(tmp_path))
            os.unlink(tmp_path / taken[0])
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", unlink_first)
    save(tmp_path / "a")
    assert len(taken) == 1
    assert os.listdir(tmp_path) == ["a"]


@posix
def test_where_files_cannot_be_locked_saving_works_and_removes_nothing(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    left = ".mxnova-0123456789abcdef.tmp"
    (tmp_path / left).touch()
    monkeypatch.setattr(fcntl, "flock", refuse)
    save(tmp_path / "a")
    assert sorted(os.listdir(tmp_path)) == [left, "a"]


def test_only_names_of_ours_are_removed(tmp_path):
    names = [
        ".mxnova-1.tmp",
        ".mxnova-0123456789abcdef.tmpx",
        "x.tmp",
        ".mxnova-0123456789ABCDEF.tmp",
    ]
    for name in names:
        (tmp_path / name).touch()
    os.mkdir(tmp_path / ".mxnova-0123456789abcdef.tmp")
    save(tmp_path / "a")
    assert len(os.listdir(tmp_path)) == 6
