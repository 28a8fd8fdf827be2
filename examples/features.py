# SPDX-License-Identifier: Apache-2.0
"""Like images are found by what a network makes of them: python -m examples.features.

A network learns handwritten digits. What comes out of its last hidden layer, which
`get_internals()` finds in the symbol, describes images that it has never seen: with one image of
each digit known, all others are taken for the digit of the most similar one. The exit status is 1
where, after a full training, that leaves more than a quarter of the errors that a comparison of
pixels makes.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.digits import network
from examples.module_digits import BATCH, EPOCHS, fitted

LAYER = "relu3_output"


def extractor(module: mx.mod.Module, layer: str, shape: tuple[int, ...]) -> mx.mod.Module:
    """A module that gives a layer's output, with the parameters of one that has learned."""
    internals = module.symbol.get_internals()
    part = mx.mod.Module(internals[layer], label_names=None, context=mx.cpu())
    part.bind([("data", (BATCH, *shape))], for_training=False)
    arguments, states = module.get_params()
    own = set(internals[layer].list_arguments())
    part.set_params({name: a for name, a in arguments.items() if name in own}, states)
    return part


def right(known: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> float:
    """The share of rows whose label is that of the nearest of the `known` ones, by their cosine."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    nearest = known[(unit @ unit[known].T).argmax(axis=1)]
    others = np.setdiff1d(np.arange(len(rows)), known)
    return float((labels[nearest] == labels)[others].mean())


def main(arguments: list[str] | None = None) -> int:
    """Trains, extracts and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--layer", default=LAYER)
    options = parser.parse_args(arguments)

    np.random.seed(0)
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    learn = mx.io.NDArrayIter(x, y, BATCH, shuffle=True)
    module = fitted(network(), learn, len(x), options.epochs, rate=2e-3)
    part = extractor(module, options.layer, x.shape[1:])
    features = part.predict(mx.io.NDArrayIter(x_test, batch_size=BATCH)).asnumpy()
    pixels = x_test.reshape(len(x_test), -1)

    known = np.array([np.flatnonzero(y_test == digit)[0] for digit in range(10)])
    by_features, by_pixels = (right(known, y_test, rows) for rows in (features, pixels))
    print(f"{features.shape[1]} features of an image of {pixels.shape[1]} pixels")
    print(f"accuracy {by_features:.2%} of {len(y_test)} images; by pixels {by_pixels:.2%}")
    return int(options.epochs >= EPOCHS and 1 - by_features > (1 - by_pixels) / 4)


if __name__ == "__main__":
    sys.exit(main())
