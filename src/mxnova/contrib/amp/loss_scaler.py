# SPDX-License-Identifier: Apache-2.0
"""Loss scaling: gradients of float16 are kept from vanishing by a factor that adapts itself.

P. Micikevicius et al., "Mixed Precision Training", ICLR 2018.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from ...ndarray import multi_all_finite

__all__ = ["LossScaler"]


class LossScaler:
    """The factor: halved after an overflow, doubled after 2000 steps without one, up to 2²⁴."""

    def __init__(self) -> None:
        self._loss_scale = 2.0**16
        self._next_loss_scale = self._loss_scale
        self._max_loss_scale = 2.0**24
        self._scale_seq_len = 2000
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """What losses are multiplied by until gradients are next looked at."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Any]) -> bool:
        """Whether a gradient of the parameters is infinite or NaN; the factor adapts itself.

        Args:
            params: parameters; those without gradient are left out.
        """
        self._loss_scale = self._next_loss_scale
        overflows = not _all_finite(params)
        if overflows:
            self._unskipped = 0
            self._next_loss_scale = self._loss_scale / 2
            logging.info("mixed precision: overflow, loss scale %g", self._next_loss_scale)
            return True
        self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._unskipped = 0
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2)
            logging.info("mixed precision: loss scale %g", self._next_loss_scale)
        return False


def _all_finite(params: Iterable[Any]) -> bool:
    gradients = [g for p in params if p.grad_req != "null" for g in p.list_grad()]
    gradients.sort(key=lambda g: str(g.context))
    found = []
    for _, group in groupby(gradients, key=lambda g: g.context):
        arrays = [g if g.stype == "default" else g.data for g in group]
        found.append(multi_all_finite(*arrays, num_arrays=len(arrays)))
    return all(finite.asscalar() for finite in found)
