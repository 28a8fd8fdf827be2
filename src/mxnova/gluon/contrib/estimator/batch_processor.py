# SPDX-License-Identifier: Apache-2.0
"""Processing of one batch by an estimator."""

from __future__ import annotations

from typing import Any

from .... import autograd
from ...utils import split_and_load

__all__ = ["BatchProcessor"]

Result = tuple[list[Any], list[Any], list[Any], list[Any]]


class BatchProcessor:
    """Runs networks and losses on batches of data and labels; subclasses do it in other ways."""

    def _get_data_and_label(self, batch: Any, ctx: Any, batch_axis: int = 0) -> tuple[Any, Any]:
        """Data and labels of a batch, a slice of each for every context."""
        data, label = batch[0], batch[1]
        return split_and_load(data, ctx, batch_axis), split_and_load(label, ctx, batch_axis)

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> Result:
        """Runs the network of an estimator that is for validation.

        Args:
            estimator: the estimator.
            val_batch: data and labels.
            batch_axis: the axis of samples.

        Returns:
            Data, labels, predictions and losses, a list of arrays each, one for every context.
        """
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(p, y) for p, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> Result:
        """Runs the network of an estimator forward and backward.

        Args:
            estimator: the estimator.
            train_batch: data and labels.
            batch_axis: the axis of samples.

        Returns:
            Data, labels, predictions and losses, a list of arrays each, one for every context.
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(p, y) for p, y in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss
