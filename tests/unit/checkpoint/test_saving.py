# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import mxnova as mx
from mxnova.checkpoint import commit, ownership
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, FileError, MXNetError

from .trained import files_from, files_of, next_numbers, save_all, train, trained

WORLDS = (1, 2, 3, 4, 8)


@pytest.fixture(autouse=True)
def small_slices(monkeypatch):
    """So that arrays of these small networks are cut, too."""
    monkeypatch.setattr(ownership, "_SLICED", 1 << 10)


@pytest.mark.parametrize("optimizer", ["adam", "lamb"])
def test_any_number_of_workers_reads_what_any_number_wrote(optimizer, tmp_path):
    net, trainer = trained(optimizer)
    own = files_of(net, trainer, tmp_path)
    other, its_trainer = trained(optimizer, n_steps=1, seed=1)
    for saved in WORLDS:
        folder = tmp_path / str(saved)
        save_all(folder, 2, saved, net, trainer, extra={"loss": 0.5})
        assert files_from(mx.checkpoint.read(folder), tmp_path) == own
        n_pieces = len(mx.checkpoint.read(folder)._files.arrays["0.weight"].pieces)
        assert n_pieces == saved
        for loaded in WORLDS:
            train(other, its_trainer, 1)
            assert files_of(other, its_trainer, tmp_path) != own
            rank = loaded - 1
            found = mx.checkpoint.load(folder, other, its_trainer, rank=rank, world=loaded)
            assert (found.step, found.world, found.extra) == (2, saved, {"loss": 0.5})
            assert files_of(other, its_trainer, tmp_path) == own


def test_training_goes_on_as_if_it_had_not_ended(tmp_path):
    net, trainer = trained("lamb")
    mx.checkpoint.save(tmp_path, 2, net, trainer, wait=True)
    train(net, trainer, 3)
    expected = files_of(net, trainer, tmp_path), next_numbers()
    other, its_trainer = trained("lamb", n_steps=1, seed=1)
    mx.checkpoint.load(tmp_path, other, its_trainer)
    train(other, its_trainer, 3)
    assert (files_of(other, its_trainer, tmp_path), next_numbers()) == expected


def test_the_arrays_are_those_of_the_call(tmp_path):
    arrays = {"w": mx.nd.arange(6).reshape((2, 3))}
    saving = mx.checkpoint.save(tmp_path, 1, arrays)
    arrays["w"][:] = -1
    saving.wait()
    mx.checkpoint.load(tmp_path, arrays)
    assert arrays["w"].asnumpy().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_what_is_not_learned_is_the_first_workers(tmp_path):
    net, trainer = trained()
    first = mx.checkpoint.save(tmp_path, 1, net, trainer, rank=0, world=2)
    net[1].running_mean.set_data(mx.nd.zeros(64))  # as other batches would have it
    second = mx.checkpoint.save(tmp_path, 1, net, trainer, rank=1, world=2)
    assert first.wait() == second.wait()
    assert mx.checkpoint.read(tmp_path).array("1.running_mean").asnumpy().any()


def test_one_worker_can_write_all(tmp_path):
    net, trainer = trained()
    path = save_all(tmp_path, 1, 2, net, trainer, shards=False)
    assert [name for name in os.listdir(path) if name.endswith("s")] == [
        "shard-00001-model-00001-of-00001.safetensors"
    ]
    assert files_from(mx.checkpoint.read(tmp_path), tmp_path) == files_of(net, trainer, tmp_path)


class Reader:
    """An iterator that knows its place."""

    def __init__(self, place):
        self.place = place

    def state_dict(self):
        return {"place": self.place, "order": np.arange(self.place)}

    def load_state_dict(self, state):
        assert state["order"].tolist() == list(range(state["place"]))
        self.place = state["place"]


def test_iterators_go_on_where_each_was(tmp_path):
    savings = [
        mx.checkpoint.save(tmp_path, 1, iterator=Reader(place), rank=rank, world=2)
        for rank, place in enumerate((3, 5))
    ]
    assert [saving.wait() for saving in savings]
    reader = Reader(0)
    mx.checkpoint.load(tmp_path, iterator=reader, rank=1, world=2)
    assert reader.place == 5
    with pytest.raises(MXNetError, match="2 workers were at places of their own"):
        mx.checkpoint.load(tmp_path, iterator=reader, rank=0, world=1)
    save_all(tmp_path, 2, 3, iterator=Reader(4))
    mx.checkpoint.load(tmp_path, iterator=reader)
    assert reader.place == 4


def test_samplers_go_on_whatever_records_each_worker_found_broken(tmp_path):
    class Place:
        def __init__(self, state):
            self.state_dict = lambda: state

    state = mx.elastic.sampler(100, 5, seed=3).state_dict(4)
    for step, done in ((1, 20), (2, 25)):
        states = [state, {**state, "done": done, "broken": 1, "broken_records": [7]}]
        for saving in [
            mx.checkpoint.save(tmp_path, step, iterator=Place(said), rank=rank, world=2)
            for rank, said in enumerate(states)
        ]:
            saving.wait()
    sampler = mx.elastic.sampler(100, 5, seed=3)
    mx.checkpoint.load(tmp_path, iterator=sampler, rank=2, world=3, step=1)
    assert sampler.state_dict()["done"] == 20
    with pytest.raises(MXNetError, match="workers stand at places"):
        mx.checkpoint.load(tmp_path, iterator=sampler, rank=2, world=3, step=2)


# In the background --------------------------------------------------------------------------------


def test_a_save_waits_for_the_one_before_and_tells_of_its_failure(tmp_path, monkeypatch):
    begun, goes_on = threading.Event(), threading.Event()
    write = commit.write_shard

    def slow(*args):
        begun.set()
        assert goes_on.wait(60)
        if not (tmp_path / "fails").exists():
            return write(*args)
        raise FileError(28, "No space left on device", str(args[0]))

    monkeypatch.setattr(commit, "write_shard", slow)
    first = mx.checkpoint.save(tmp_path, 1, {"a": mx.nd.ones(3)})
    assert begun.wait(60)
    assert not first.is_done
    assert mx.checkpoint.steps(tmp_path) == []
    (tmp_path / "fails").touch()
    goes_on.set()
    with pytest.raises(FileError, match="No space left"):
        mx.checkpoint.save(tmp_path, 2, {"a": mx.nd.ones(3)})
    (tmp_path / "fails").unlink()
    mx.checkpoint.save(tmp_path, 3, {"a": mx.nd.ones(3)})
    mx.checkpoint.wait()
    assert mx.checkpoint.steps(tmp_path) == [3]
    assert sorted(os.listdir(tmp_path)) == ["step-00000003"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.usefixtures("interrupts")
def test_a_checkpoint_is_written_though_who_waits_is_interrupted(tmp_path, monkeypatch):
    go, write = threading.Event(), commit.Commit.write

    def slow(self, snapshot):
        go.wait(60)
        return write(self, snapshot)

    monkeypatch.setattr(commit.Commit, "write", slow)
    saving = mx.checkpoint.save(tmp_path, 1, {"w": mx.nd.ones((2,))})
    interrupt = (threading.main_thread().ident, signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        threading.Timer(0.1, signal.pthread_kill, interrupt).start()
        saving.wait()
    assert not saving.is_done
    go.set()
    assert saving.wait() is not None
    assert mx.checkpoint.steps(tmp_path) == [1]


def test_the_last_ones_are_kept(tmp_path):
    for step in (1, 2, 3, 2):
        mx.checkpoint.save(tmp_path, step, {"a": mx.nd.full(3, step)}, keep=2, wait=True)
    assert mx.checkpoint.steps(tmp_path) == [2, 3]
    assert sorted(os.listdir(tmp_path)) == ["step-00000002.2", "step-00000003"]
    with pytest.raises(FileNotFoundError, match=r"no checkpoint 1; there are \[2, 3\]"):
        mx.checkpoint.load(tmp_path, step=1)


# Workers that do not do their part ----------------------------------------------------------------


def test_a_worker_that_does_not_come_is_named(tmp_path):
    arrays = {"a": mx.nd.ones(3)}
    with pytest.raises(MXNetError, match=r"worker 1 has not written its part of .* within 0\.1 s"):
        mx.checkpoint.save(tmp_path, 1, arrays, rank=0, world=2, timeout=0.1, wait=True)
    with pytest.raises(MXNetError, match="worker 0 has not completed checkpoint 2"):
        mx.checkpoint.save(tmp_path, 2, arrays, rank=1, world=2, timeout=0.1, wait=True)
    assert mx.checkpoint.steps(tmp_path) == []


def test_a_failure_of_one_is_that_of_all(tmp_path, monkeypatch):
    write = commit.write_shard

    def fails(path, *args):
        if "shard-00002" in str(path):
            raise FileError(28, "No space left on device", str(path))
        return write(path, *args)

    monkeypatch.setattr(commit, "write_shard", fails)
    arrays = {"a": mx.nd.ones(3)}
    savings = [mx.checkpoint.save(tmp_path, 1, arrays, rank=r, world=3) for r in range(3)]
    for saving in savings:
        with pytest.raises(MXNetError, match="No space left on device"):
            saving.wait()
    assert mx.checkpoint.steps(tmp_path) == []
    monkeypatch.undo()
    save_all(tmp_path, 1, 3, arrays)
    (name,) = os.listdir(tmp_path)  # the second where a worker was still writing to the first
    assert name in ("step-00000001", "step-00000001.2")


def test_a_worker_that_comes_late_hears_of_the_failure(tmp_path, monkeypatch):
    arrays = {"a": mx.nd.ones(3)}
    write = commit.write_shard
    for reason in ("No space left on device", "Input/output error"):  # a second attempt fails, too

        def fails(path, *args, reason=reason):
            if "shard-00001" in str(path):
                raise FileError(5, reason, str(path))
            return write(path, *args)

        monkeypatch.setattr(commit, "write_shard", fails)
        with pytest.raises(MXNetError, match=reason):
            mx.checkpoint.save(tmp_path, 1, arrays, rank=0, world=2, wait=True)
        with pytest.raises(MXNetError, match=f"worker 0: .*{reason}"):
            mx.checkpoint.save(tmp_path, 1, arrays, rank=1, world=2, timeout=60, wait=True)
    monkeypatch.undo()
    second = mx.checkpoint.save(tmp_path, 1, arrays, rank=1, world=2)  # sees the old failure
    time.sleep(0.05)
    mx.checkpoint.save(tmp_path, 1, arrays, rank=0, world=2, wait=True)
    assert second.wait().endswith("step-00000001.3")


@pytest.mark.parametrize("between", [None, 2], ids=["at once", "after a failure of another step"])
def test_a_late_part_of_an_attempt_that_failed_does_not_count_for_the_next(
    between, tmp_path, monkeypatch
):
    old, new = {"a": mx.nd.zeros(3000)}, {"a": mx.nd.ones(3000)}
    is_written, may_end = threading.Event(), threading.Event()
    write = commit.write_shard

    def late(path, pieces, *args):
        if "shard-00002" in path and not is_written.is_set():
            is_written.set()
            assert may_end.wait(60)
        return write(path, pieces, *args)

    monkeypatch.setattr(commit, "write_shard", late)
    first = mx.checkpoint.save(tmp_path, 1, old, rank=0, world=2, timeout=1)
    second = mx.checkpoint.save(tmp_path, 1, old, rank=1, world=2, timeout=1)
    assert is_written.wait(60)
    with pytest.raises(MXNetError, match="within"):
        first.wait()
    if between is not None:  # so that another folder was announced last
        with pytest.raises(MXNetError, match="within"):
            mx.checkpoint.save(tmp_path, between, old, rank=0, world=2, timeout=0, wait=True)
    saving = mx.checkpoint.save(tmp_path, 1, new, rank=0, world=2)
    time.sleep(0.05)
    may_end.set()
    with pytest.raises(MXNetError):
        second.wait()
    mx.checkpoint.save(tmp_path, 1, new, rank=1, world=2)
    path = saving.wait()
    assert os.listdir(tmp_path) == [os.path.basename(path)] == ["step-00000001.2"]
    assert (str(tmp_path), 1) not in commit._failed
    assert (mx.checkpoint.read(tmp_path).parameters()["a"].asnumpy() == 1).all()


def test_a_checkpoint_counts_whatever_stays_to_be_removed(tmp_path, monkeypatch):
    def fails(*_):
        raise FileError(5, "Input/output error", str(tmp_path))

    monkeypatch.setattr(commit.Commit, "_clean", fails)
    mx.checkpoint.save(tmp_path, 1, {"a": mx.nd.ones(3)}, wait=True)
    assert mx.checkpoint.steps(tmp_path) == [1]


def test_a_failure_of_another_job_is_not_taken(tmp_path, monkeypatch):
    arrays = {"a": mx.nd.ones(3)}
    with pytest.raises(MXNetError, match="within"):
        mx.checkpoint.save(tmp_path, 1, arrays, rank=0, world=2, timeout=0, wait=True)
    monkeypatch.setattr(commit, "STARTED", time.time())
    with pytest.raises(MXNetError, match="worker 0 has not completed checkpoint 1"):
        mx.checkpoint.save(tmp_path, 1, arrays, rank=1, world=2, timeout=0.1, wait=True)


def test_what_a_killed_job_left_is_not_taken(tmp_path):
    """An announcement, a worker's file and its receipt, of other values."""
    old, new = (
        {"a": mx.nd.zeros(3000), "b": mx.nd.zeros(4)},
        {"a": mx.nd.ones(3000), "b": mx.nd.ones(4)},
    )
    with pytest.raises(MXNetError, match="within"):
        mx.checkpoint.save(tmp_path, 1, old, rank=0, world=3, timeout=0.1, wait=True)
    path = tmp_path / "step-00000001"
    path.mkdir()
    (tmp_path / "saving.json").write_text('{"step":1,"folder":"step-00000001"}')
    second = mx.checkpoint.save(tmp_path, 1, old, rank=1, world=3, timeout=0.3)
    with pytest.raises(MXNetError, match="within"):
        second.wait()
    assert (path / ".receipt-00002.json").exists()
    second = mx.checkpoint.save(tmp_path, 1, new, rank=1, world=3)  # sees the old announcement
    savings = [second, *(mx.checkpoint.save(tmp_path, 1, new, rank=r, world=3) for r in (2, 0))]
    assert {saving.wait() for saving in savings} == {str(tmp_path / "step-00000001.2")}
    found = mx.checkpoint.read(tmp_path).parameters()
    assert all((array == 1).asnumpy().all() for array in found.values())
    assert sorted(os.listdir(tmp_path)) == ["step-00000001.2"]


def test_workers_with_other_networks_make_no_checkpoint(tmp_path):
    first = mx.checkpoint.save(tmp_path, 1, {"a": mx.nd.ones(3000)}, rank=0, world=2)
    second = mx.checkpoint.save(tmp_path, 1, {"a": mx.nd.ones(4000)}, rank=1, world=2)
    for saving in (first, second):
        with pytest.raises(MXNetError, match="pieces overlap or leave a gap"):
            saving.wait()


# Arguments ----------------------------------------------------------------------------------------

REFUSED = {
    "a step": ({"step": -1}, ArgumentError, "step=-1"),
    "no number": ({"step": "1"}, ArgumentError, "step='1'"),
    "keep": ({"keep": 0}, ArgumentError, "keep=0"),
    "rank alone": ({"rank": 1}, ArgumentError, "must be given both"),
    "rank": ({"rank": 2, "world": 2}, ArgumentError, "rank=2"),
    "world": ({"rank": 0, "world": 0}, ArgumentError, "world=0"),
    "net": ({"net": 3}, ArgumentTypeError, "net=3: must be a Block"),
    "trainer": ({"trainer": 3}, ArgumentTypeError, "trainer=3: must be a Trainer"),
    "extra": ({"extra": [object()]}, ArgumentTypeError, "must be plain data"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_that_are_refused_write_nothing(name, tmp_path):
    arguments, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        mx.checkpoint.save(tmp_path, **{"step": 1, **arguments})
    assert not list(tmp_path.iterdir())
