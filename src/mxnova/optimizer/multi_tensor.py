# SPDX-License-Identifier: Apache-2.0
"""Optimizers that update several weights in one fused call, where MXNet updates one."""

from __future__ import annotations

from typing import Any

from ..core.nd.updates import UpdateOfSeveral
from .base import Optimizer, aggregation_size, all_dense, arrays_of, is_half

__all__ = ["Together"]


class Together(Optimizer):
    """An optimizer that has an operator for several weights.

    Lists of weights come from an Updater only, and only where a subclass leaves both methods that
    update as they are.
    """

    _step_depends_on_counts = False

    def _several(self) -> tuple[UpdateOfSeveral, dict[str, Any]] | None:
        """The operator for several weights with its options; None where there is none."""
        raise NotImplementedError

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`; of a float16 weight by its float32 copy, where there is one; each of lists."""
        if not isinstance(index, (list, tuple)):
            super().update_multi_precision(index, weight, grad, state)
            return
        several = self._several()
        has_masters = self.multi_precision and is_half(weight[0])
        if several is None or has_masters or not all_dense(weight, grad):
            for arguments in zip(index, weight, grad, state, strict=True):
                self.update_multi_precision(*arguments)
            return
        self._update_count(index)
        groups = zip(weight, grad, map(arrays_of, state), strict=True)
        arrays = [array for w, g, own in groups for array in (w, g, *own)]
        lrs, wds = self._get_lrs(index), self._get_wds(index)
        update, options = several
        update(arrays, weight, lrs, wds, **options)

    def _batch_limit(self) -> int:
        return self._batch_limit_of(self._aggregating(), aggregation_size())

    def _aggregating(self) -> type:
        """The class whose methods take lists."""
        return next(cls for cls in type(self).__mro__ if "_several" in vars(cls))
