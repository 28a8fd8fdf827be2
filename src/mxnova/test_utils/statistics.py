# SPDX-License-Identifier: Apache-2.0
"""Whether random numbers have the distribution that they should have."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..core.base.errors import ArgumentError

__all__ = [
    "chi_square_check",
    "gen_buckets_probs_with_ppf",
    "mean_check",
    "var_check",
    "verify_generator",
]

Generator = Callable[[int], Any]
Buckets = Sequence[Any]


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """Intervals that are all equally probable, and their probabilities.

    Args:
        ppf: percent point function (inverse of the cumulative distribution).
        nbuckets: how many.
    """
    if nbuckets < 1:
        raise ArgumentError(f"gen_buckets_probs_with_ppf: nbuckets={nbuckets}: must be >= 1")
    edges = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(itertools.pairwise(edges)), [1 / nbuckets] * nbuckets


def mean_check(generator: Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the mean of `nsamples` numbers is `mu`, up to three of its standard deviations."""
    samples = _samples(generator, nsamples)
    return bool(abs(samples.mean() - mu) < 3 * sigma / np.sqrt(nsamples))


def var_check(generator: Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """Whether the variance of `nsamples` normally distributed numbers is that of `sigma`.

    Up to three standard deviations of the variance of so many.
    """
    samples = _samples(generator, nsamples)
    deviation = np.sqrt(2 * sigma**4 / (nsamples - 1))
    return bool(abs(samples.var(ddof=1) - sigma**2) < 3 * deviation)


def chi_square_check(
    generator: Generator, buckets: Buckets, probs: Sequence[float], nsamples: int = 1000000
) -> tuple[float, Any, Any]:
    """Pearson's chi-squared test.

    Args:
        generator: gives so many numbers, as an NDArray or a NumPy array.
        buckets: intervals (tuples), or values where the distribution is discrete.
        probs: the probability of each.
        nsamples: how many numbers are drawn.

    Returns:
        The probability of so great a difference, the observed and the expected frequencies.
    """
    if not isinstance(buckets, (list, tuple)) or len(buckets) != len(probs):
        raise ArgumentError("chi_square_check: buckets and probs must be lists of equal length")
    intervals = {isinstance(b, (list, tuple)) for b in buckets}
    if len(intervals) != 1:
        raise ArgumentError("chi_square_check: buckets must be all intervals or all values")
    samples = _samples(generator, nsamples)
    expected = np.asarray(probs, np.float64) * samples.size
    count = _in_intervals if intervals == {True} else _of_values
    observed = count(samples, buckets)
    statistic = ((observed - expected) ** 2 / expected).sum()
    half = torch.tensor([(len(probs) - 1) / 2, statistic / 2], dtype=torch.float64)
    probability = torch.special.gammaincc(half[0], half[1])
    return float(probability), observed, expected.round().astype(np.int32)


def _of_values(samples: Any, values: Buckets) -> Any:
    return np.array([(samples == value).sum() for value in values])


def _in_intervals(samples: Any, intervals: Buckets) -> Any:
    samples = np.sort(samples)
    below = np.searchsorted(samples, np.asarray(intervals, np.float64))
    return below[:, 1] - below[:, 0]


def verify_generator(
    generator: Generator,
    buckets: Buckets,
    probs: Sequence[float],
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Asserts that a share of `success_rate` of `nrepeat` chi-squared tests is passed.

    Args:
        generator: gives so many numbers.
        buckets: intervals, or values where the distribution is discrete.
        probs: the probability of each.
        nsamples: how many numbers a test draws.
        nrepeat: how many tests are made.
        success_rate: how many of them must be passed.
        alpha: the probability that a test is not passed although the distribution is right.

    Returns:
        The tests' probabilities.
    """
    tests = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    found = [probability for probability, _, _ in tests]
    if sum(p > alpha for p in found) < nrepeat * success_rate:
        raise AssertionError(
            f"the numbers have another distribution: probabilities {found} of frequencies "
            f"{[list(observed) for _, observed, _ in tests]}, expected {list(tests[0][2])} "
            f"in {list(buckets)}"
        )
    return found


def _samples(generator: Generator, count: int) -> Any:
    drawn = generator(count)
    drawn = drawn.asnumpy() if hasattr(drawn, "asnumpy") else np.asarray(drawn)
    if drawn.size != count:
        raise ArgumentError(f"the generator gave {drawn.size} numbers, not {count}")
    return drawn.reshape(-1).astype(np.float64)
