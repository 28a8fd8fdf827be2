# SPDX-License-Identifier: Apache-2.0
"""Forwards of operators in calls that torch can trace, where their own read values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..core.op.nn.batch_norm import BatchNormBase
from ..core.op.schema import Op

__all__ = ["traceable_forward"]

Forward = Callable[..., Any]


def traceable_forward(op: Op) -> Forward:
    """The forward of `op` for modules."""
    make = next((_FORWARDS[kind] for kind in type(op).__mro__ if kind in _FORWARDS), None)
    return op.forward if make is None else make(op)


def _batch_norm(op: BatchNormBase) -> Forward:
    """A fixed scale is taken for ones instead of being set to them."""
    if not op.fix_gamma:
        return op.forward
    free: Any = op.changed(fix_gamma=False)

    def forward(data: Tensor, gamma: Tensor, *others: Tensor, **facts: Any) -> Any:
        return free.forward(data, torch.ones_like(gamma), *others, **facts)

    return forward


_FORWARDS: dict[type[Op], Callable[[Any], Forward]] = {BatchNormBase: _batch_norm}
