# SPDX-License-Identifier: Apache-2.0
"""A linear model of millions of features, from LibSVM text: python -m examples.sparse_linear.

Which words and pairs of words a function of Python's standard library has is written as LibSVM
text, a line for each function. LibSVMIter gives CSR batches; the weights, a row for each feature,
are row_sparse: a Module pulls the rows that a batch needs from the KVStore, and updates those
alone. The exit status is 1 where, after a full training, more than a quarter of the errors are left
of whoever always says the most frequent package.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zlib
from itertools import pairwise
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

import mxnova as mx
from examples.data import PACKAGES, functions
from examples.progress import fit_progress

EPOCHS = 6
BATCH = 32


def features(words: list[str], count: int) -> dict[int, float]:
    """Of words and of pairs of neighbors, by number; all together have length 1."""
    terms = {*words, *(f"{word} {following}" for word, following in pairwise(words))}
    numbers = {zlib.crc32(term.encode()) % count for term in terms}
    return dict.fromkeys(sorted(numbers), len(numbers) ** -0.5)


def write_libsvm(path: Path, words: list[list[str]], labels: np.ndarray, count: int) -> None:
    """A line of label and features for each function."""
    with path.open("w") as file:
        for own, label in zip(words, labels):
            entries = " ".join(f"{i}:{value:.6g}" for i, value in features(own, count).items())
            file.write(f"{int(label)} {entries}\n")


def linear(count: int) -> mx.sym.Symbol:
    """Scores of packages for CSR rows of `count` features."""
    data = mx.sym.var("data", stype="csr")
    weight = mx.sym.var(
        "weight", stype="row_sparse", shape=(count, len(PACKAGES)), init=mx.init.Normal(0.01)
    )
    bias = mx.sym.var("bias", shape=(len(PACKAGES),), init=mx.init.Zero())
    scores = mx.sym.broadcast_add(mx.sym.sparse.dot(data, weight), bias)
    return mx.sym.SoftmaxOutput(scores, mx.sym.var("softmax_label"), name="softmax")


def rows_of(batch: mx.io.DataBatch) -> dict[str, mx.nd.NDArray]:
    """The rows of the weight that a batch needs."""
    return {"weight": batch.data[0].indices}


def main(arguments: list[str] | None = None) -> int:
    """Writes text, trains and tests; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--features", type=int, default=2**20)
    parser.add_argument("--rate", type=float, default=1.0)
    options = parser.parse_args(arguments)

    mx.random.seed(0)
    words, labels = functions()
    learn_words, test_words, y, y_test = train_test_split(
        words, labels, stratify=labels, random_state=0
    )
    module = mx.mod.Module(linear(options.features), context=mx.cpu())
    with tempfile.TemporaryDirectory() as folder:
        iterators = []
        for name, part in (("learn", (learn_words, y)), ("test", (test_words, y_test))):
            path = Path(folder, f"{name}.libsvm")
            write_libsvm(path, *part, options.features)
            iterators.append(
                mx.io.LibSVMIter(
                    data_libsvm=str(path), data_shape=(options.features,), batch_size=BATCH
                )
            )
        learn, test = iterators
        with fit_progress(-(-len(y) // BATCH), BATCH, "functions") as batch_end:
            module.fit(
                learn,
                kvstore=mx.kv.create("local"),
                optimizer="adagrad",
                optimizer_params={"learning_rate": options.rate},
                eval_metric=["acc", "ce"],
                batch_end_callback=batch_end,
                num_epoch=options.epochs,
                sparse_row_id_fn=rows_of,
            )
        right = total = 0
        for scores, _, batch in module.iter_predict(test, sparse_row_id_fn=rows_of):
            found = scores[0].asnumpy().argmax(axis=1)
            right += int((found == batch.label[0].asnumpy()[: len(found)]).sum())
            total += len(found)
    accuracy, most = right / total, np.bincount(y_test.astype(int)).max() / len(y_test)
    print(f"held-out accuracy {accuracy:.2%} of {total} functions; the most frequent {most:.2%}")
    return int(options.epochs >= EPOCHS and 1 - accuracy > (1 - most) / 4)


if __name__ == "__main__":
    sys.exit(main())
