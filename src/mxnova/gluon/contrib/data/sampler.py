# SPDX-License-Identifier: Apache-2.0
"""Samplers that walk in steps."""

from __future__ import annotations

from collections.abc import Iterator

from mxnova.core.base.errors import AssertedError

from ...data import sampler

__all__ = ["IntervalSampler"]


class IntervalSampler(sampler.Sampler):
    """Every `interval`-th index below `length`.

    Args:
        length: one above the last index.
        interval: the step.
        rollover: then those that were left out, starting with 1, and so on, until each was visited.

    Raises:
        AssertedError: the step is longer than what is walked.
    """

    def __init__(self, length: int, interval: int, rollover: bool = True):
        if not 0 < interval <= length:
            raise AssertedError(
                f"IntervalSampler: interval={interval!r}: must be from 1 to length={length}"
            )
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for start in range(self._interval if self._rollover else 1):
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        return self._length if self._rollover else -(-self._length // self._interval)
