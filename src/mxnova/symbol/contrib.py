# SPDX-License-Identifier: Apache-2.0
"""Operators that MXNet calls contributed, on symbols."""

from __future__ import annotations

import math

from ..base import check_call
from ..core.exec.calls.symbolic_control_flow import cond, foreach, while_loop
from ..core.facade import operator_names, operators
from ..core.graph.functions import function_of
from ..core.graph.symbol import Symbol
from .random import uniform
from .updates import adamw_update, mp_adamw_update

__all__ = [
    "adamw_update",
    "check_call",
    "cond",
    "foreach",
    "mp_adamw_update",
    "rand_zipfian",
    "uniform",
    "while_loop",
]


def rand_zipfian(
    true_classes: Symbol, num_sampled: int, range_max: int
) -> tuple[Symbol, Symbol, Symbol]:
    """Classes drawn by an approximately Zipfian distribution, common ones (low numbers) first.

    Args:
        true_classes: the classes of a batch.
        num_sampled: how many to draw, with replacement.
        range_max: number of classes.

    Returns:
        The classes drawn, and how often `true_classes` and the drawn ones are expected among them.
    """
    scale = math.log(range_max + 1)
    drawn = uniform(0, scale, shape=(num_sampled,), dtype="float64")
    classes = (drawn.exp() - 1).astype("int64") % range_max

    def expected(of: Symbol) -> Symbol:
        numbers = of.astype("float64")
        result: Symbol = ((numbers + 2.0) / (numbers + 1.0)).log() / scale * num_sampled
        return result

    return classes, expected(true_classes), expected(classes)


__all__ += operator_names("_contrib_")

__getattr__ = operators(__name__, function_of, "_contrib_")


def __dir__() -> list[str]:
    return sorted({*__all__, *operator_names("_contrib_")})
