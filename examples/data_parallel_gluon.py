# SPDX-License-Identifier: Apache-2.0
"""Digits by many workers, with Gluon: mxnova launch -n 2 python -m examples.data_parallel_gluon.

`torchrun --nproc-per-node 2 -m examples.data_parallel_gluon` does the same, and --kvstore local
runs it in one process. Every worker computes its part of each batch; gradients are summed up, so
that the loss is that of one process with whole batches. The exit status is 1 where a full training
ends below 96 % of held-out images.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.progress import epochs

MIN_ACCURACY = 0.96
EPOCHS = 12
nn = mx.gluon.nn


def network() -> Any:
    """A convolution and two dense layers; without BatchNorm, for which parts of batches differ."""
    net = nn.HybridSequential(prefix="digits_")
    with net.name_scope():
        net.add(
            nn.Conv2D(32, kernel_size=3, padding=1, activation="relu"),
            nn.MaxPool2D(pool_size=2, strides=2),
            nn.Dense(64, activation="relu"),
            nn.Dense(10),
        )
    return net


class Parts:
    """This worker's part of each batch, over shuffled samples; every worker shuffles alike."""

    def __init__(self, x: np.ndarray, y: np.ndarray, batch: int, store: Any) -> None:
        self._x, self._y, self._batch, self._store = x, y, batch, store
        self._random = np.random.default_rng(0)

    def __len__(self) -> int:
        return len(self._x) // self._batch

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        order = self._random.permutation(len(self._x))
        for i in range(len(self)):
            rows = order[i * self._batch : (i + 1) * self._batch]
            mine = rows[self._store.rank :: self._store.num_workers]
            yield mx.nd.array(self._x[mine]), mx.nd.array(self._y[mine])


def train(net: Any, parts: Parts, store: Any, options: argparse.Namespace) -> float:
    """Momentum on the cross-entropy; the mean loss of this worker's last epoch."""
    learn = {"learning_rate": options.rate, "momentum": 0.9, "wd": 1e-4}
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", learn, kvstore=store)
    loss_of, mean = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.metric.Loss()
    for epoch in epochs(options.epochs, parts, "images", shown=store.rank == 0):
        mean.reset()
        for images, labels in epoch:
            with mx.autograd.record():
                loss = loss_of(net(images), labels)
            loss.backward()
            trainer.step(options.batch)  # the whole one: gradients are sums over all workers
            mean.update(None, loss)
            epoch.show(options.batch, loss=mean.get()[1])
    return float(mean.get()[1])


def main(arguments: list[str] | None = None) -> int:
    """Trains; worker 0 tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=64, help="of all workers together")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--kvstore", default="dist_sync")
    options = parser.parse_args(arguments)

    store = mx.kv.create(options.kvstore)
    mx.random.seed(0)  # every worker begins with the same values, of which those of worker 0 count
    x, y, x_test, y_test = digits()
    net = network()
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True)
    loss = train(net, Parts(x, y, options.batch, store), store, options)
    print(f"worker {store.rank} of {store.num_workers}: loss {loss:.4f} on its parts of batches")
    if store.rank:
        return 0
    accuracy = mx.metric.Accuracy()
    accuracy.update(mx.nd.array(y_test), net(mx.nd.array(x_test)))
    share = accuracy.get()[1]
    print(f"held-out accuracy {share:.2%} of {len(y_test)} images")
    return int(options.epochs >= EPOCHS and share < MIN_ACCURACY)


if __name__ == "__main__":
    sys.exit(main())
