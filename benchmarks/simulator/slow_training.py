# SPDX-License-Identifier: Apache-2.0
"""One worker of a job that only waits in its steps: notes each step with its time."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import mxnova as mx

_SAMPLES = 1 << 20  # which nobody comes to the end of


def main(folder: Path, step: float, every: int) -> None:
    """Trains from the last checkpoint until it is killed.

    Args:
        folder: of checkpoints and notes, which are a line after each step of the first worker:
            time, steps done, processor time of the process; each worker makes a file that is
            called as its process.
        step: seconds of one, without the exchange of gradients.
        every: steps from checkpoint to checkpoint.
    """
    store: Any = mx.kv.create("dist_sync")
    net = mx.gluon.nn.Dense(1, in_units=1)
    net.initialize()
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", kvstore=store)
    sampler = mx.elastic.sampler(_SAMPLES, store.num_workers, store=store, shuffle=False)
    training = mx.elastic.Training(folder / "checkpoints", net, trainer, sampler, every=every)
    (folder / f"worker-{os.getpid()}").touch()
    x = mx.nd.ones((1, 1))
    with open(folder / "steps" if store.rank == 0 else os.devnull, "a") as notes:
        for _ in training.batches(1):
            time.sleep(step)
            with mx.autograd.record():
                loss = net(x)
            loss.backward()
            trainer.step(training.total)
            note = [time.time(), training.step, time.process_time()]
            print(json.dumps(note), file=notes, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
