# SPDX-License-Identifier: Apache-2.0
"""Metrics of two classes, where class 1 is what is looked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from .base import EvalMetric, argument, check_label_shapes, check_sizes, register, tensor_of

__all__ = ["F1", "MCC"]

_COUNTS = ("true_negatives", "false_positives", "false_negatives", "true_positives")


class _BinaryClassificationMetrics:
    """Counts of right and wrong predictions, of a run and of a stretch of it.

    Example:
        >>> counts = mx.metric._BinaryClassificationMetrics()
        >>> label, prediction = mx.nd.array([1, 0]), mx.nd.array([[0.2, 0.8], [0.4, 0.6]])
        >>> counts.update_binary_stats(label, prediction)
        >>> counts.precision, counts.recall
        (0.5, 1.0)
    """

    def __init__(self) -> None:
        self.reset_stats()

    def update_binary_stats(self, label: Any, pred: Any) -> None:
        """Counts a batch.

        Args:
            label: classes, (batch,).
            pred: scores, (batch, classes).

        Raises:
            ArgumentError: there are more than two classes, or shapes do not fit.
        """
        self._count(self._counted(self, label, pred))

    @staticmethod
    def _counted(metric: object, label: Any, pred: Any) -> list[int]:
        """How often a batch holds what each of `_COUNTS` is."""
        scores = tensor_of(pred)
        if scores.ndim < 2:
            reason = f"predictions of shape {tuple(scores.shape)} must have an axis of classes"
            raise argument(metric, reason)
        found = scores.argmax(1).reshape(-1) == 1
        label = tensor_of(label).to(scores.device).reshape(-1).int()
        check_sizes(metric, label, found)
        if len(label):
            least, most = label.aminmax()
            # Two classes need not be 0 and 1.
            if int(most) - int(least) > 1 and ((label != least) & (label != most)).any():
                raise argument(metric, "there are labels of more than two classes")
        right = label == 1
        true_positives = int(torch.count_nonzero(right & found))
        false_positives = int(torch.count_nonzero(found)) - true_positives
        false_negatives = int(torch.count_nonzero(right)) - true_positives
        wrong_or_found = true_positives + false_positives + false_negatives
        return [len(label) - wrong_or_found, false_positives, false_negatives, true_positives]

    def _count(self, counts: Sequence[int]) -> None:
        for name, count in zip(_COUNTS, counts, strict=True):
            setattr(self, name, getattr(self, name) + count)
            setattr(self, f"global_{name}", getattr(self, f"global_{name}") + count)

    def _counts(self, whole: bool) -> list[int]:
        start = "global_" if whole else ""
        return [getattr(self, start + name) for name in _COUNTS]

    def _precision(self, whole: bool) -> float:
        _, false_positives, _, true_positives = self._counts(whole)
        return _ratio(true_positives, true_positives + false_positives)

    def _recall(self, whole: bool) -> float:
        _, _, false_negatives, true_positives = self._counts(whole)
        return _ratio(true_positives, true_positives + false_negatives)

    def _fscore(self, whole: bool) -> float:
        precision, recall = self._precision(whole), self._recall(whole)
        return _ratio(2 * precision * recall, precision + recall)

    @property
    def precision(self) -> float:
        """Return the precision of class 1."""
        return self._precision(False)

    @property
    def global_precision(self) -> float:
        """`precision`, of the whole run."""
        return self._precision(True)

    @property
    def recall(self) -> float:
        """How much of class 1 was predicted to be."""
        return self._recall(False)

    @property
    def global_recall(self) -> float:
        """`recall`, of the whole run."""
        return self._recall(True)

    @property
    def fscore(self) -> float:
        """The harmonic mean of precision and recall."""
        return self._fscore(False)

    @property
    def global_fscore(self) -> float:
        """`fscore`, of the whole run."""
        return self._fscore(True)

    def matthewscc(self, use_global: bool = False) -> float:
        """Matthews' correlation coefficient; sums of 0 are left out of its denominator."""
        tn, fp, fn, tp = map(float, self._counts(use_global))
        sums = (tp + fp, tp + fn, tn + fp, tn + fn)
        return (tp * tn - fp * fn) / math.sqrt(math.prod(s for s in sums if s))

    @property
    def total_examples(self) -> int:
        """Return the number of predictions."""
        return sum(self._counts(False))

    @property
    def global_total_examples(self) -> int:
        """Return the number of predictions in the whole run."""
        return sum(self._counts(True))

    def local_reset_stats(self) -> None:
        """Begins a new stretch."""
        for name in _COUNTS:
            setattr(self, name, 0)

    def reset_stats(self) -> None:
        """Begins anew."""
        self.local_reset_stats()
        for name in _COUNTS:
            setattr(self, f"global_{name}", 0)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class _BinaryMetric(EvalMetric):
    """A score that is made of counts: the mean over batches, or that of all counts."""

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None,
        label_names: Sequence[str] | None,
        average: str,
    ) -> None:
        self._average = average
        self._metrics = _BinaryClassificationMetrics()
        given = {} if average == "macro" else {"average": average}
        super().__init__(name, output_names, label_names, has_global_stats=True, **given)

    def _score(self, whole: bool) -> float:
        raise NotImplementedError

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with a batch: lists of arrays, or a single pair.

        Raises:
            ArgumentError: there are more than two classes, or shapes do not fit; nothing of the
                batch is taken then.
        """
        labels, preds = check_label_shapes(labels, preds, True)
        metrics = self._metrics
        pairs = zip(labels, preds, strict=True)
        for counts in [metrics._counted(self, label, pred) for label, pred in pairs]:
            metrics._count(counts)
        if self._average == "macro":
            self._add(self._score(False), 1)
            metrics.reset_stats()
        else:
            self.num_inst = metrics.total_examples
            self.sum_metric = self._score(False) * self.num_inst
            self.global_num_inst = metrics.global_total_examples
            self.global_sum_metric = self._score(True) * self.global_num_inst

    def reset(self) -> None:
        """Reset all statistics."""
        super().reset()
        self._metrics.reset_stats()

    def reset_local(self) -> None:
        """Reset the local statistics of `get`."""
        super().reset_local()
        self._metrics.local_reset_stats()


@register
class F1(_BinaryMetric):
    """The harmonic mean of precision and recall, of two classes.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.
        average: ``macro``: the mean over batches; ``micro``: of all predictions at once.

    Example:
        >>> metric = mx.metric.F1()
        >>> metric.update(
        ...     [mx.nd.array([0, 1, 1])],
        ...     [mx.nd.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])],
        ... )
        >>> metric.get()
        ('f1', 0.6666666666666666)
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)
        self.average = average
        self.metrics = self._metrics

    def _score(self, whole: bool) -> float:
        return self._metrics._fscore(whole)


@register
class MCC(_BinaryMetric):
    """Matthews' correlation coefficient, of two classes.

    Matthews, "Comparison of the predicted and observed secondary structure of T4 phage lysozyme",
    1975.

    Args:
        name: what is measured.
        output_names: which predictions `update_dict` takes; None: all.
        label_names: which labels `update_dict` takes; None: all.
        average: ``macro``: the mean over batches; ``micro``: of all predictions at once.

    Example:
        >>> metric = mx.metric.MCC()
        >>> metric.update(
        ...     [mx.nd.array([0, 1, 1])],
        ...     [mx.nd.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]])],
        ... )
        >>> metric.get()
        ('mcc', 0.5)
    """

    def __init__(
        self,
        name: str = "mcc",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        average: str = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def _score(self, whole: bool) -> float:
        return self._metrics.matthewscc(whole)
