# SPDX-License-Identifier: Apache-2.0
"""A Symbol trained by a Module on handwritten digits: python -m examples.module_digits.

The network of examples.digits, with what the programs of MXNet's first years were made of: an
NDArrayIter, `Module.fit` with an initializer, an optimizer whose rate falls, metrics and callbacks,
and a checkpoint, from which a second Module is made for the test. The exit status is 1 where a full
training ends below 98 % of held-out images.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.digits import network
from examples.progress import fit_progress

MIN_ACCURACY = 0.98
EPOCHS = 12
BATCH = 32


def fitted(
    symbol: mx.sym.Symbol,
    batches: mx.io.DataIter,
    n: int,
    epochs: int,
    rate: float,
    **options: object,
) -> mx.mod.Module:
    """A Module that has learned `epochs` epochs of `n` samples; `rate` falls to its 20th."""
    steps = n // batches.batch_size * epochs
    schedule = mx.lr_scheduler.CosineScheduler(steps, rate, final_lr=rate / 20)
    module = mx.mod.Module(symbol, context=mx.cpu())
    with fit_progress(-(-n // batches.batch_size), batches.batch_size, "images") as batch_end:
        module.fit(
            batches,
            initializer=mx.init.Xavier(magnitude=2.24),
            optimizer="adam",
            optimizer_params={"learning_rate": rate, "lr_scheduler": schedule},
            eval_metric=["acc", "ce"],
            batch_end_callback=batch_end,
            num_epoch=epochs,
            **options,
        )
    return module


def accuracy_of(module: mx.mod.Module, batches: mx.io.DataIter) -> float:
    """The share of samples whose highest score is that of their label."""
    if not module.binded:
        module.bind(batches.provide_data, batches.provide_label, for_training=False)
    ((_, accuracy),) = module.score(batches, "acc")
    return float(accuracy)


def main(arguments: list[str] | None = None) -> int:
    """Trains, saves, reloads and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=2e-3)
    options = parser.parse_args(arguments)

    np.random.seed(0)  # NDArrayIter shuffles with NumPy
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    learn = mx.io.NDArrayIter(x, y, BATCH, shuffle=True)
    test = mx.io.NDArrayIter(x_test, y_test, 50)
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "digits"))
        checkpoint = mx.callback.do_checkpoint(prefix, period=options.epochs)
        fitted(
            network(), learn, len(x), options.epochs, options.rate, epoch_end_callback=checkpoint
        )
        module = mx.mod.Module.load(prefix, options.epochs)
    accuracy = accuracy_of(module, test)
    print(f"held-out accuracy {accuracy:.2%} of {len(y_test)} images")
    return int(options.epochs >= EPOCHS and accuracy < MIN_ACCURACY)


if __name__ == "__main__":
    sys.exit(main())
