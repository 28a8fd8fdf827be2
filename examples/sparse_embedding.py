# SPDX-License-Identifier: Apache-2.0
"""A large table of which a step changes few rows: python -m examples.sparse_embedding.

A function of Python's standard library is the mean of the rows of its words and pairs of words; a
dense layer tells the package from it (Joulin et al., Bag of Tricks for Efficient Text
Classification, 2016). Table and gradient are row_sparse: a step pulls the rows that its batch names
from the KVStore, and pushes and updates those alone. The exit status is 1 where other rows have
changed, and where a full training leaves more than a quarter of the errors of whoever always says
the most frequent package.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import mxnova as mx
from examples.data import PACKAGES, functions
from examples.progress import epochs

EPOCHS = 4
LENGTH = 200  # words and pairs that are read of a function
PADDING = 0
nn = mx.gluon.nn


class BagOfWords(mx.gluon.Block):
    """Scores of classes for rows' numbers (batch, LENGTH)."""

    def __init__(self, rows: int, units: int, classes: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = mx.gluon.contrib.nn.SparseEmbedding(rows, units)
            self.output = nn.Dense(classes, in_units=units)

    def forward(self, words: Any) -> Any:
        there = (words != PADDING).expand_dims(2)
        total = (self.embedding(words) * there).sum(axis=1)
        return self.output(total / there.sum(axis=1))


def hashed(functions: list[list[str]], rows: int) -> np.ndarray:
    """The numbers of rows, (n, LENGTH), of words and of pairs of neighbors."""
    numbers = np.full((len(functions), LENGTH), PADDING, np.float32)
    for row, words in zip(numbers, functions):
        pairs = [f"{word} {following}" for word, following in zip(words, words[1:])]  # noqa: RUF007
        terms = [term for both in zip(words, pairs) for term in both][:LENGTH]
        row[: len(terms)] = [1 + zlib.crc32(term.encode()) % (rows - 1) for term in terms]
    return numbers


def train(net: Any, trainer: Any, batches: Any, count: int) -> None:
    """`count` epochs on the cross-entropy of `net`'s scores."""
    loss_of, accuracy = mx.gluon.loss.SoftmaxCrossEntropyLoss(), mx.metric.Accuracy()
    for epoch in epochs(count, batches, "functions"):
        accuracy.reset()
        for words, labels in epoch:
            with mx.autograd.record():
                scores = net(words)
                loss = loss_of(scores, labels)
            loss.backward()
            trainer.step(len(labels))
            accuracy.update(labels, scores)
            epoch.show(len(labels), loss=loss.mean().asscalar(), accuracy=accuracy.get()[1])


def accuracy_of(net: Any, x: np.ndarray, y: np.ndarray) -> float:
    """The share of functions whose highest score is that of their package."""
    accuracy = mx.metric.Accuracy()
    accuracy.update(mx.nd.array(y), net(mx.nd.array(x)))
    return float(accuracy.get()[1])


def table_of(net: Any) -> np.ndarray:
    """The whole table, pulled from the trainer's KVStore."""
    weight = net.embedding.weight
    return weight.row_sparse_data(mx.nd.arange(weight.shape[0])).asnumpy()


def main(arguments: list[str] | None = None) -> int:
    """Trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rows", type=int, default=2**17, help="of the table")
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--rate", type=float, default=0.3)
    options = parser.parse_args(arguments)

    np.random.seed(0)
    mx.random.seed(0)
    words, labels = functions()
    *words, y, y_test = train_test_split(words, labels, stratify=labels, random_state=0)
    x, x_test = (hashed(part, options.rows) for part in words)
    net = BagOfWords(options.rows, options.units, len(PACKAGES))
    net.initialize(mx.init.Uniform(0.1))
    # AdaGrad has no momentum, which would go on to change rows of batches before.
    trainer = mx.gluon.Trainer(
        net.collect_params(), "adagrad", {"learning_rate": options.rate}, kvstore="local"
    )
    before = table_of(net)
    batches = mx.gluon.data.DataLoader(
        mx.gluon.data.ArrayDataset(x, y), options.batch, shuffle=True, last_batch="rollover"
    )
    train(net, trainer, batches, options.epochs)

    changed = np.flatnonzero((table_of(net) != before).any(axis=1))
    strange = len(np.setdiff1d(changed, x))
    print(f"{len(changed)} of {options.rows} rows have changed, {strange} of them without a word")
    found = accuracy_of(net, x_test, y_test)
    most = np.bincount(y_test.astype(int)).max() / len(y_test)
    print(f"held-out accuracy {found:.2%} of {len(y_test)} functions; the most frequent {most:.2%}")
    return int(strange or (options.epochs >= EPOCHS and 1 - found > (1 - most) / 4))


if __name__ == "__main__":
    sys.exit(main())
