# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, ArgumentTypeError, MXNetError

from . import worker


def train(folder, stop_at=None, every=4, loader_of=None, epochs=worker.EPOCHS):
    """Weights at the end, and the batches that were given out: epoch and samples."""
    x, net, trainer, sampler = worker.made()
    training = mx.elastic.Training(folder, net, trainer, sampler, every=every)
    given = []
    loader = None if loader_of is None else loader_of(sampler)
    for numbers in training.batches(epochs, loader):
        numbers = np.asarray(numbers).tolist()
        worker.learn(net, trainer, x, numbers, training.total)
        given.append(numbers)
        if training.step == stop_at:
            os.kill(os.getpid(), signal.SIGTERM)
    return worker.weights(net), given, training


def loader_of(sampler):
    return mx.gluon.data.DataLoader(
        list(range(worker.N)),
        batch_sampler=sampler,
        num_workers=2,
        thread_pool=True,
        batchify_fn=np.array,
    )


@pytest.mark.parametrize("loader", [None, loader_of])
def test_sigterm_is_answered_by_a_checkpoint_after_the_step(tmp_path, loader):
    whole, given, training = train(tmp_path / "whole")
    assert (training.step, training.world_before) == (18, None)
    for stop_at in (2, 8):  # in the first epoch, in the second one, both between checkpoints
        with pytest.raises(SystemExit) as ended:
            train(tmp_path / "parts", stop_at, every=100, loader_of=loader)
        assert ended.value.code == 128 + signal.SIGTERM
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    weights, rest, training = train(tmp_path / "parts", every=100, loader_of=loader)
    assert rest == given[9:]  # the step at which it was asked is done
    assert weights.tobytes() == whole.tobytes()
    assert training.world_before == 1
    assert train(tmp_path / "parts")[1] == []  # all is done
    assert mx.checkpoint.steps(tmp_path / "parts")[-1] == 18


def test_a_crash_goes_on_from_the_last_checkpoint(tmp_path):
    whole, given, _ = train(tmp_path / "whole")
    x, net, trainer, sampler = worker.made()
    training = mx.elastic.Training(tmp_path / "crash", net, trainer, sampler, every=4)
    training.extra["best"] = 0.5
    for numbers in training.batches(worker.EPOCHS):
        worker.learn(net, trainer, x, numbers, training.total)
        if training.step == 6:
            break
    mx.checkpoint.wait()
    weights, rest, training = train(tmp_path / "crash")
    assert rest == given[4:]
    assert weights.tobytes() == whole.tobytes()
    assert training.extra == {"best": 0.5}


@pytest.mark.parametrize("options, error, text", [
    ({"every": 0}, ArgumentError, "every=0"), ({"keep": 0, "every": 1}, MXNetError, "keep=0"),
    ({"sampler": [[1]]}, ArgumentTypeError, "sampler: a list must be of mx.elastic.sampler"),
])  # fmt: skip
def test_refused(tmp_path, options, error, text):
    x, net, trainer, sampler = worker.made()
    arguments = {"sampler": sampler} | options

    def trained():
        for numbers in mx.elastic.Training(tmp_path, net, trainer, **arguments).batches(1):
            worker.learn(net, trainer, x, numbers, len(numbers))

    with pytest.raises(error, match=text):
        trained()


def test_a_loader_that_gives_too_little_is_refused(tmp_path):
    def short(sampler):
        return [numbers for numbers, _ in zip(sampler, range(3), strict=False)]

    with pytest.raises(MXNetError, match="the loader gave 3 batches of"):
        train(tmp_path, loader_of=short)


@pytest.mark.parametrize("name", ["sampler", "trainer"])
def test_what_knows_other_workers_is_refused(tmp_path, monkeypatch, name):
    _, net, trainer, sampler = worker.made()
    monkeypatch.setattr("mxnova.elastic.training.Agreement", Two)
    if name == "trainer":
        sampler = mx.elastic.sampler(9, 2, store=Two())
    text = f"elastic.Training: {name}: there are 2 workers, it has a store of 1"
    with pytest.raises(ArgumentError, match=text):
        mx.elastic.Training(tmp_path, net, trainer, sampler)


class Two:
    """An agreement, or a store, of two workers."""

    rank, world, num_workers = 0, 2, 2

    def first(self, number):
        return number


def launched(folder, *command):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    launch = (sys.executable, "-m", "mxnova", "launch", "--min", "1", "--max", "4")
    done = subprocess.run([*launch, sys.executable, *command], env=env, cwd=folder,
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.slow
def test_four_two_and_three_workers_end_as_one_alone(tmp_path):
    (tmp_path / "alone").mkdir()
    alone, _, _ = train(tmp_path / "alone")
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    done = launched(tmp_path, worker.__file__, str(jobs))
    assert "2 workers go on" in done.stderr
    assert "the number changes; 3 workers go on" in done.stderr
    steps = {}
    for path in sorted(jobs.glob("[0-9]-[0-9]")):
        attempt = path.name[0]
        for line in path.read_text().splitlines():
            step, epoch, numbers = json.loads(line)
            before = steps.get(step, ("", 0, []))
            steps[step] = attempt, epoch, numbers + (before[2] if before[0] == attempt else [])
    for epoch in range(worker.EPOCHS):
        seen = [number for _, e, numbers in steps.values() if e == epoch for number in numbers]
        assert sorted(seen) == list(range(worker.N))
    weights = np.load(jobs / "weights.npy")
    assert np.abs(weights - alone).max() < 1e-12  # sums of parts are rounded in another order


@pytest.mark.huge
def test_the_example(monkeypatch):
    from examples import elastic

    assert elastic.main([]) == 0
