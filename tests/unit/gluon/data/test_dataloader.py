# SPDX-License-Identifier: Apache-2.0
"""DataLoader: batches from workers are those made here, and whatever happens to workers is told."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.gluon.data import (
    ArrayDataset,
    BatchSampler,
    DataLoader,
    Dataset,
    Sampler,
    SequentialSampler,
    SimpleDataset,
    dataloader,
)
from mxnova.gluon.data.dataloader_v1 import DataLoaderV1, _MultiWorkerIterV1
from mxnova.gluon.data.worker_pool import WorkerDied
from tests.waiting import wait_for_ends

from ...fake_gpu import FakeGpu, on_gpu

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks workers")

MODES = [{}, {"num_workers": 2}, {"num_workers": 2, "thread_pool": True}]
WORKERS = MODES[1]


class Numbers(Dataset):
    """0 to 9; what happens at 5 is given."""

    def __init__(self, at_five=lambda: 5):
        self.at_five = at_five

    def __len__(self):
        return 10

    def __getitem__(self, idx):
        return self.at_five() if idx == 5 else int(idx)


def raises(error):
    def raise_it():
        raise error

    return raise_it


class PickyError(Exception):
    """Cannot be pickled: its constructor takes more than it keeps."""

    def __init__(self, one, two):
        super().__init__(f"{one}{two}")


def values(loader):
    return [batch.asnumpy().tolist() for batch in loader]


def children():
    return set(multiprocessing.active_children())


@pytest.fixture(autouse=True)
def nothing_is_left(shared_memory):
    before = children()
    yield
    if children() - before:
        gc.collect()  # of what an error's traceback holds
    assert children() <= before
    assert shared_memory() == set()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("last_batch", ["keep", "discard", "rollover"])
def test_batches_are_the_same_everywhere(mode, last_batch):
    loader = DataLoader(Numbers(), 4, last_batch=last_batch, **mode)
    expected = DataLoader(Numbers(), 4, last_batch=last_batch)
    for _ in range(3):
        assert len(loader) == len(expected)
        assert values(loader) == values(expected)


@pytest.mark.parametrize("mode", MODES)
def test_structures(mode):
    data = ArrayDataset(np.arange(6.0), mx.nd.arange(12).reshape((6, 2)))
    x, y = list(DataLoader(data, 4, **mode))[1]
    assert (x.asnumpy().tolist(), x.dtype) == ([4, 5], np.float64)
    assert y.asnumpy().tolist() == [[8, 9], [10, 11]]
    kind = "cpu_shared" if mode else "cpu"
    assert x.context.device_type == y.context.device_type == kind


@pytest.mark.parametrize("mode", MODES)
def test_pinned_memory(mode):
    batch = next(iter(DataLoader(Numbers(), 2, pin_memory=True, pin_device_id=1, **mode)))
    assert batch.context == mx.cpu_pinned(1)


def test_batchify_fn_gives_anything_and_arrays_arrive_in_shared_memory():
    def batchify(data):
        return {"a": mx.nd.array(data), "b": (np.array(data), "text")}, mx.nd.empty((0,))

    for batch, empty in DataLoader(Numbers(), 5, batchify_fn=batchify, **WORKERS):
        assert batch["a"].context.device_type == "cpu_shared"
        assert batch["b"][0].tolist() == batch["a"].asnumpy().tolist()
        assert batch["b"][1] == "text"
        assert empty.size == 0


def test_functions_inside_others_are_inherited():
    loader = DataLoader(
        SimpleDataset(range(4)).transform(lambda x: x + 1),
        2,
        batchify_fn=lambda data: mx.nd.array(data) * 2,
        num_workers=1,
    )
    assert values(loader) == [[2, 4], [6, 8]]
    loader._batchify_fn = dataloader.default_mp_batchify_fn
    assert values(loader) == [[1, 2], [3, 4]]


@pytest.mark.parametrize("mode", MODES)
def test_errors_arrive_in_their_place(mode):
    batches = iter(DataLoader(Numbers(raises(ZeroDivisionError("five"))), 2, **mode))
    assert [next(batches).asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(ZeroDivisionError, match="five") as info:
        next(batches)
    text = str(info.value.__cause__) if info.value.__cause__ else str(info.getrepr())
    assert "raise_it" in text
    with pytest.raises(StopIteration):
        next(batches)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (PickyError(1, 2), MXNetError, "PickyError: 12"),
        (StopIteration(3), MXNetError, "StopIteration"),
        (MXNetError("known"), MXNetError, "known"),
        (KeyError("name"), KeyError, "name"),
    ],
)
def test_any_error_arrives(error, kind, text):
    with pytest.raises(kind, match=text):
        values(DataLoader(Numbers(raises(error)), 2, **WORKERS))


def test_what_cannot_be_pickled_is_told():
    with pytest.raises(Exception, match="pickle"):
        values(DataLoader(Numbers(), 2, batchify_fn=lambda data: lambda: data, **WORKERS))


@pytest.mark.parametrize("how", ["killed by signal 9", "exit code 3"])
def test_a_worker_that_ends_is_told_at_once(tmp_path, how):
    def end_once():
        try:
            os.mkdir(tmp_path / "ended")
        except FileExistsError:
            return 5
        if "signal" in how:
            os.kill(os.getpid(), signal.SIGKILL)
        return os._exit(3)

    loader = DataLoader(Numbers(end_once), 2, timeout=10**6, **WORKERS)
    with pytest.raises(WorkerDied, match=how):
        values(loader)
    assert values(loader) == values(DataLoader(Numbers(), 2))  # with other workers


def test_a_worker_killed_while_idle():
    loader = DataLoader(Numbers(), 2, **WORKERS)
    assert len(values(loader)) == 5
    victim = loader._worker_pool._workers[0].process
    victim.kill()
    victim.join()
    with pytest.raises(WorkerDied, match="SIGKILL"):
        values(loader)
    assert len(values(loader)) == 5


def test_timeout():
    loader = DataLoader(Numbers(lambda: time.sleep(60)), 2, timeout=0.3, **WORKERS)
    with pytest.raises(multiprocessing.TimeoutError, match=r"timeout=0\.3"):
        values(loader)


def test_large_messages_both_ways_do_not_block():
    class Heavy(Dataset):
        def __len__(self):
            return 400_000

        def __getitem__(self, idx):
            return 1

    samples = [list(range(100_000))] * 4
    loader = DataLoader(
        Heavy(), batch_sampler=samples, batchify_fn=lambda d: bytes(3_000_000), num_workers=1
    )
    assert [len(batch) for batch in loader] == [3_000_000] * 4


def test_samplers_that_raise_do_so_in_their_place():
    class Fails(Sampler):
        def __len__(self):
            return 4

        def __iter__(self):
            yield from range(4)
            raise LookupError("no more")

    for mode in MODES:
        batches = iter(DataLoader(Numbers(), 2, sampler=Fails(), **mode))
        assert [next(batches).asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
        with pytest.raises(LookupError, match="no more"):
            next(batches)


def test_generators_are_batch_samplers_once():
    sampler = (iter(batch) for batch in ([1, 2], [3]))
    loader = DataLoader(Numbers(), batch_sampler=sampler, **WORKERS)
    assert values(loader) == [[1, 2], [3]]
    assert values(loader) == []


def test_iterators_may_be_dropped_and_nested():
    before = n_files()
    loader = DataLoader(SimpleDataset([mx.nd.full((4096,), i) for i in range(12)]), 1, **WORKERS)
    for _ in range(50):
        next(iter(loader))
    pairs = [(a[0, 0].asscalar(), b[0, 0].asscalar()) for a, b in zip(loader, loader, strict=True)]
    assert pairs == [(i, i) for i in range(12)]
    held = DataLoader(Numbers(lambda: n_files()), 1, num_workers=1)
    assert max(b.asscalar() for b in held) < before + 180


def n_files():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_the_iterator_keeps_its_loader():
    batches = iter(DataLoader(Numbers(), 2, **WORKERS))
    gc.collect()
    assert len(list(batches)) == 5


def test_workers_may_have_workers():
    def inner():
        return sum(b.sum().asscalar() for b in DataLoader(list(range(4)), 2, num_workers=1))

    assert values(DataLoader(Numbers(inner), 5, **WORKERS))[1][0] == 6


def test_a_forked_process_has_workers_of_its_own():
    loader = DataLoader(Numbers(), 5, **WORKERS)
    assert len(values(loader)) == 2
    child = os.fork()
    if not child:
        os._exit(0 if len(values(loader)) == 2 and loader.__del__() is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(values(loader)) == 2


@pytest.mark.parametrize("mode", MODES)
def test_collected_batches_do_not_use_up_files(mode):
    before = n_files()
    data = SimpleDataset([mx.nd.full((3,), i) for i in range(400)])
    batches = list(DataLoader(data, 1, **mode))
    assert n_files() - before < 250
    assert [b[0, 0].asscalar() for b in batches] == list(range(400))


def test_random_numbers_differ_between_workers_and_follow_from_the_seed():
    class Draws(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, idx):
            return np.random.rand(), random.random(), mx.nd.random.uniform().asscalar()

    def drawn():
        np.random.seed(3)
        loader = DataLoader(Draws(), 1, **WORKERS)
        after = np.random.rand()
        return [tuple(part.asscalar() for part in batch) for batch in loader], after

    one, after = drawn()
    for column in zip(*one, strict=True):
        assert len(set(column)) == 8
    assert drawn() == (one, after)
    np.random.seed(3)
    assert np.random.rand() == after  # making a loader draws nothing here


def test_memory_stays_flat():
    data = ArrayDataset(mx.nd.ones((64, 3, 32, 32)))
    loader = DataLoader(data, 8, num_workers=4)

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    for _ in range(5):
        values(loader)
    before = resident()
    for _ in range(30):
        for batch in loader:
            batch.wait_to_read()
    assert resident() - before < 4 << 20


def test_batches_that_are_held_keep_their_values():
    loader = DataLoader(SimpleDataset([mx.nd.full((4096,), i) for i in range(12)]), 1, **WORKERS)
    views = [batch._tensor.numpy()[0, 1:] for batch in loader]
    for _ in range(5):
        values(loader)
    assert [view.tolist() for view in views] == [[i] * 4095 for i in range(12)]


def test_workers_use_memory_again():
    loader = DataLoader(SimpleDataset([mx.nd.ones((64, 64))] * 64), 8, **WORKERS)

    def faults():
        stats = (Path(f"/proc/{w.process.pid}/stat") for w in loader._worker_pool._workers)
        return sum(int(s.read_text().rsplit(")", 1)[1].split()[7]) for s in stats)

    for _ in range(5):
        values(loader)
    before = faults()
    for _ in range(10):
        values(loader)
    n_pages = 10 * 64 * 64 * 64 * 4 // 4096
    assert faults() - before < n_pages / 4


class Counting(Sampler):
    def __init__(self):
        self.n = 0

    def __len__(self):
        return 4

    def __iter__(self):
        self.n += 1
        yield from range(4)


@pytest.mark.parametrize("mode", [{"num_workers": 1}, {"num_workers": 1, "thread_pool": True}])
def test_auto_reload(mode):
    sampler = Counting()
    loader = DataLoader(Numbers(), 2, sampler=sampler, auto_reload=True, **mode)
    assert sampler.n == 1
    assert values(loader) == [[0, 1], [2, 3]]
    assert sampler.n == 2  # the next epoch is on its way
    next(iter(loader))
    assert values(loader) == [[0, 1], [2, 3]]
    loader.clean()
    assert loader._iter is None
    assert values(loader) == [[0, 1], [2, 3]]
    loader.clean()


def test_prefetch():
    sampler = Counting()
    loader = DataLoader(Numbers(), 1, sampler=sampler, prefetch=0, num_workers=1)
    assert values(loader) == [[0], [1], [2], [3]]
    assert DataLoader(Numbers(), 1, **WORKERS)._prefetch == 4
    assert DataLoader(Numbers(), 1, prefetch=-1, **WORKERS)._prefetch == 0
    iterator = iter(DataLoader(Numbers(), 1, prefetch=3, **WORKERS))
    assert (len(iterator), sorted(iterator._data_buffer)) == (10, [0, 1, 2])
    assert iterator.next().asscalar() == 0
    assert len(list(DataLoader(Numbers(), 1, prefetch=1 << 62, **WORKERS))) == 10


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, ValueError, "batch_size"),
        (
            {"batch_size": 2, "shuffle": True, "sampler": SequentialSampler(3)},
            ValueError,
            "shuffle",
        ),
        ({"batch_size": 2, "batch_sampler": []}, ValueError, "batch_sampler"),
        ({"batch_sampler": [], "shuffle": True}, ValueError, "batch_sampler"),
        ({"batch_sampler": [], "last_batch": "keep"}, ValueError, "batch_sampler"),
        ({"batch_size": 2, "timeout": 0}, AssertionError, "timeout=0"),
    ],
)
@pytest.mark.parametrize("kind", [DataLoader, DataLoaderV1])
def test_argument_errors(kind, arguments, error, text):
    if "timeout" in arguments and kind is DataLoaderV1:
        pytest.skip("has none")
    with pytest.raises(error, match=text):
        kind(Numbers(), **arguments)


def test_bad_last_batch_and_batch_size_are_told_when_used():
    for arguments in ({"batch_size": 2, "last_batch": "all"}, {"batch_size": 0}):
        with pytest.raises(ValueError, match=r"last_batch='all'|batch_size=0"):
            values(DataLoader(Numbers(), **arguments))
    assert len(BatchSampler(SequentialSampler(5), 2)) == 3


# What packages reach for --------------------------------------------------------------------------


def test_iterators_over_pools_of_multiprocessing():
    with multiprocessing.get_context("fork").Pool(
        2, dataloader._worker_initializer, [Numbers(), False, False]
    ) as pool:
        batches = dataloader._MultiWorkerIter(
            pool, dataloader.default_mp_batchify_fn, [[1, 2], [5]], prefetch=1
        )
        assert values(batches) == [[1, 2], [5]]


def test_as_in_context():
    data = [mx.nd.ones(2), 5, (mx.nd.ones(1), "text")]
    moved = dataloader._as_in_context(data, mx.cpu(1))
    assert moved[0].context == moved[2][0].context == mx.cpu(1)
    assert (moved[1], type(moved[2]), moved[2][1]) == (5, list, "text")


@pytest.mark.parametrize("kind", [dataloader.Queue, dataloader.SimpleQueue])
def test_queues_carry_arrays_in_shared_memory(kind):
    queue, done = kind(), kind()
    process = multiprocessing.get_context("fork").Process(target=echo, args=(queue, done))
    process.start()
    for i in range(3):
        queue.put((i, mx.nd.full((2,), i)))
    found = [done.get() for _ in range(3)]
    assert [(i, a.asnumpy().tolist(), a.context.device_type) for i, a in found] == [
        (i, [i + 1, i + 1], "cpu_shared") for i in range(3)
    ]
    queue.put(None)
    process.join()
    for each in (queue, done):
        each.close()
        if kind is dataloader.Queue:
            each.join_thread()


def echo(queue, done):
    while (message := queue.get()) is not None:
        number, array = message
        done.put((number, array + 1))


def test_connections_carry_arrays():
    ours, theirs = map(dataloader.ConnectionWrapper, multiprocessing.Pipe())
    ours.send([mx.nd.ones(2)])
    assert theirs.poll(1)
    assert theirs.recv()[0].asnumpy().tolist() == [1, 1]
    rebuild, facts = dataloader.reduce_ndarray(mx.nd.ones(3))
    assert rebuild is dataloader.rebuild_ndarray
    assert rebuild(*facts).shape == (3,)


@pytest.mark.parametrize("mode", MODES[:2])
def test_the_loader_of_old(mode):
    loader = DataLoaderV1(Numbers(), 4, **mode)
    assert (len(loader), values(loader)) == (3, values(DataLoader(Numbers(), 4)))
    with pytest.raises(ZeroDivisionError, match="five"):
        values(DataLoaderV1(Numbers(raises(ZeroDivisionError("five"))), 4, **mode))
    next(iter(loader))


def test_the_loader_of_old_tells_of_killed_workers():
    with pytest.raises(WorkerDied):
        values(DataLoaderV1(Numbers(lambda: os._exit(1)), 4, **WORKERS))


def _ends_a_loader_whose_worker_was_killed_while_it_wrote():
    batches = iter(DataLoaderV1(Numbers(), 4, num_workers=1))
    next(batches)
    batches._data_queue._wlock.acquire()  # for it
    batches.shutdown()


def test_programs_end_though_a_worker_of_old_was_killed_while_it_wrote():
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=_ends_a_loader_whose_worker_was_killed_while_it_wrote)
    process.start()
    process.join(60)
    process.kill()
    assert process.exitcode == 0


class Gone:
    """What cannot be received, like arrays in the memory of a process that was killed."""

    def __reduce__(self):
        return _raise_gone, ()


def _raise_gone():
    raise MXNetError("gone")


def _sends_what_is_gone(dataset, key_queue, data_queue, batchify_fn):
    number, _ = key_queue.get()
    data_queue.put((number, Gone()))
    key_queue.get()


def test_the_loader_of_old_tells_of_memory_that_is_gone():
    batches = _MultiWorkerIterV1(1, Numbers(), None, [[0]], worker_fn=_sends_what_is_gone)
    with pytest.raises(WorkerDied, match="gone before it was received"):
        next(batches)


# Whole programs -----------------------------------------------------------------------------------

PROGRAM = """
import multiprocessing, os, sys, time
import mxnova as mx
from mxnova.core.runtime import memfd
from mxnova.gluon.data import DataLoader

memfd._PREFIX = sys.argv[3]

class Slow:
    def __len__(self):
        return 1000
    def __getitem__(self, idx):
        time.sleep(0.01)
        return mx.nd.full((1000,), idx)

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    loader = DataLoader(Slow(), 2, num_workers=2)
    for i, batch in enumerate(loader):
        assert batch[1, 0].asscalar() == 2 * i + 1
        if i == 0:
            print(*(w.process.pid for w in loader._worker_pool._workers), flush=True)
        if i == 5 and sys.argv[2] == "end":
            break
"""


@pytest.mark.parametrize(
    ("method", "how", "code"),
    [
        ("fork", "end", 0),
        ("spawn", "end", 0),
        ("fork", "SIGINT", -signal.SIGINT),
        ("fork", "SIGKILL", -signal.SIGKILL),
    ],
)
@pytest.mark.usefixtures("interrupts")
def test_nothing_is_left_however_a_program_ends(tmp_path, shared_memory, method, how, code):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    with subprocess.Popen(
        [sys.executable, str(path), method, how, shared_memory.prefix],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        workers = [int(pid) for pid in process.stdout.readline().split()]
        if how.startswith("SIG"):
            number = getattr(signal, how)
            # Ctrl-C reaches the whole group.
            os.killpg(process.pid, number) if how == "SIGINT" else process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == code, errors
    assert len(workers) == 2
    wait_for_ends(workers)
    assert "Traceback" not in errors or (how == "SIGINT" and errors.count("Traceback") == 1)


def test_worker_fn_gives_bytes():
    dataloader._worker_initializer(Numbers(), False, False)
    try:
        batch = pickle.loads(dataloader._worker_fn([1, 2], dataloader.default_mp_batchify_fn))
    finally:
        dataloader._worker_initializer(None, False, False)
    assert batch.asnumpy().tolist() == [1, 2]


def test_arrays_on_a_gpu_are_shared_in_memory_of_the_cpu():
    with FakeGpu():
        samples = [mx.nd.NDArray(on_gpu(torch.tensor([i]))) for i in range(2)]
        batch = dataloader.default_mp_batchify_fn(samples)
    assert batch.context.device_type == "cpu_shared"
    assert batch.asnumpy().tolist() == [[0], [1]]
