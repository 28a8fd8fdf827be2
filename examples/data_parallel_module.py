# SPDX-License-Identifier: Apache-2.0
"""Digits by many workers, with Module: mxnova launch -n 2 python -m examples.data_parallel_module.

`torchrun --nproc-per-node 2 -m examples.data_parallel_module` does the same, and --kvstore local
runs it in one process. Every worker reads its share of the images, of which it makes batches of its
own. The exit status is 1 where a full training ends below 96 % of held-out images.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import mxnova as mx
from examples.data import digits
from examples.progress import fit_progress

MIN_ACCURACY = 0.96
EPOCHS = 12


def network() -> Any:
    """A convolution and two dense layers."""
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), pad=(1, 1), num_filter=32)
    net = mx.sym.Activation(net, act_type="relu")
    net = mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max")
    net = mx.sym.Activation(mx.sym.FullyConnected(net, num_hidden=64), act_type="relu")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(net, num_hidden=10), name="softmax")


def main(arguments: list[str] | None = None) -> int:
    """Trains; worker 0 tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32, help="of each worker")
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--kvstore", default="dist_sync")
    options = parser.parse_args(arguments)

    store = mx.kv.create(options.kvstore)
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    count = len(x) // store.num_workers  # for all the same: each waits for the others' batches
    mine = slice(store.rank * count, (store.rank + 1) * count)
    batches = mx.io.NDArrayIter(
        x[mine], y[mine], options.batch, shuffle=True, last_batch_handle="discard"
    )
    module = mx.mod.Module(network())
    with fit_progress(count // options.batch, options.batch, "images") as show:
        module.fit(  # gradients are sums over all workers, divided by the samples of all
            batches,
            kvstore=store,
            optimizer="sgd",
            optimizer_params={"learning_rate": options.rate, "momentum": 0.9, "wd": 1e-4},
            initializer=mx.init.Xavier(),
            num_epoch=options.epochs,
            batch_end_callback=show if store.rank == 0 else None,
        )
    if store.rank:
        return 0
    ((_, share),) = module.score(mx.io.NDArrayIter(x_test, y_test, 50), "acc")
    print(f"held-out accuracy {share:.2%} of {len(y_test)} images, {store.num_workers} workers")
    return int(options.epochs >= EPOCHS and share < MIN_ACCURACY)


if __name__ == "__main__":
    sys.exit(main())
