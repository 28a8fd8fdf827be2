# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: a Symbol trained by an Executor, saved as MXNet saves it, and reloaded.

Writes demo-output/digits-symbol.json and demo-output/digits-0010.params.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import mxnova as mx

PREFIX = Path("demo-output/digits")
EPOCHS = 10
BATCH = 64
UPDATE = {"lr": 0.05, "momentum": 0.9, "wd": 1e-4, "rescale_grad": 1 / BATCH}
MIN_ACCURACY = 0.97
SHADES = " ░▒▓█"


def main() -> int:
    """Trains, saves, reloads, tests; the exit status is 1 below `MIN_ACCURACY`."""
    digits = load_digits()
    images = (digits.images[:, None] / 16).astype(np.float32)
    x_train, x_test, y_train, y_test = train_test_split(
        images, digits.target, test_size=450, stratify=digits.target, random_state=0
    )
    symbol = network()
    save(symbol, train(symbol, x_train, y_train))

    predictor = mx.Predictor.from_checkpoint(str(PREFIX), EPOCHS, {"data": x_test.shape})
    (probabilities,) = predictor.predict(data=x_test)
    correct = probabilities.argmax(axis=1) == y_test
    console = Console()
    console.print(pictures(x_test, y_test, probabilities))
    console.print(
        f"Test accuracy: [bold]{correct.mean():.2%}[/], "
        f"{correct.sum()} of {len(correct)} images that the training did not see"
    )
    return int(correct.mean() < MIN_ACCURACY)


def network() -> mx.sym.Symbol:
    """Two convolutions, each followed by halving, then two fully connected layers."""
    net = mx.sym.var("data")
    for i, width in enumerate((32, 64), start=1):
        net = mx.sym.Convolution(
            net, kernel=(3, 3), pad=(1, 1), num_filter=width, no_bias=True, name=f"conv{i}"
        )
        net = mx.sym.BatchNorm(net, fix_gamma=False, name=f"bn{i}")
        net = mx.sym.Activation(net, act_type="relu", name=f"relu{i}")
        net = mx.sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max", name=f"pool{i}")
    net = mx.sym.FullyConnected(net, num_hidden=64, name="fc1")
    net = mx.sym.Activation(net, act_type="relu", name="relu3")
    net = mx.sym.FullyConnected(net, num_hidden=10, name="fc2")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def train(symbol: mx.sym.Symbol, images: np.ndarray, labels: np.ndarray) -> mx.Executor:
    """The executor that holds the learned parameters."""
    rng = np.random.default_rng(seed=0)
    executor = bind(symbol, (BATCH, *images.shape[1:]), rng)
    gradients = {name: g for name, g in executor.grad_dict.items() if g is not None}
    momenta = {name: mx.nd.zeros(g.shape) for name, g in gradients.items()}
    n_batches = len(images) // BATCH
    orders = [rng.permutation(len(images))[: n_batches * BATCH] for _ in range(EPOCHS)]
    batches = np.split(np.concatenate(orders), EPOCHS * n_batches)
    for rows in track(batches, f"Training, {EPOCHS} epochs"):
        executor.forward(is_train=True, data=images[rows], softmax_label=labels[rows])
        executor.backward()
        for name, gradient in gradients.items():
            weight = executor.arg_dict[name]
            mx.nd.sgd_mom_update(weight, gradient, momenta[name], out=weight, **UPDATE)
    return executor


def bind(symbol: mx.sym.Symbol, shape: tuple[int, ...], rng: np.random.Generator) -> mx.Executor:
    """An executor with He's initial weights, no bias, and neutral normalization."""
    requests = dict.fromkeys(symbol.list_arguments(), "write")
    requests.update(data="null", softmax_label="null")
    executor = symbol.simple_bind(mx.cpu(), grad_req=requests, data=shape)
    for name, array in executor.arg_dict.items():
        if name.endswith("_weight"):
            scale = np.sqrt(2 / np.prod(array.shape[1:]))
            array[:] = rng.normal(scale=scale, size=array.shape)
        elif name.endswith("_gamma"):
            array[:] = 1
    for name, array in executor.aux_dict.items():
        array[:] = 1 if name.endswith("_var") else 0
    return executor


def save(symbol: mx.sym.Symbol, executor: mx.Executor) -> None:
    """Writes the checkpoint."""
    inputs = ("data", "softmax_label")
    learned = {name: a for name, a in executor.arg_dict.items() if name not in inputs}
    PREFIX.parent.mkdir(exist_ok=True)
    mx.model.save_checkpoint(str(PREFIX), EPOCHS, symbol, learned, executor.aux_dict)


def pictures(images: np.ndarray, labels: np.ndarray, probabilities: np.ndarray) -> Table:
    """The first two images, and the two that the network was least sure of."""
    sureness = probabilities.max(axis=1)
    headers = ("", "image", "image", "least sure", "least sure")
    table = Table(*headers, box=None, pad_edge=False, collapse_padding=True)
    chosen = [0, 1, *sureness.argsort()[:2]]
    table.add_row("", *(picture(images[i, 0]) for i in chosen))
    table.add_row("true", *(str(labels[i]) for i in chosen))
    table.add_row("predicted", *(str(probabilities[i].argmax()) for i in chosen))
    table.add_row("probability", *(f"{sureness[i]:.1%}" for i in chosen))
    return table


def picture(image: np.ndarray) -> str:
    """The image in block characters, two for a pixel."""
    levels = (image * (len(SHADES) - 1)).round().astype(int)
    return "\n".join("".join(SHADES[level] * 2 for level in row) for row in levels)


if __name__ == "__main__":
    sys.exit(main())
