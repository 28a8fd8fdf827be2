# SPDX-License-Identifier: Apache-2.0
"""Records how MXNet 1.9.1 learns: ``PYTHONPATH=. python scripts/record/training.py OUT``.

The losses of the first steps of LeNet on scikit-learn's digits, three times as large, and of an
LSTM on the characters of the license. Starts and batches depend on no library.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.models.gluon_net import blocks
from benchmarks.models.sizes import Language, Sizes, start_of

ROOT = Path(__file__).resolve().parents[2]
STEPS = 20
OPTIMIZERS = {
    "LeNet": ("sgd", {"learning_rate": 3e-3, "momentum": 0.9, "wd": 1e-4}),
    "LSTM": ("adam", {"learning_rate": 3e-3}),
}
LENGTH, BATCH = 24, 16  # of the LSTM's pieces of text


def digits() -> list[tuple[np.ndarray, np.ndarray]]:
    """The first batches of 32 images and labels."""
    from sklearn.datasets import load_digits

    given = load_digits()
    images = np.kron(given.images[:, None] / 16, np.ones((3, 3))).astype(np.float32)
    rows = np.arange(STEPS * 32).reshape(STEPS, 32)
    return [(images[r], given.target[r]) for r in rows]


def license_text() -> list[tuple[np.ndarray, np.ndarray]]:
    """The first pieces (LENGTH, BATCH) of the text, and the characters that follow each."""
    text = np.frombuffer((ROOT / "LICENSE").read_bytes(), np.uint8) % 128
    size = LENGTH * BATCH
    pairs = [(text[i : i + size], text[i + 1 : i + size + 1]) for i in range(0, STEPS * size, size)]
    return [tuple(part.reshape(BATCH, LENGTH).T for part in pair) for pair in pairs]


DATA = {"LeNet": digits, "LSTM": license_text}


def losses(mx: Any, network: str, hybridized: bool) -> list[float]:
    """The mean loss of each step, before the step changes the parameters."""
    sizes = Sizes(lenet=(8, 16), language=Language(words=128, units=48, length=LENGTH))
    net = blocks(mx, sizes)[network]()
    net.initialize()
    batches = DATA[network]()
    net(mx.nd.array(batches[0][0]))  # now it knows its shapes
    for place, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(mx.nd.array(start_of(place, parameter.shape)))
    net.hybridize(hybridized)
    trainer = mx.gluon.Trainer(net.collect_params(), *OPTIMIZERS[network])
    loss_of, found = mx.gluon.loss.SoftmaxCrossEntropyLoss(), []
    for x, y in batches:
        with mx.autograd.record():
            loss = loss_of(net(mx.nd.array(x)), mx.nd.array(y))
        loss.backward()
        trainer.step(len(y))
        found.append(float(loss.mean().asscalar()))
    return found


if __name__ == "__main__":
    mxnet = importlib.import_module("mxnet")
    text = json.dumps({network: losses(mxnet, network, True) for network in DATA}, indent=1)
    Path(sys.argv[1]).write_text(text + "\n", encoding="ascii")
