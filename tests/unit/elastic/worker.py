# SPDX-License-Identifier: Apache-2.0
"""Adam on a small network with Dropout-free layers, in float64: trains, and notes its samples.

Started by `mxnova launch`, workers end themselves and ask for others; under torchrun, agents are
killed and started by the test.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mxnova as mx

N, BATCH, EPOCHS, EVERY = 90, 16, 3, 4


def made(store=None, **options):
    """What a worker trains: data, network, trainer and sampler."""
    draw = np.random.default_rng(0)
    x = draw.standard_normal((N, 5))
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(4, in_units=5, activation="tanh"), mx.gluon.nn.Dense(1, in_units=4))
    net.cast("float64")
    net.initialize(mx.init.Constant(0.1))
    net[0].weight.set_data(mx.nd.array(draw.standard_normal((4, 5)), dtype="float64"))
    options = {"learning_rate": 0.05} | options
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", options, kvstore=store)
    sampler = mx.elastic.sampler(N, BATCH, store=store, seed=1)
    return x, net, trainer, sampler


def learn(net, trainer, x, numbers, total):
    with mx.autograd.record():
        out = net(mx.nd.array(x[numbers], dtype="float64"))
        target = mx.nd.array(x[numbers].sum(axis=1, keepdims=True) ** 2, dtype="float64")
        loss = ((out - target) ** 2).sum()
    loss.backward()
    trainer.step(total)


def weights(net):
    return np.concatenate([p.data().asnumpy().ravel() for p in net.collect_params().values()])


def work(folder: Path) -> None:
    """Two of four workers are killed, then the launcher is asked for one more."""
    wait_for_signal = signal_waiter()
    store = mx.kv.create("dist_sync")
    x, net, trainer, sampler = made(store)
    training = mx.elastic.Training(folder, net, trainer, sampler, every=EVERY)
    attempt = int(os.environ["DMLC_NUM_ATTEMPT"])
    with open(folder / f"{attempt}-{store.rank}", "w") as log:
        for numbers in training.batches(EPOCHS):
            learn(net, trainer, x, numbers, training.total)
            print(json.dumps([training.step, sampler.epoch, numbers]), file=log, flush=True)
            if attempt == 0 and training.step == 6 and store.rank in (1, 2):
                while not all_did(6, folder, attempt, training.world):
                    time.sleep(0.01)  # who is still in the step would fail before it is killed
                os.kill(os.getpid(), signal.SIGKILL)
            if attempt == 1 and training.step == 9 and store.rank == 0:
                os.kill(os.getppid(), signal.SIGUSR1)
                wait_for_signal()
    if store.rank == 0:
        np.save(folder / "weights.npy", weights(net))


def all_did(step: int, folder: Path, attempt: int, world: int) -> bool:
    """Whether all workers have noted a step."""
    notes = [path.read_text().splitlines() for path in folder.glob(f"{attempt}-*")]
    did = [any(line.startswith(f"[{step}, ") for line in lines) for lines in notes]
    return sum(did) == world


def signal_waiter() -> Callable[[], object]:
    """A function that returns once this process has got a signal, or after two minutes."""
    signalled, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    return lambda: select.select([signalled], [], [], 120)


def work_under_torchrun(folder: Path) -> None:
    """Four workers wait until an agent is killed, two until one has come and they get SIGTERM."""
    wait_for_signal = signal_waiter()
    store = mx.kv.create("dist_sync")
    x, net, trainer, sampler = made(store)
    training = mx.elastic.Training(folder, net, trainer, sampler, every=EVERY)
    start, world = training.step, training.world
    with open(folder / f"log-{os.getppid()}-{os.getpid()}", "w") as log:
        for numbers in training.batches(EPOCHS):
            learn(net, trainer, x, numbers, training.total)
            line = [training.step, sampler.epoch, [world, start], store.rank, numbers]
            print(json.dumps(line), file=log, flush=True)
            while world == 4 and training.step == 6 and not (folder / "killed").exists():
                time.sleep(0.02)
            if world == 2 and training.step == 9:
                wait_for_signal()
    if store.rank == 0:
        np.save(folder / "weights.npy", weights(net))


if __name__ == "__main__":
    (work_under_torchrun if "TORCHELASTIC_RUN_ID" in os.environ else work)(Path(sys.argv[1]))
