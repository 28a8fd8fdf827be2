# SPDX-License-Identifier: Apache-2.0
"""Workers go and come, and the job goes on: python -m examples.elastic.

That trains with four workers. One is killed, one is asked to leave, then one is added; and each
time all go on from a checkpoint, with the samples that are left. The loss must be that of a job
without changes, and every epoch must see every sample once. The job alone, with checkpoints and
logs in FOLDER:

    mxnova launch --min 1 --max 4 python -m examples.elastic --folder FOLDER
    torchrun --nnodes 1:4 --max-restarts 9 --rdzv-backend c10d --rdzv-endpoint HOST:PORT
        -m examples.elastic --folder FOLDER

The exit status is 1 where the loss differs or a sample is lost.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mxnova as mx
from examples.data import digits
from examples.data_parallel_gluon import network

BATCH = 64  # of all workers together
EPOCHS = 4
EVERY = 10  # steps from checkpoint to checkpoint
TOLERANCE = 1e-9  # of losses: other numbers of workers add up in another order
CHANGES = {25: "kill", 45: "leave", 60: "join"}  # step -> what happens, once each


def train(folder: Path, epochs: int, changes: dict[int, str]) -> None:
    """Momentum from the last checkpoint in `folder` on; samples of each step go to a log."""
    store = mx.kv.create("dist_sync")
    mx.random.seed(0)
    x, y, *_ = digits()
    net = network()
    net.initialize(mx.init.Xavier())
    net.cast("float64")
    net(mx.nd.array(x[:1], dtype="float64"))  # shapes of the parameters
    learn = {"learning_rate": 0.05, "momentum": 0.9}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", learn, kvstore=store)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    sampler = mx.elastic.sampler(len(x), BATCH, store=store, rescale="global")
    training = mx.elastic.Training(folder, net, trainer, sampler, every=EVERY)
    print(f"worker {store.rank} of {store.num_workers} begins with step {training.step}")
    attempt = os.environ.get("DMLC_NUM_ATTEMPT", "0")
    with open(folder / f"samples-{attempt}-{store.rank}", "w") as log:
        for numbers in training.batches(epochs):
            with mx.autograd.record():
                loss = loss_of(
                    net(mx.nd.array(x[numbers], dtype="float64")), mx.nd.array(y[numbers])
                )
            loss.backward()
            trainer.step(training.total)
            print(json.dumps([training.step, sampler.epoch, numbers]), file=log, flush=True)
            change(changes.get(training.step), len(changes), int(attempt), store.rank)
    if store.rank == 0:
        loss = loss_of(net(mx.nd.array(x, dtype="float64")), mx.nd.array(y))
        print(f"step {training.step}: loss {loss.mean().asscalar():.12f} on all images")


def change(what: str | None, n: int, attempt: int, rank: int) -> None:
    """Does to this worker, or has the launcher do, what is due in this attempt of the job."""
    if n == 0 or what is None or list(CHANGES.values()).index(what) != attempt:
        return
    if what == "join" and rank == 0:
        os.kill(os.getppid(), signal.SIGUSR1)
        time.sleep(1)  # the launcher asks all workers to stop
    elif what != "join" and rank == 1:
        os.kill(os.getpid(), signal.SIGKILL if what == "kill" else signal.SIGTERM)


def samples_of(folder: Path) -> dict[int, list[int]]:
    """Samples of each epoch: what the last attempt that came to a step has taken in it."""
    taken: dict[int, tuple[int, int, list[int]]] = {}
    for path in sorted(folder.glob("samples-*"), key=lambda path: int(path.name.split("-")[1])):
        attempt = int(path.name.split("-")[1])
        for line in path.read_text().splitlines():
            step, epoch, numbers = json.loads(line)
            before = taken.get(step)
            known = before[2] if before is not None and before[0] == attempt else []
            taken[step] = attempt, epoch, known + numbers
    epochs: dict[int, list[int]] = {}
    for _, epoch, numbers in taken.values():
        epochs.setdefault(epoch, []).extend(numbers)
    return epochs


def run(*options: str) -> tuple[float, dict[int, list[int]]]:
    """A job of four workers: the loss at the end, and the samples of its epochs."""
    launch = ("-c", "from mxnova.cli import main; main()", "launch", "--min", "1", "--max", "4")
    with tempfile.TemporaryDirectory() as folder:
        job = ("-m", "examples.elastic", "--folder", folder, *options)
        done = subprocess.run(
            [sys.executable, *launch, sys.executable, *job],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        epochs = samples_of(Path(folder))
    print(done.stdout, end="")
    found = re.search(r"loss ([\d.]+) on all", done.stdout)
    return float(found[1]) if found else float("nan"), epochs


def main(arguments: list[str] | None = None) -> int:
    """Trains as a worker, or runs two jobs and compares them; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of checkpoints, which all workers can read")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--change", action="store_true", help="kill, leave, join")
    options = parser.parse_args(arguments)
    if options.folder is not None:
        train(options.folder, options.epochs, CHANGES if options.change else {})
        return 0
    n = len(digits()[0])
    without, epochs = run()
    changed, changed_epochs = run("--change")
    is_whole = all(
        sorted(found.get(epoch, ())) == list(range(n))
        for found in (epochs, changed_epochs)
        for epoch in range(EPOCHS)
    )
    print(f"loss {without:.12f} with four workers, {changed:.12f} with 4, 3, 2 and 3")
    print(f"every epoch saw each of {n} samples once: {is_whole}")
    return int(not (abs(without - changed) <= TOLERANCE and is_whole))


if __name__ == "__main__":
    sys.exit(main())
