# SPDX-License-Identifier: Apache-2.0
"""What was learned of clean digits serves noisy ones: python -m examples.fine_tuning.

A network learns clean images and is exported, as MXNet's files. Its layers up to the first dense
one are loaded from there, frozen, and serve a new dense layer that learns from ten noisy images of
each digit. The exit status is 1 where frozen parameters have changed, and where, after a full
training, a network that saw nothing but the noisy images does as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.lenet import LeNet, accuracy_of, loader, train

EPOCHS = 6
SHOTS = 10  # noisy images of each digit
NOISE = 0.3  # deviation, where pixels are from 0 to 1
LAST = "dense0_relu_fwd_output"  # the end of the name of the last output that is kept
nn = mx.gluon.nn


class FineTuned(mx.gluon.Block):
    """A new dense layer on features that stay as they are."""

    def __init__(self, features: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.features = features
        with self.name_scope():
            self.output = nn.Dense(10)

    def forward(self, images: Any) -> Any:
        with mx.autograd.pause(train_mode=False):  # else normalization would follow the new images
            known = self.features(images)
        return self.output(known)


def checkpoint(prefix: str, images: np.ndarray, labels: np.ndarray, count: int) -> Any:
    """A network that has learned, as `prefix`-symbol.json and `prefix`-0000.params, too."""
    net = LeNet()
    net.initialize(mx.init.Xavier(magnitude=2.24))
    net.hybridize()
    train(net, loader(images, labels, 32, 0, True), count, rate=2e-3)
    net.export(prefix)
    return net


def features(prefix: str) -> Any:
    """The exported network up to its first dense layer, with its parameters frozen."""
    outputs = mx.sym.load(f"{prefix}-symbol.json").get_internals()
    (last,) = (name for name in outputs.list_outputs() if name.endswith(LAST))
    block = mx.gluon.SymbolBlock(outputs[last], mx.sym.var("data", dtype="float32"))
    block.load_parameters(f"{prefix}-0000.params", ignore_extra=True)
    block.collect_params().setattr("grad_req", "null")
    return block


def values(block: Any) -> dict[str, np.ndarray]:
    """The parameters of `block`."""
    return {name: p.data().asnumpy().copy() for name, p in block.collect_params().items()}


def noisy(images: np.ndarray) -> np.ndarray:
    """`images` with noise."""
    return images + np.random.normal(scale=NOISE, size=images.shape).astype(np.float32)


def main(arguments: list[str] | None = None) -> int:
    """Trains, saves, loads, trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="on clean images")
    parser.add_argument("--few-epochs", type=int, default=25, help="on the few noisy images")
    options = parser.parse_args(arguments)

    np.random.seed(0)
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "digits"))
        clean = checkpoint(prefix, x, y, options.epochs)
        frozen = features(prefix)
    before = values(frozen)

    few = np.concatenate([np.flatnonzero(y == digit)[:SHOTS] for digit in range(10)])
    learn = loader(noisy(x[few]), y[few], 10, 0, True)
    test = loader(noisy(x_test), y_test, 50, 0, False)
    tuned, scratch = FineTuned(frozen), LeNet()
    tuned.output.initialize(mx.init.Xavier())
    scratch.initialize(mx.init.Xavier(magnitude=2.24))
    for net, rate in ((tuned, 1e-2), (scratch, 3e-3)):
        net.hybridize()
        train(net, learn, options.few_epochs, rate)

    after = values(frozen)
    changed = sum(not np.array_equal(before[name], after[name]) for name in before)
    print(f"{changed} of {len(before)} frozen parameters have changed")
    found, untuned, alone = (accuracy_of(net, test) for net in (tuned, clean, scratch))
    print(
        f"held-out accuracy {found:.2%} of {len(y_test)} noisy images; "
        f"before fine-tuning {untuned:.2%}, without the checkpoint {alone:.2%}"
    )
    return int(changed or (options.epochs >= EPOCHS and found <= alone))


if __name__ == "__main__":
    sys.exit(main())
