# SPDX-License-Identifier: Apache-2.0
"""Processes that are killed while they write: the old checkpoint is there or the new one."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

import mxnova as mx
from mxnova.core.base.errors import FileError, MXNetError
from mxnova.formats import atomic, raw_files

from ..test_full_disk import full_disk
from .trained import save_all

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork")

OPERATIONS = ("fsync", "replace", "mkdir", "unlink", "rmdir")  # of os, beside writing
SIZES = {"small": 5, "large": 9000}


def arrays_of(value):
    return {name: mx.nd.full((n,), value) for name, n in SIZES.items()}


class Killer:
    """Ends this process at an operation on files, counted from 1: before it or in its middle."""

    def __init__(self, at=0, half=False):
        self.at, self.half, self.count = at, half, 0

    def install(self):
        for name in OPERATIONS:
            setattr(os, name, self.watched(getattr(os, name)))
        write = raw_files.EagerFile._write_now

        def watched_write(file, data):
            if self.is_here():
                if self.half:
                    write(file, memoryview(data).cast("B")[: len(data) // 2])
                self.die()
            return write(file, data)

        raw_files.EagerFile._write_now = watched_write
        atomic.CHUNK = raw_files._BLOCK = 1 << 13  # the large ones go past the cache
        return self

    def watched(self, function):
        def run(*args, **kwargs):
            if self.is_here():
                if self.half:
                    function(*args, **kwargs)
                self.die()
            return function(*args, **kwargs)

        return run

    def is_here(self):
        self.count += 1
        return self.count == self.at

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)


def forked(function):
    """The child that runs `function` and exits with what it returns."""
    child = os.fork()
    if child:
        return child
    status = 99
    try:
        status = function()
    finally:
        os._exit(status)


def save(folder, step, rank, world, killer, timeout=20.0):
    """In a child: the number of operations, or 100 where the save has failed."""
    killer.install()
    try:
        mx.checkpoint.save(
            folder, step, arrays_of(2), rank=rank, world=world, keep=1, timeout=timeout, wait=True
        )
    except MXNetError:
        return 100
    return killer.count


def exit_of(child):
    status = os.waitpid(child, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def value_in(folder):
    """The value that all elements of the last checkpoint have."""
    found = mx.checkpoint.read(folder).parameters()
    values = {value for array in found.values() for value in array.asnumpy().tolist()}
    assert {name: array.size for name, array in found.items()} == SIZES
    assert len(values) == 1
    return values.pop()


def begun(folder, world):
    shutil.rmtree(folder, ignore_errors=True)
    save_all(folder, 1, world, arrays_of(1))
    return folder


def seen_after_kills(folder, step, world, rank, timeout, halves=(False, True)):
    """For each point at which a worker may be killed, what is there then."""
    others = [r for r in range(world) if r != rank]

    def run(killer):
        begun(folder, world)
        wait = timeout if killer.at else 20.0
        running = [forked(lambda r=r: save(folder, step, r, world, Killer(), wait)) for r in others]
        ended = exit_of(forked(lambda: save(folder, step, rank, world, killer, wait)))
        assert all(exit_of(child) in range(1, 101) for child in running)
        return ended

    n_points = run(Killer())
    assert n_points > 5
    seen = []
    for at in range(1, n_points + 1):
        for half in halves:
            if run(Killer(at, half)) != -signal.SIGKILL:
                continue  # another worker was quicker this time, so that there were fewer
            seen.append(value_in(folder))
            save_all(folder, step + 1, world, arrays_of(3), keep=1)
            assert value_in(folder) == 3
            assert sorted(os.listdir(folder)) == [f"step-{step + 1:08d}"]
    return seen


@pytest.mark.parametrize(
    ("step", "halves"),
    [
        (1, [False]),
        pytest.param(1, [True], marks=pytest.mark.huge),
        pytest.param(2, [False, True], marks=pytest.mark.huge),
    ],
    ids=["same step", "same step, halves", "next step"],
)
def test_a_kill_leaves_the_old_or_the_new_one(step, halves, tmp_path):
    seen = seen_after_kills(tmp_path / "c", step, 1, 0, timeout=20.0, halves=halves)
    print(f"{len(seen)} kills, {seen.count(1.0)} old, {seen.count(2.0)} new")
    assert {1.0, 2.0} == set(seen)
    assert seen == sorted(seen)  # from some point on the new one


@pytest.mark.huge
@pytest.mark.parametrize("step", [1, 2], ids=["same step", "next step"])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_kill_of_one_worker_leaves_the_old_or_the_new_one(rank, step, tmp_path):
    seen = seen_after_kills(tmp_path / "c", step, 3, rank, timeout=0.5)
    print(f"worker {rank} of 3: {len(seen)} kills, {seen.count(1.0)} old, {seen.count(2.0)} new")
    assert set(seen) <= {1.0, 2.0}
    assert 1.0 in seen


@pytest.mark.parametrize("room", [10, 1000, 3000, 30000])
@pytest.mark.parametrize("world", [1, 2])
def test_a_full_disk_leaves_the_old_one(room, world, tmp_path, monkeypatch):
    """Announcements, receipts, shards and the index each grow beyond what is left of it."""
    monkeypatch.setattr("tests.unit.test_full_disk.ROOM", room)
    save_all(tmp_path, 1, world, arrays_of(1), random=False)
    with full_disk():
        savings = [
            mx.checkpoint.save(tmp_path, 2, arrays_of(2), rank=r, world=world, timeout=1.0)
            for r in range(world)
        ]
        for saving in savings:
            with pytest.raises(FileError if world == 1 else MXNetError):
                saving.wait()
    assert value_in(tmp_path) == 1
    assert {"step-00000001"} <= set(os.listdir(tmp_path)) <= {"step-00000001", "saving.json"}
    save_all(tmp_path, 2, world, arrays_of(2), keep=1)
    (name,) = os.listdir(tmp_path)
    assert name in ("step-00000002", "step-00000002.2")  # another one where the first was announced
    assert value_in(tmp_path) == 2
