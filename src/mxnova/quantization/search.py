# SPDX-License-Identifier: Apache-2.0
"""The fewest layers in float that are enough."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["fewest"]


def fewest(most: int, is_enough: Callable[[int], bool]) -> int | None:
    """The smallest number that is enough, found by doubling, then by halving.

    Args:
        most: numbers are below it.
        is_enough: asked about each number at most once; more is taken to be no worse.

    Returns:
        None where none of those that were asked about is.
    """
    low, high = 0, 0
    while not is_enough(high):
        if high >= most - 1:
            return None
        low, high = high + 1, min(max(2 * high, 1), most - 1)
    while low < high:
        middle = (low + high) // 2
        if is_enough(middle):
            high = middle
        else:
            low = middle + 1
    return high
