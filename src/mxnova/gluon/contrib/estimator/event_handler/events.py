# SPDX-License-Identifier: Apache-2.0
"""Events of a training loop: a handler derives from the classes of those that it handles."""

from __future__ import annotations

from typing import Any

from .....core.base.errors import ArgumentError, shown

__all__ = ["BatchBegin", "BatchEnd", "EpochBegin", "EpochEnd", "EventHandler", "TrainBegin", "TrainEnd"]  # fmt: skip # noqa: E501


class EventHandler:
    """The base of handlers.

    Handlers are called in the order of their `priority`, the lowest first; it is 0 where they have
    none. A `batch_end` that gives a true value ends the epoch, an `epoch_end` the training.
    """


class TrainBegin(EventHandler):
    """Handles the start of a training."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called before the first epoch."""


class TrainEnd(EventHandler):
    """Handles the end of a training."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called after the last epoch."""


class EpochBegin(EventHandler):
    """Handles the start of an epoch, also of a validation."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called before the first batch."""


class EpochEnd(EventHandler):
    """Handles the end of an epoch, also of a validation."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called after the last batch; a true value ends the training."""
        return False


class BatchBegin(EventHandler):
    """Handles the start of a batch."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called with ``batch=`` before the network runs."""


class BatchEnd(EventHandler):
    """Handles the end of a batch."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> Any:
        """Called with ``batch=, pred=, label=, loss=``; a true value ends the epoch."""
        return False


def _check_event_handlers(handlers: Any) -> list[EventHandler]:
    """Handlers as a list.

    Raises:
        ArgumentError: something is no handler.
    """
    if isinstance(handlers, EventHandler):
        return [handlers]
    listed = list(handlers) if isinstance(handlers, (list, tuple)) else handlers or []
    if not isinstance(listed, list) or not all(isinstance(h, EventHandler) for h in listed):
        expected = "must be an EventHandler or a list of them"
        raise ArgumentError(f"Estimator: event_handlers={shown(handlers)}: {expected}")
    return listed
