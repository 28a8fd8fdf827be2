# SPDX-License-Identifier: Apache-2.0
"""Files that go to the disk past the system's cache."""

from __future__ import annotations

import errno
import io
import itertools
import os

import pytest

from mxnova.core.base.errors import FileError
from mxnova.formats import atomic, raw_files
from mxnova.formats.atomic import replacing

BLOCK = 1 << 14
CONTENT = os.urandom(5 * BLOCK + 123)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(atomic, "CHUNK", BLOCK)
    monkeypatch.setattr(raw_files, "_BLOCK", BLOCK)


@pytest.fixture
def writes(monkeypatch):
    """How many bytes each write had, and whether it went past the cache."""
    found = []
    write = io.FileIO.write

    def noted(file, data):
        found.append((len(data), getattr(file, "_is_direct", False)))
        return write(file, data)

    monkeypatch.setattr(raw_files.EagerFile, "_write_now", noted)
    return found


def write(path, pieces=(CONTENT,), size=None):
    with replacing(path, len(CONTENT) if size is None else size, direct=True) as file:
        for piece in pieces:
            file.write(piece)
        assert file.tell() == sum(map(len, pieces))


@pytest.mark.parametrize("cuts", [[], [3], [BLOCK], [BLOCK - 1, BLOCK + 1], [7, 3 * BLOCK]])
def test_the_bytes_are_those_that_were_written(tmp_path, writes, cuts):
    edges = [0, *cuts, len(CONTENT)]
    write(tmp_path / "a", [CONTENT[a:b] for a, b in itertools.pairwise(edges)])
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert [n for n, _ in writes] == [BLOCK] * 5 + [123]


@pytest.mark.parametrize("n", [0, 1, BLOCK, BLOCK + 1])
def test_other_sizes_than_was_told(tmp_path, n):
    write(tmp_path / "a", [CONTENT[:n]])
    assert (tmp_path / "a").read_bytes() == CONTENT[:n]


def test_small_files_go_through_the_cache(tmp_path, writes):
    write(tmp_path / "a", [CONTENT[:10]], size=10)
    assert writes == [(10, False)]
    assert (tmp_path / "a").read_bytes() == CONTENT[:10]


@pytest.mark.parametrize("n_before", [0, 2])
@pytest.mark.parametrize("most", [4096, BLOCK])
def test_a_file_system_that_refuses_gets_them_through_the_cache(
    tmp_path, monkeypatch, n_before, most
):
    left, real = [n_before], io.FileIO.write

    def refusing(file, data):
        if not file._is_direct:
            return real(file, data)
        left[0] -= 1
        if left[0] < 0:
            raise FileError(errno.EINVAL, "refused", "a")
        return real(file, data[:most])

    monkeypatch.setattr(raw_files.EagerFile, "_write_now", refusing)
    write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize("missing", ["fcntl", "O_DIRECT"])
def test_a_system_without_it(tmp_path, monkeypatch, writes, missing):
    if missing == "fcntl":
        monkeypatch.setattr(raw_files, "fcntl", None)
    else:
        monkeypatch.delattr(os, "O_DIRECT", raising=False)
    write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert not any(is_direct for _, is_direct in writes)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no room is made there")
@pytest.mark.parametrize("is_direct", [False, True])
def test_room_is_made_for_what_goes_through_the_cache(tmp_path, monkeypatch, is_direct):
    monkeypatch.setattr(raw_files.DirectFile, "_set_direct", lambda _file, on: on and is_direct)
    with raw_files.DirectFile(str(tmp_path / "a"), "xb") as file:
        assert file.reserve(10) != is_direct
    assert (tmp_path / "a").stat().st_size == (0 if is_direct else 10)


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"old")

    def full(file, _data):
        raise FileError.of(OSError(errno.ENOSPC, "No space left"), file.told)

    monkeypatch.setattr(raw_files.EagerFile, "_write_now", full)
    with pytest.raises(FileError, match="No space left"):
        write(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]
