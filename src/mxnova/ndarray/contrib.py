# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet calls contributed, on arrays."""

from __future__ import annotations

import math

from ..core.exec.calls.eager_control_flow import cond, foreach, while_loop
from ..core.facade import operator_names, operators
from ..core.nd.array import NDArray
from ..core.nd.functions import function_of
from ..core.runtime.context import Context, context_of, current_context
from .arithmetic import equal, logical_and, not_equal
from .random import uniform
from .updates import (
    adamw_update,
    mp_adamw_update,
    multi_adamw_update,
    multi_lamb_update,
    multi_mp_adamw_update,
    multi_mp_lamb_update,
)

__all__ = [
    "adamw_update",
    "cond",
    "current_context",
    "foreach",
    "isfinite",
    "isinf",
    "isnan",
    "mp_adamw_update",
    "multi_adamw_update",
    "multi_lamb_update",
    "multi_mp_adamw_update",
    "multi_mp_lamb_update",
    "rand_zipfian",
    "uniform",
    "while_loop",
]


def isnan(data: NDArray) -> NDArray:
    """1 where an element is not a number, 0 elsewhere."""
    result: NDArray = not_equal(data, data)
    return result


def isinf(data: NDArray) -> NDArray:
    """1 where an element is infinite, of either sign, 0 elsewhere."""
    result: NDArray = equal(abs(data), math.inf)
    return result


def isfinite(data: NDArray) -> NDArray:
    """1 where an element is a finite number, 0 elsewhere."""
    result: NDArray = logical_and(equal(data, data), not_equal(abs(data), math.inf))
    return result


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Context | None = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Classes drawn by an approximately Zipfian distribution, common ones (low numbers) first.

    Args:
        true_classes: the classes of a batch.
        num_sampled: how many to draw, with replacement.
        range_max: number of classes.
        ctx: where to draw; default: the current context.

    Returns:
        The classes drawn, and how often `true_classes` and the drawn ones are expected among them.
    """
    context = context_of(ctx)
    scale = math.log(range_max + 1)
    drawn = uniform(0, scale, shape=(num_sampled,), dtype="float64", ctx=context)
    classes = (drawn.exp() - 1).astype("int64") % range_max

    def expected(of: NDArray) -> NDArray:
        numbers = of.as_in_context(context).astype("float64")
        result: NDArray = ((numbers + 2.0) / (numbers + 1.0)).log() / scale * num_sampled
        return result

    return classes, expected(true_classes), expected(classes)


__all__ += operator_names("_contrib_")

__getattr__ = operators(__name__, function_of, "_contrib_")


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names("_contrib_")})
