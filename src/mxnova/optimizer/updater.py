# SPDX-License-Identifier: Apache-2.0
"""Updater: an optimizer with the states of its weights, as stores and trainers call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ndarray as nd
from ..core.base.errors import MXNetError, from_foreign
from ..core.base.user_warnings import warn_user
from .base import Optimizer, all_dense
from .states import dumps_updater, loads_updater, set_progress

__all__ = ["Updater", "get_updater"]


class Updater:
    """Updates weights in place, making and keeping the state of each.

    Attributes:
        optimizer: the algorithm.
        states: index of a weight -> its state.
        states_synced: index -> whether the state is on the device of its weight.
        aggregate_updates: whether a call with lists updates several weights at once.

    Args:
        optimizer: the optimizer.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.1))
        >>> weight = mx.nd.array([1])
        >>> update(0, mx.nd.array([1]), weight)
        >>> weight.asnumpy()
        array([0.9], dtype=float32)
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer
        self.states: dict[Any, Any] = {}
        self.states_synced: dict[Any, bool] = {}
        self.aggregate_updates = optimizer._batch_limit() > 0
        # Counts of loaded states, which are those of any device that the file does not know.
        self._loaded_counts: dict[Any, int] | None = None

    def __call__(self, index: Any, grad: Any, weight: Any) -> None:
        """Updates one weight, or each of a list.

        Args:
            index: of the weight.
            grad: its gradient.
            weight: the weight.

        Raises:
            MXNetError: states or an optimizer that were loaded do not go with the weight.
        """
        try:
            self._update(index, grad, weight)
        except _MISFITS as error:
            if self._loaded_counts is None or isinstance(error, MXNetError):
                raise
            raise from_foreign(error, f"{type(self.optimizer).__name__}: loaded states") from error

    def _update(self, index: Any, grad: Any, weight: Any) -> None:
        if not isinstance(index, (list, tuple)):
            index, grad, weight = (index,), (grad,), (weight,)
        if not index:
            return
        device_id = weight[0].context.device_id
        if self._loaded_counts:
            counts = self.optimizer._all_index_update_counts
            counts.setdefault(device_id, dict(self._loaded_counts))
        self.optimizer._set_current_context(device_id)
        for i, w in zip(index, weight, strict=True):
            if not self.states_synced.get(i):
                self._prepare(i, w)
        states, update = self.states, self.optimizer.update_multi_precision
        if self.aggregate_updates:
            limit = max(self.optimizer._batch_limit(), 1)
            kinds = self._kinds(index, weight, grad)
            if len(weight) <= limit and len(set(kinds)) == 1:
                update(index, weight, grad, [states[i] for i in index])
                return
            for batch in _batches(kinds, limit):
                indices = [index[at] for at in batch]
                weights, grads = [weight[at] for at in batch], [grad[at] for at in batch]
                update(indices, weights, grads, [states[i] for i in indices])
        else:
            for i, g, w in zip(index, grad, weight, strict=True):
                update(i, w, g, states[i])

    def _kinds(
        self, index: Sequence[Any], weights: Sequence[nd.NDArray], grads: Sequence[nd.NDArray]
    ) -> list[Any]:
        """For each weight its element type, and whether it is one of several that go together."""
        if all_dense(weights, grads):
            return [weight._raw.dtype for weight in weights]
        states, goes_with_dense = self.states, self.optimizer._goes_with_dense
        together = [
            w.stype == g.stype == "default" or goes_with_dense(w, g, states[i])
            for i, w, g in zip(index, weights, grads, strict=True)
        ]
        are_apart = 1 < sum(together) < len(together)
        return [(w._raw.dtype, are_apart and t) for w, t in zip(weights, together, strict=True)]

    def _prepare(self, index: Any, weight: nd.NDArray) -> None:
        """Makes the state of a weight, or brings it to the weight's device."""
        if index not in self.states:
            state = self.optimizer.create_state_multi_precision(index, weight)
        else:
            state = self.sync_state_context(self.states[index], weight.context)
        self.states[index] = state
        self.states_synced[index] = True

    def sync_state_context(self, state: Any, context: Any) -> Any:
        """A state (an array, or nested tuples and lists of such) on a device."""
        if isinstance(state, nd.NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)([self.sync_state_context(s, context) for s in state])
        return state

    def get_states(self, dump_optimizer: bool = False) -> bytes:
        """Return the states as bytes that MXNet's `set_states` reads, too.

        Args:
            dump_optimizer: whether to add the optimizer, with its scheduler. Without, only its
                numbers of updates are added, which MXNet ignores.

        Raises:
            ArgumentTypeError: an attribute of the optimizer is no plain data.
        """
        return dumps_updater(self.states, self.optimizer, dump_optimizer)

    def set_states(self, states: bytes) -> None:
        """Restore the states from the bytes of `get_states`, and the optimizer if included.

        Without an optimizer in the bytes, this one keeps its settings and takes over the numbers
        of updates. MXNet does not write these without an optimizer: then a warning is given where
        they matter. Bytes that MXNet wrote are read as data: nothing in them is run.

        Raises:
            FormatError: the bytes are no such states.
        """
        loaded, optimizer, progress = loads_updater(states)
        if optimizer is not None:
            self.optimizer = optimizer
            self.aggregate_updates = optimizer._batch_limit() > 0
        elif progress is not None:
            set_progress(self.optimizer, progress)
        elif loaded and not self.optimizer.num_update and self.optimizer._depends_on_counts():
            warn_user(
                f"{type(self.optimizer).__name__}: the states contain no number of updates, as "
                "MXNet's Module writes them: learning rate schedules and corrections of the first "
                "steps start again. Pass begin_num_update=<updates so far> to the optimizer",
                UserWarning,
            )
        self.states = loaded
        self.states_synced = dict.fromkeys(loaded, False)
        self._loaded_counts = dict(self.optimizer._index_update_count)


# What comes of a state that is not as `create_state` makes it, or of numbers out of all proportion.
_MISFITS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def _batches(kinds: Sequence[Any], limit: int) -> list[list[int]]:
    """Positions of weights of one kind each, at most `limit` of them."""
    by_kind: dict[Any, list[int]] = {}
    for at, kind in enumerate(kinds):
        by_kind.setdefault(kind, []).append(at)
    return [
        group[start : start + limit]
        for group in by_kind.values()
        for start in range(0, len(group), limit)
    ]


def get_updater(optimizer: Optimizer) -> Callable[..., None]:
    """The Updater of an optimizer.

    Args:
        optimizer: the optimizer.

    Example:
        >>> update = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.1))
        >>> weight = mx.nd.array([1])
        >>> update(0, mx.nd.array([1]), weight)
        >>> weight.asnumpy()
        array([0.9], dtype=float32)
    """
    return Updater(optimizer)
