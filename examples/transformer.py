# SPDX-License-Identifier: Apache-2.0
"""A Transformer that tells which package a function is from: python -m examples.transformer.

Encoder layers with normalization first (Vaswani et al., Attention Is All You Need, 2017; Xiong et
al., On Layer Normalization in the Transformer Architecture, 2020) read functions of Python's
standard library. The exit status is 1 where a full training leaves more than a quarter of the
errors of whoever always says the most frequent package.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import mxnova as mx
from examples.data import PACKAGES, functions
from examples.progress import epochs

EPOCHS = 4
LENGTH = 96  # words that are read of a function
VOCABULARY = 4000
PADDING, UNKNOWN = 0, 1
HIDDEN = -1e4  # score of what must not be looked at
nn = mx.gluon.nn


class SelfAttention(mx.gluon.HybridBlock):
    """Attention of several heads; inputs (batch, length, units) and (batch, 1, 1, length)."""

    def __init__(self, units: int, heads: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._heads, self._scale = heads, 1 / math.sqrt(units // heads)
        with self.name_scope():
            self.project = nn.Dense(3 * units, flatten=False, in_units=units)
            self.output = nn.Dense(units, flatten=False, in_units=units)

    def hybrid_forward(self, F: Any, x: Any, hidden: Any) -> Any:
        parts = F.split(self.project(x), num_outputs=3, axis=2)
        query, key, value = (
            part.reshape((0, 0, -4, self._heads, -1)).transpose((0, 2, 1, 3)) for part in parts
        )
        scores = F.linalg.gemm2(query, key, transpose_b=True, alpha=self._scale)
        weights = F.softmax(F.broadcast_add(scores, hidden))
        mixed = F.linalg.gemm2(weights, value).transpose((0, 2, 1, 3))
        return self.output(mixed.reshape((0, 0, -3)))


class EncoderLayer(mx.gluon.HybridBlock):
    """Attention, then two dense layers, each added to its normalized input."""

    def __init__(self, units: int, heads: int, dropout: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.norm1, self.norm2 = (
                nn.LayerNorm(in_channels=units),
                nn.LayerNorm(in_channels=units),
            )
            self.attention = SelfAttention(units, heads)
            self.dense = nn.HybridSequential()
            self.dense.add(
                nn.Dense(4 * units, flatten=False, in_units=units),
                nn.GELU(),
                nn.Dense(units, flatten=False, in_units=4 * units),
            )
            self.dropout = nn.Dropout(dropout)

    def hybrid_forward(self, F: Any, x: Any, hidden: Any) -> Any:
        x = x + self.dropout(self.attention(self.norm1(x), hidden))
        return x + self.dropout(self.dense(self.norm2(x)))


class Classifier(mx.gluon.HybridBlock):
    """Scores of classes for words (batch, LENGTH), from the mean of what the encoder makes."""

    def __init__(
        self,
        classes: int,
        units: int = 64,
        heads: int = 4,
        layers: int = 2,
        dropout: float = 0.1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(VOCABULARY, units)
            self.position = self.params.get("position", shape=(1, LENGTH, units))
            self.layers = [EncoderLayer(units, heads, dropout) for _ in range(layers)]
            for layer in self.layers:
                self.register_child(layer)
            self.norm = nn.LayerNorm(in_channels=units)
            self.output = nn.Dense(classes, in_units=units)

    def hybrid_forward(self, F: Any, words: Any, position: Any) -> Any:
        there = words != PADDING
        hidden = ((1 - there) * HIDDEN).reshape((0, 1, 1, -1))
        x = F.broadcast_add(self.embedding(words), position)
        for layer in self.layers:
            x = layer(x, hidden)
        total = F.broadcast_mul(self.norm(x), there.expand_dims(2)).sum(axis=1)
        return self.output(F.broadcast_div(total, there.sum(axis=1, keepdims=True)))


def coded(learn: list[list[str]], test: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    """Words as numbers, those of `learn` by frequency, (n, LENGTH)."""
    counts = Counter(word for words in learn for word in words)
    frequent = counts.most_common(VOCABULARY - UNKNOWN - 1)
    places = {word: i for i, (word, _) in enumerate(frequent, UNKNOWN + 1)}

    def codes(functions: list[list[str]]) -> np.ndarray:
        rows = np.full((len(functions), LENGTH), PADDING, np.float32)
        for row, words in zip(rows, functions):
            row[: len(words)] = [places.get(word, UNKNOWN) for word in words[:LENGTH]]
        return rows

    return codes(learn), codes(test)


def train(net: Any, batches: Any, count: int, rate: float) -> None:
    """`count` epochs of Adam, whose rate rises for a tenth of them and falls to nothing."""
    steps = count * len(batches)
    schedule = mx.lr_scheduler.CosineScheduler(steps, rate, warmup_steps=steps // 10)
    options = {"learning_rate": rate, "lr_scheduler": schedule}
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", options)
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


def main(arguments: list[str] | None = None) -> int:
    """Trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--units", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    options = parser.parse_args(arguments)

    np.random.seed(0)
    mx.random.seed(0)
    words, labels = functions()
    *words, y, y_test = train_test_split(words, labels, stratify=labels, random_state=0)
    x, x_test = coded(*words)
    net = Classifier(len(PACKAGES), options.units, layers=options.layers)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True)
    batches = mx.gluon.data.DataLoader(
        mx.gluon.data.ArrayDataset(x, y), options.batch, shuffle=True, last_batch="discard"
    )
    train(net, batches, options.epochs, options.rate)

    accuracy = mx.metric.Accuracy()
    for rows in range(0, len(x_test), 64):
        there = slice(rows, rows + 64)
        accuracy.update(mx.nd.array(y_test[there]), net(mx.nd.array(x_test[there])))
    _, found = accuracy.get()
    most = np.bincount(y_test.astype(int)).max() / len(y_test)
    print(f"held-out accuracy {found:.2%} of {len(y_test)} functions; the most frequent {most:.2%}")
    return int(options.epochs >= EPOCHS and 1 - found > (1 - most) / 4)


if __name__ == "__main__":
    sys.exit(main())
