# SPDX-License-Identifier: Apache-2.0
"""How often a model finds the right class, or the one that the model in float finds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..batch_inference.reading import Array
from ..convert.proof.runner import Runner
from ..core.base.errors import ArgumentError, MXNetError
from .samples import Samples

__all__ = ["NO_SCORES", "Measure", "top_classes"]

NO_SCORES = "the first output of the model has no axis of scores"


class Measure:
    """Compares classes that are found with labels, or, without labels, with those of a model.

    Args:
        samples: what is measured on.
        classes: what the model in float finds, from `top_classes`; None: it gives no scores.
        n_classes: how many there are.
        metric: what is asked for, or None.

    Attributes:
        name: accuracy, or agreement; None if nothing can be measured.

    Raises:
        ArgumentError: there is not what the metric needs.
        MXNetError: a label is no class of the model.
    """

    def __init__(
        self, samples: Samples, classes: Array | None, n_classes: int, metric: str | None
    ) -> None:
        self.name: str | None = None
        self._right = classes
        labels = samples.labels if metric != "agreement" else None
        if metric == "accuracy" and labels is None:
            raise ArgumentError(
                "quantize: --metric accuracy: needs labels: folders of classes, records with "
                "labels, or an array called label"
            )
        if classes is None:
            if metric is not None:
                raise ArgumentError(f"quantize: --metric {metric}: {NO_SCORES}")
            return
        self.name = "agreement"
        if labels is not None and classes.ndim == 1:
            _check(samples, labels, n_classes)
            self.name, self._right = "accuracy", labels

    def __call__(self, classes: Array | None) -> float | None:
        """The share of samples, from 0 to 1, for which these are the right classes."""
        if classes is None or self._right is None:
            return None
        return float((classes == self._right).mean())


def _check(samples: Samples, labels: Array, n_classes: int) -> None:
    wrong = (labels < 0) | (labels >= n_classes) | (labels != np.floor(labels))
    if wrong.any():
        place = int(np.argmax(wrong))
        raise MXNetError(
            f"quantize: {samples.items[place].name}: its label is {labels[place]:g}; the model "
            f"has the classes 0 to {n_classes - 1}"
        )


def top_classes(
    runner: Runner, name: str, samples: Samples, advance: Callable[[int], object]
) -> tuple[Array | None, int]:
    """The class with the largest score for each sample, and how many classes there are.

    Scores lie on the second axis of the first output; those on further axes are classes of places.
    None where there is no such axis, or one class only.

    Args:
        runner: the model.
        name: of its input.
        samples: what it is fed with; all of them can be read.
        advance: told how many are done.

    Raises:
        ArgumentError: the model gives no row for each sample.
    """
    found: list[Array] = []
    n_classes, done = 0, 0
    for batch in samples.batches():
        scores = runner.outputs({name: batch.values})[0]
        done += batch.n_items
        advance(done)
        if scores.ndim < 2 or scores.shape[1] < 2:
            return None, 0
        if len(scores) != len(batch.values):
            raise ArgumentError(
                f"quantize: the first output has {len(scores)} rows for {len(batch.values)} samples"
            )
        n_classes = scores.shape[1]
        found.append(scores[: batch.n_items].argmax(axis=1))
    if done != len(samples):
        raise MXNetError(f"quantize: {len(samples) - done} files could be read before, and no more")
    return (np.concatenate(found), n_classes) if found else (None, 0)
