# SPDX-License-Identifier: Apache-2.0
"""A language model of sentences of any length: python -m examples.bucketing.

An LSTM reads sentences of Python's documentation and says which word comes next. Sentences of like
length are in one batch (`mx.rnn.BucketSentenceIter`), and a BucketingModule has a graph for each
such length, all with the same weights. The exit status is 1 where a full training leaves a
perplexity above half of that of whoever knows only how frequent words are.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import mxnova as mx
from examples.data import documentation
from examples.progress import fit_progress

EPOCHS = 6
BUCKETS = (8, 16, 24, 32, 48)  # words
VOCABULARY = 1500
PADDING, UNKNOWN = 0, 1


def sentences() -> list[list[str]]:
    """Words of sentences, each with an end, none longer than the last bucket."""
    found = []
    for sentence in re.split(r"(?<=[.:])\s+|\n\n+", documentation()):
        words = re.findall(r"\w+|[^\w\s]", sentence.lower())
        if 3 <= len(words) < BUCKETS[-1]:
            found.append([*words, "\n"])
    return found


def vocabulary(learn: list[list[str]]) -> dict[str, int]:
    """Numbers of the most frequent words; all others are to be one word."""
    counts = Counter(word for words in learn for word in words)
    frequent = counts.most_common(VOCABULARY - UNKNOWN - 1)
    return {"<unknown>": UNKNOWN, **{word: i for i, (word, _) in enumerate(frequent, UNKNOWN + 1)}}


def graphs(units: int) -> Any:
    """Gives for a length the graph of sentences that long, and the names of its inputs."""
    cells = mx.rnn.SequentialRNNCell()
    cells.add(mx.rnn.LSTMCell(units, prefix="lstm_"))

    def graph(length: int) -> tuple[mx.sym.Symbol, tuple[str], tuple[str]]:
        data, label = mx.sym.var("data"), mx.sym.var("softmax_label")
        words = mx.sym.Embedding(data, input_dim=VOCABULARY, output_dim=units, name="embedding")
        cells.reset()
        states, _ = cells.unroll(length, words, merge_outputs=True)
        flat = mx.sym.reshape(states, (-1, units))
        scores = mx.sym.FullyConnected(flat, num_hidden=VOCABULARY, name="output")
        label = mx.sym.reshape(label, (-1,))
        softmax = mx.sym.SoftmaxOutput(
            scores, label, use_ignore=True, ignore_label=PADDING, name="softmax"
        )
        return softmax, ("data",), ("softmax_label",)

    return graph


def perplexity_of_frequencies(learn: list[list[int]], test: list[list[int]]) -> float:
    """The perplexity of the words of `test`, by how frequent they are in `learn`."""
    counts = np.ones(VOCABULARY)
    np.add.at(counts, np.concatenate(learn), 1)
    logs = np.log(counts / counts.sum())
    following = np.concatenate([sentence[1:] for sentence in test])
    return float(np.exp(-logs[following].mean()))


def main(arguments: list[str] | None = None) -> int:
    """Trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--sentences", type=int, default=None, help="of the documentation's")
    options = parser.parse_args(arguments)

    mx.random.seed(0)
    np.random.seed(0)  # the iterator shuffles by Python's and NumPy's
    random.seed(0)
    words = sentences()[: options.sentences]
    learn_words, test_words = train_test_split(words, test_size=0.1, random_state=0)
    known = vocabulary(learn_words)
    learn, test = (
        mx.rnn.encode_sentences(part, dict(known), unknown_token="<unknown>")[0]
        for part in (learn_words, test_words)
    )
    batches, held_out = (
        mx.rnn.BucketSentenceIter(part, options.batch, list(BUCKETS), invalid_label=PADDING)
        for part in (learn, test)
    )
    module = mx.mod.BucketingModule(
        graphs(options.units), batches.default_bucket_key, context=mx.cpu()
    )
    with fit_progress(len(batches.idx), options.batch, "sentences") as batch_end:
        module.fit(
            batches,
            eval_metric=mx.metric.Perplexity(ignore_label=PADDING),
            initializer=mx.init.Xavier(),
            optimizer="adam",
            optimizer_params={"learning_rate": options.rate, "clip_gradient": 1.0},
            batch_end_callback=batch_end,
            num_epoch=options.epochs,
        )
    ((_, found),) = module.score(held_out, mx.metric.Perplexity(ignore_label=PADDING))
    simple = perplexity_of_frequencies(learn, test)
    print(f"held-out perplexity {found:.1f}; of the words' frequencies {simple:.1f}")
    return int(options.epochs >= EPOCHS and found > simple / 2)


if __name__ == "__main__":
    sys.exit(main())
