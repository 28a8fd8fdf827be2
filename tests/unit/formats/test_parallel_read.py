# SPDX-License-Identifier: Apache-2.0
"""Large files that several threads read."""

import io
import threading

import pytest

from mxnova.formats import parallel_read
from mxnova.formats.parallel_read import read_into

CONTENT = bytes(range(256)) * 10


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    """Names of the threads that read, of so many cores."""
    names = set()
    fill = parallel_read._fill

    def noted(*args):
        names.add(threading.current_thread().name)
        return fill(*args)

    monkeypatch.setattr(parallel_read, "_SHARE", 100)
    monkeypatch.setattr(parallel_read, "usable_cores", lambda: request.param)
    monkeypatch.setattr(parallel_read, "_fill", noted)
    return names


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "content"
    path.write_bytes(CONTENT)
    with open(path, "rb") as opened:
        yield opened


@pytest.mark.parametrize("start, n", [(0, 2560), (7, 1000), (7, 99), (2000, 1000), (2560, 500)])
def test_bytes_are_those_that_one_read_gives(threads, file, start, n):
    file.seek(start)
    memory = bytearray(n)
    n_read = read_into(file, memoryview(memory))
    expected = CONTENT[start : start + n]
    assert n_read == len(expected)
    assert bytes(memory[:n_read]) == expected
    assert file.tell() == start + n_read


def test_large_files_are_shared_out(threads, file, request):
    read_into(file, memoryview(bytearray(2560)))
    assert all(name.startswith("mxnova-read") for name in threads)
    assert bool(threads) == ("[3]" in request.node.name)


def test_one_thread_reads_where_no_other_begins(threads, file, monkeypatch):
    def begin(_thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", begin)
    file.seek(7)
    memory = bytearray(1000)
    assert read_into(file, memoryview(memory)) == 1000
    assert bytes(memory) == CONTENT[7:1007]
    assert not threads


def test_what_is_no_file_of_the_system_is_read_at_once(threads):
    memory = bytearray(2560)
    assert read_into(io.BytesIO(CONTENT), memoryview(memory)) == 2560
    assert bytes(memory) == CONTENT
    assert not threads
