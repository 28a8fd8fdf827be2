# SPDX-License-Identifier: Apache-2.0
"""A worker is killed, and the job goes on from its checkpoint: python -m examples.resume.

That trains twice with two workers, of which one is killed at step 50 the second time, and compares
the losses. One such job alone, whose checkpoints are in FOLDER:

    mxnova launch -n 2 --max-restarts 1 python -m examples.resume --folder FOLDER
    torchrun --nproc-per-node 2 --max-restarts 1 -m examples.resume --folder FOLDER

The exit status is 1 where the two end with other losses.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.data_parallel_gluon import network

EVERY = 10  # steps from checkpoint to checkpoint
BATCH = 64


def train(folder: Path, steps: int, die_at: int | None) -> None:
    """Momentum from the last checkpoint in `folder`, if there is one, to step `steps`."""
    store = mx.kv.create("dist_sync")
    mx.random.seed(0)
    x, y, *_ = digits()
    net = network()
    net.initialize(mx.init.Xavier())
    net(mx.nd.array(x[:1]))  # shapes of the parameters
    learn = {"learning_rate": 0.05, "momentum": 0.9}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", learn, kvstore=store)
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    begin = 0
    if mx.checkpoint.steps(folder):
        begin = mx.checkpoint.load(folder, net, trainer).step
    print(f"worker {store.rank} of {store.num_workers} begins with step {begin}")
    for step in range(begin, steps):
        if step == die_at and store.rank == 1 and not was_restarted():
            mx.checkpoint.wait()  # or else the one before counts
            os.kill(os.getpid(), signal.SIGKILL)
        # The samples of a step follow from its number: they are the same after a restart.
        rows = np.random.default_rng(step).choice(len(x), BATCH, replace=False)
        mine = rows[store.rank :: store.num_workers]
        with mx.autograd.record():
            loss = loss_of(net(mx.nd.array(x[mine])), mx.nd.array(y[mine]))
        loss.backward()
        trainer.step(BATCH)
        if (step + 1) % EVERY == 0:
            mx.checkpoint.save(folder, step + 1, net, trainer, keep=2)
    mx.checkpoint.wait()
    if store.rank == 0:
        loss = loss_of(net(mx.nd.array(x)), mx.nd.array(y))
        print(f"step {steps}: loss {loss.mean().asscalar():.9f} on all images")


def was_restarted() -> bool:
    """As `mxnova launch` and torchrun tell it."""
    names = ("DMLC_NUM_ATTEMPT", "TORCHELASTIC_RESTART_COUNT")
    return any(os.environ.get(name, "0") != "0" for name in names)


def loss_of_job(steps: int, *options: str) -> float:
    """The loss at the end of a job of two workers, which may restart once."""
    launch = ("-c", "from mxnova.cli import main; main()", "launch", "-n", "2")
    with tempfile.TemporaryDirectory() as folder:
        job = ("-m", "examples.resume", "--folder", folder, "--steps", str(steps), *options)
        done = subprocess.run(
            [sys.executable, *launch, "--max-restarts", "1", sys.executable, *job],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    print(done.stdout, end="")
    found = re.search(r"loss ([\d.]+) on all", done.stdout)
    return float(found[1]) if found else float("nan")


def main(arguments: list[str] | None = None) -> int:
    """Trains as a worker, or runs two jobs and compares them; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of checkpoints, which all workers can read")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--die-at", type=int, help="the step at which worker 1 is killed")
    options = parser.parse_args(arguments)
    if options.folder is not None:
        train(options.folder, options.steps, options.die_at)
        return 0
    without = loss_of_job(options.steps)
    killed = loss_of_job(options.steps, "--die-at", str(options.steps // 2))
    print(f"loss {without:.9f} without a kill, {killed:.9f} with one at half of the way")
    return int(not abs(without - killed) <= 1e-6)


if __name__ == "__main__":
    sys.exit(main())
