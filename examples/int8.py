# SPDX-License-Identifier: Apache-2.0
"""A trained network on integers: python -m examples.int8.

A network that has learned handwritten digits is turned into one whose convolutions and dense layers
compute with numbers of 8 bits; the ranges of these come from some of the images it learned from.
The exit status is 1 where, after a full training, that costs more than one percent of accuracy.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np

import mxnova as mx
from examples.data import digits
from examples.digits import network
from examples.module_digits import BATCH, EPOCHS, accuracy_of, fitted

MAX_LOSS = 0.01
CALIBRATION = 320  # images


def quantized(module: mx.mod.Module, images: mx.io.DataIter, mode: str) -> mx.mod.Module:
    """The network of a module on integers, with ranges from `images`."""
    symbol, arguments, states = mx.contrib.quantization.quantize_model(
        module.symbol,
        *module.get_params(),
        ctx=mx.cpu(),
        calib_mode=mode,
        calib_data=images,
        num_calib_examples=CALIBRATION,
        quantized_dtype="int8",
    )
    integers = mx.mod.Module(symbol, context=mx.cpu())
    integers.bind(images.provide_data, images.provide_label, for_training=False)
    integers.set_params(arguments, states)
    return integers


def n_quantized(symbol: mx.sym.Symbol) -> int:
    """How many operators compute with integers."""
    nodes = json.loads(symbol.tojson())["nodes"]
    return sum(node["op"].startswith("_contrib_quantized_") for node in nodes)


def main(arguments: list[str] | None = None) -> int:
    """Trains, quantizes and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--calibration", default="entropy", choices=("naive", "entropy", "none"))
    options = parser.parse_args(arguments)

    np.random.seed(0)
    mx.random.seed(0)
    x, y, x_test, y_test = digits()
    learn = mx.io.NDArrayIter(x, y, BATCH, shuffle=True)
    module = fitted(network(), learn, len(x), options.epochs, rate=2e-3)
    test = mx.io.NDArrayIter(x_test, y_test, 50)
    before = accuracy_of(module, test)
    integers = quantized(module, learn, options.calibration)
    after = accuracy_of(integers, test)
    print(f"{n_quantized(integers.symbol)} operators compute with integers")
    print(f"held-out accuracy {before:.2%} of {len(y_test)} images before, {after:.2%} after")
    return int(options.epochs >= EPOCHS and before - after > MAX_LOSS)


if __name__ == "__main__":
    sys.exit(main())
