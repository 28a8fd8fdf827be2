# SPDX-License-Identifier: Apache-2.0
"""Slices of remote files: what is asked for, read ahead, and kept."""

from __future__ import annotations

import os
import pickle
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from mxnova.core.base.errors import FileError
from mxnova.formats.atomic import replacing
from mxnova.formats.remote import objects, ranges
from mxnova.formats.remote.ranges import RemoteFile
from mxnova.formats.remote.spans import GRAIN

CONTENT = random.Random(0).randbytes(20 * GRAIN + 100)
REQUEST = 4 * GRAIN


@pytest.fixture
def opened(memory, settings):
    """Opens a file of `CONTENT`, whose requests are noted."""
    with replacing(f"{memory}/a") as file:
        file.write(CONTENT)

    def start(**values):
        settings(**{"request_size": REQUEST, "cache": 1 << 20, **values})
        found = RemoteFile(f"{memory}/a")
        found.asked = []
        fetch = found._object.fetch

        def noted(start, end):
            found.asked.append((start, end))
            return fetch(start, end)

        found._object.fetch = noted
        return found

    return start


def settled(file):
    def is_busy():
        with file._requests.lock:
            return file._requests.under_way

    while is_busy():
        time.sleep(0.001)
    return sorted(file.asked)


def test_a_random_read_asks_for_little(opened):
    file = opened()
    assert file[10 * GRAIN + 5 : 10 * GRAIN + 9] == CONTENT[10 * GRAIN + 5 : 10 * GRAIN + 9]
    assert file[10 * GRAIN + 9 : 10 * GRAIN + 900] == CONTENT[10 * GRAIN + 9 : 10 * GRAIN + 900]
    assert settled(file) == [(10 * GRAIN, 11 * GRAIN)]


def test_a_reader_that_goes_forward_is_read_ahead_of(opened):
    file = opened(read_ahead=2 * REQUEST, cache=6 * REQUEST)
    for i in range(6):
        file[10 * i : 10 * i + 8]
    asked = settled(file)
    assert asked[0] == (0, GRAIN)
    assert asked[-1][1] >= 2 * REQUEST
    assert max(end - start for start, end in asked) == REQUEST


def test_without_reading_ahead_a_reader_that_goes_forward_makes_large_requests(opened):
    file = opened(read_ahead=0)
    assert b"".join(file[i : i + 1000] for i in range(0, len(CONTENT), 1000)) == CONTENT
    assert len(settled(file)) <= 7


def test_what_is_expected_is_asked_for_once(opened):
    file = opened()
    file.expect(GRAIN, 2 * GRAIN)
    file.expect(2 * GRAIN, 3 * GRAIN)
    file.expect(0, 8 * GRAIN)
    assert file[: 8 * GRAIN] == CONTENT[: 8 * GRAIN]
    asked = settled(file)
    assert sum(end - start for start, end in asked) == 8 * GRAIN


@pytest.mark.parametrize("start", [-5, 0, 10**9])
def test_expectations_beyond_the_file(opened, start):
    file = opened()
    file.expect(start, 10**12)
    assert file[-100:] == CONTENT[-100:]


def test_memory_is_bounded(opened):
    file = opened(cache=1 << 20)
    file.expect(0, len(CONTENT))
    settled(file)
    assert file.spans.unused <= (1 << 19) + 32 * REQUEST
    for i in range(0, len(CONTENT), 777):
        assert file[i : i + 777] == CONTENT[i : i + 777]
        assert file.spans.kept <= 1 << 20
    settled(file)
    assert file.spans.kept == sum(s.memory for s in file.spans._spans.values()) <= 1 << 20
    assert file.spans.unused == sum(len(s) for s in file.spans._spans.values() if not s.is_used)


def test_random_slices_of_many_threads(opened):
    file, failed = opened(requests=4), []

    def read(seed):
        numbers = random.Random(seed)
        for _ in range(150):
            start = numbers.randrange(len(CONTENT))
            end = start + numbers.choice([8, 1000, 3 * GRAIN])
            if numbers.random() < 0.3:
                file.expect(start, end)
            elif numbers.random() < 0.3:
                file.ask(start, end)
            if file[start:end] != CONTENT[start:end]:
                failed.append((start, end))

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settled(file)
    assert not failed
    assert file.spans.kept == sum(s.memory for s in file.spans._spans.values())


def is_lock_free(file):
    """Whether another thread gets the lock, as fsspec's loop must, for which stores wait."""
    got = []

    def take():
        if file._requests.lock.acquire(timeout=5):
            file._requests.lock.release()
            got.append(True)

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    return bool(got)


def test_a_file_is_opened_without_the_lock(opened, monkeypatch):
    file, free = opened(read_ahead=2 * REQUEST, cache=6 * REQUEST), []
    own, start = file._require_own, ranges.opened

    def noted(*args):
        free.append(is_lock_free(file))
        return start(*args)

    def closed_at_once():  # as by another thread
        own()
        file.close()

    monkeypatch.setattr(ranges, "opened", noted)
    for i in range(9):
        assert file[10 * i : 10 * i + 8] == CONTENT[10 * i : 10 * i + 8]
        if i == 6:  # the file is read ahead of
            monkeypatch.setattr(file, "_require_own", closed_at_once)
    assert free == [True]


def test_a_file_that_is_closed_while_threads_read_it(serve, tmp_path, settings):
    (tmp_path / "a").write_bytes(CONTENT)
    settings(request_size=GRAIN)
    file, is_over, failed = RemoteFile(f"{serve().url}/a"), threading.Event(), []

    def read():
        while not is_over.is_set():
            for start in range(0, len(CONTENT), 5000):
                if file[start : start + 5000] != CONTENT[start : start + 5000]:
                    failed.append(start)

    threads = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        time.sleep(0.002)
        file.close()
    is_over.set()
    for thread in threads:
        thread.join(60)
    assert not failed and not any(thread.is_alive() for thread in threads)


def test_a_file_that_has_changed_stays_refused(opened, memory):
    file = opened()
    file.close()
    with replacing(f"{memory}/a") as other:
        other.write(CONTENT[:-1])
    for _ in range(2):
        with pytest.raises(FileError, match="has changed"):
            file[:10]


@pytest.mark.parametrize("fails", [False, True])
def test_what_no_thread_can_be_started_for_is_read_without_the_lock(opened, monkeypatch, fails):
    def none(*_args):
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")

    def fetch(start, end):
        free.append(is_lock_free(file))
        if fails:
            raise PermissionError
        return CONTENT[start:end]

    file, free = opened(), []
    file._object.fetch = fetch
    monkeypatch.setattr(ThreadPoolExecutor, "submit", none)
    if fails:
        with pytest.raises(FileError):
            file[:10]
    else:
        assert file[:10] == file[:10] == CONTENT[:10]
    assert free == [True]


@pytest.mark.parametrize("length", [100, GRAIN // 2 - 1, GRAIN // 2, GRAIN + 4000])
def test_small_records_share_requests_and_large_ones_get_their_bytes(opened, length):
    file = opened(cache=64 << 20)
    starts = list(range(0, len(CONTENT) - length, length))
    random.Random(1).shuffle(starts)
    for i, start in enumerate(starts):
        (file.expect if i % 2 else file.ask)(start, start + length)
        assert file[start : start + length] == CONTENT[start : start + length]
    asked = settled(file)
    assert len(asked) <= 2 * len(CONTENT) // GRAIN + 1
    if length >= GRAIN // 2:
        assert sum(end - start for start, end in asked) == length * len(starts)


@pytest.mark.parametrize("early", [None, "ask", "expect"])
def test_a_failed_request_is_not_kept(opened, early):
    file = opened(retries=0)
    fetch, failures = file._object.fetch, [ConnectionResetError()]

    def flaky(start, end):
        if failures:
            raise failures.pop()
        return fetch(start, end)

    file._object.fetch = flaky
    if early is not None:
        getattr(file, early)(0, 10)
        settled(file)
    with pytest.raises(FileError):
        file[:10]
    assert file[:10] == CONTENT[:10]


def test_a_store_that_sends_too_little(opened, settings):
    file = opened()
    file._object._fetch = lambda start, end: CONTENT[start : end - 1]
    with pytest.raises(FileError, match=r"sent 65535 bytes of 65536 \(3 attempts\)"):
        file[:10]


def test_a_file_that_is_replaced_while_it_is_read(opened, memory, monkeypatch):
    monkeypatch.setattr(objects, "_CHECKED_S", 0)
    file = opened()
    assert file[:10] == CONTENT[:10]
    with replacing(f"{memory}/a") as other:
        other.write(CONTENT[::-1])
    with pytest.raises(FileError, match="has changed"):
        file[15 * GRAIN : 15 * GRAIN + 10]


def test_a_copy_opens_the_file_anew(opened):
    file = opened()
    file[:10]
    copied = pickle.loads(pickle.dumps(file))
    assert copied.ahead == file.ahead
    assert len(copied) == len(CONTENT) and copied[5:10] == CONTENT[5:10]


def test_pickled_file_rejects_another_version_of_the_same_size(serve, tmp_path, settings):
    (tmp_path / "a").write_bytes(CONTENT)
    pickled = pickle.dumps(RemoteFile(f"{serve().url}/a"))
    (tmp_path / "a").write_bytes(CONTENT[::-1])
    os.utime(tmp_path / "a", (1, 1))
    with pytest.raises(FileError, match="has changed since it was opened"):
        pickle.loads(pickled)[5:10]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_opens_the_file_anew(serve, tmp_path, settings):
    (tmp_path / "a").write_bytes(CONTENT)
    file = RemoteFile(f"{serve().url}/a")
    assert file[:10] == CONTENT[:10]
    file.expect(0, len(CONTENT))
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, file[10 * GRAIN : 10 * GRAIN + 100])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reader, 100) == CONTENT[10 * GRAIN : 10 * GRAIN + 100]
    assert file[-10:] == CONTENT[-10:]


def test_strides_are_refused(opened):
    with pytest.raises(ValueError, match="step 1"):
        opened()[::2]


def test_files_share_memory_and_requests(opened, memory):
    files = [opened(cache=1 << 20) for _ in range(4)]
    for start in range(0, len(CONTENT), 3 * GRAIN):
        for file in files:
            assert file[start : start + 1000] == CONTENT[start : start + 1000]
            assert sum(f.spans.kept for f in files) <= 1 << 20
    for file in files:
        file.expect(0, len(CONTENT))
    for file in files:
        settled(file)
    assert sum(f.spans.unused for f in files) <= (1 << 19) + REQUEST
