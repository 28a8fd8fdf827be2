# SPDX-License-Identifier: Apache-2.0
"""A recurrent network that writes like Python's help: python -m examples.char_lstm.

It learns to foretell the next character. Perplexity is what it would have to guess among; the exit
status is 1 where a full training does not come below that of a table of pairs of characters.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import mxnova as mx
from examples.data import documentation
from examples.progress import epochs

EPOCHS = 3
TEST = 40_000  # characters at the end of the text
SMOOTHING = 0.1  # added to each count of the table
MAX_NORM = 0.25  # of a step's gradients, for each character of the length of a batch
nn, rnn = mx.gluon.nn, mx.gluon.rnn


class CharacterModel(mx.gluon.HybridBlock):
    """Scores of the next character: embedding, LSTM, dense layer; layout is (time, batch)."""

    def __init__(self, characters: int, units: int, layers: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(characters, units)
            self.lstm = rnn.LSTM(units, layers, input_size=units)
            self.output = nn.Dense(characters, flatten=False, in_units=units)

    def hybrid_forward(self, F: Any, text: Any, *states: Any) -> Any:
        outputs, states = self.lstm(self.embedding(text), list(states))
        return (self.output(outputs), *states)


def columns(codes: np.ndarray, batch: int) -> np.ndarray:
    """The text as `batch` columns that are read side by side."""
    rows = len(codes) // batch
    return codes[: rows * batch].reshape(batch, rows).T


def windows(text: np.ndarray, length: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pieces of `length` rows, each with the rows that follow its own."""
    starts = range(0, len(text) - length, length)
    return [(text[i : i + length], text[i + 1 : i + length + 1]) for i in starts]


def train(net: Any, pieces: list[tuple[np.ndarray, np.ndarray]], count: int, rate: float) -> None:
    """`count` epochs of Adam; each piece begins with the state that the one before has left."""
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": rate})
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    _, batch = pieces[0][0].shape
    for epoch in epochs(count, pieces, "characters"):
        states = net.lstm.begin_state(batch)
        for text, following in epoch:
            states = [state.detach() for state in states]
            with mx.autograd.record():
                scores, *states = net(mx.nd.array(text), *states)
                loss = loss_of(scores, mx.nd.array(following)).mean(axis=0)
            loss.backward()
            gradients = [p.grad() for p in net.collect_params().values()]
            mx.gluon.utils.clip_global_norm(gradients, MAX_NORM * batch)
            trainer.step(batch)
            epoch.show(text.size, perplexity=float(np.exp(loss.mean().asscalar())))


def perplexity(net: Any, pieces: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Of `net` on text that it reads for the first time."""
    metric = mx.metric.Perplexity(ignore_label=None)
    states = net.lstm.begin_state(pieces[0][0].shape[1])
    for text, following in pieces:
        scores, *states = net(mx.nd.array(text), *states)
        metric.update([mx.nd.array(following)], [scores.softmax().reshape((-3, 0))])
    return float(metric.get()[1])


def pair_perplexity(learn: np.ndarray, test: np.ndarray, characters: int) -> float:
    """Of a table that foretells a character by the one before it."""
    counts = np.full((characters, characters), SMOOTHING)
    np.add.at(counts, (learn[:-1], learn[1:]), 1)
    chances = counts / counts.sum(axis=1, keepdims=True)
    return float(np.exp(-np.log(chances[test[:-1], test[1:]]).mean()))


def written(net: Any, alphabet: list[str], length: int) -> str:
    """Text that `net` makes up, character by character."""
    states, code, text = net.lstm.begin_state(1), mx.nd.zeros((1, 1)), []
    for _ in range(length):
        scores, *states = net(code, *states)
        code = mx.nd.random.multinomial(scores.softmax()[0], dtype="float32").reshape((1, 1))
        text.append(alphabet[int(code.asscalar())])
    return "".join(text)


def main(arguments: list[str] | None = None) -> int:
    """Trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=64, help="characters of a step")
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--characters", type=int, default=400_000, help="text to learn from")
    options = parser.parse_args(arguments)

    mx.random.seed(0)
    alphabet, codes = np.unique(list(documentation()), return_inverse=True)
    learn, test = codes[:-TEST][: options.characters], codes[-TEST:]
    net = CharacterModel(len(alphabet), options.units, options.layers)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True)
    pieces = windows(columns(learn, options.batch), options.length)
    train(net, pieces, options.epochs, options.rate)

    print(written(net, alphabet, 300))
    bound = pair_perplexity(learn, test, len(alphabet))
    found = perplexity(net, windows(columns(test, options.batch), options.length))
    print(f"held-out perplexity {found:.2f}; of a table of pairs {bound:.2f}")
    return int(options.epochs >= EPOCHS and found >= bound)


if __name__ == "__main__":
    sys.exit(main())
