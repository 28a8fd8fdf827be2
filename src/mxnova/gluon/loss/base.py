# SPDX-License-Identifier: Apache-2.0
"""The base of losses: weights, and the mean over what is no sample."""

from __future__ import annotations

from typing import Any

from ... import ndarray as nd
from ...base import numeric_types
from ...core.base.errors import AssertedError, shown
from ...core.numpy.methods import NumpyMethods
from ..block import HybridBlock

__all__ = ["Loss"]

_EPSILON = 1e-12  # keeps logarithms and quotients finite


def _apply_weighting(
    F: Any,
    loss: Any,
    weight: float | None = None,
    sample_weight: Any = None,
) -> Any:
    """`loss * sample_weight * weight`, without those that are None."""
    if sample_weight is not None:
        loss = _product(F, loss, sample_weight)
    if weight is not None:
        if not isinstance(weight, numeric_types):
            raise AssertedError(
                f"weight={shown(weight)}: expected a number, got {type(weight).__name__}"
            )
        loss = loss * weight
    return loss


def _product(F: Any, x: Any, y: Any) -> Any:
    """`x * y`, broadcast; NumPy's arrays may be of different types."""
    return x * y if isinstance(x, NumpyMethods) else F.broadcast_mul(x, y)


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    """`x` in the shape of `y`."""
    if F is nd:
        return x if x.shape == y.shape else x.reshape(y.shape)
    return F.reshape_like(x, y)


class Loss(HybridBlock):
    """The base of losses.

    Args:
        weight: a factor for all losses; None: 1.
        batch_axis: the axis of samples, which the mean leaves.

    Example:
        >>> issubclass(mx.gluon.loss.L2Loss, mx.gluon.loss.Loss)
        True
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight = weight
        self._batch_axis = batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The loss of each sample; for classes to define."""
        raise NotImplementedError(f"{type(self).__name__}.hybrid_forward")

    def _mean(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        """Of each sample, the mean of its weighted losses."""
        loss = _apply_weighting(F, loss, self._weight, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)
