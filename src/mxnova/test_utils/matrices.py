# SPDX-License-Identifier: Apache-2.0
"""Random matrices with properties that linear algebra needs, as NumPy arrays of float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
]


def new_matrix_with_real_eigvals_2d(n: int) -> Any:
    """An n×n matrix whose eigenvalues are real, lie in [-10, 10] and are apart."""
    vectors = np.random.uniform(-1, 1, (n, n)) + n * np.eye(n)  # far from singular
    return vectors @ np.diag(_eigenvalues(n)) @ np.linalg.inv(vectors)


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Any:
    """A symmetric n×n matrix whose eigenvalues lie in [-10, 10] and are apart."""
    vectors = new_orthonormal_matrix_2d(n)
    made = vectors @ np.diag(_eigenvalues(n)) @ vectors.T
    return (made + made.T) / 2


def new_orthonormal_matrix_2d(n: int) -> Any:
    """An orthonormal n×n matrix."""
    return np.linalg.qr(np.random.normal(size=(n, n)))[0]


def new_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> Any:
    """`new_matrix_with_real_eigvals_2d` for each matrix of an array, last axes n×n."""
    return _stacked(new_matrix_with_real_eigvals_2d, shape)


def new_sym_matrix_with_real_eigvals_nd(shape: tuple[int, ...]) -> Any:
    """`new_sym_matrix_with_real_eigvals_2d` for each matrix of an array, last axes n×n."""
    return _stacked(new_sym_matrix_with_real_eigvals_2d, shape)


def _eigenvalues(n: int) -> Any:
    """`n` numbers in [-10, 10], one in each of `n` intervals with gaps between."""
    starts = np.arange(n) * 20 / n - 10
    return np.random.permutation(starts + np.random.uniform(0, 0.8 * 20 / n, n))


def _stacked(make: Callable[[int], Any], shape: tuple[int, ...]) -> Any:
    made = [make(shape[-1]) for _ in range(int(np.prod(shape[:-2])))]
    return np.reshape(made, shape)
