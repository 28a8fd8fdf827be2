# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

def det(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The determinant of each matrix."""
def extractdiag(A: NDArray | None = None, offset: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One diagonal of each matrix."""
def extracttrian(A: NDArray | None = None, offset: int = 0, lower: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """One triangle of each matrix, a lower one row by row, an upper one column by column."""
def gelqf(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """LQ factorisation ``A = L @ Q``: gives Q with orthonormal rows, and L, lower triangular."""
def gemm(A: NDArray | None = None, B: NDArray | None = None, C: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B + beta * C``, matrix by matrix."""
def gemm2(A: NDArray | None = None, B: NDArray | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B``, matrix by matrix."""
def inverse(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The inverse of each matrix."""
def makediag(A: NDArray | None = None, offset: int = 0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square matrices that are zero but for one diagonal."""
def maketrian(A: NDArray | None = None, offset: int = 0, lower: bool = True, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """Square matrices that are zero but for one triangle."""
def potrf(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, lower: bool = True, **kwargs: Any) -> NDArray:
    """Cholesky factor: the lower triangular L with ``L @ L.T = A``."""
def potri(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, *, lower: bool = True, **kwargs: Any) -> NDArray:
    """The inverse of ``A @ A.T``: with a Cholesky factor, the inverse of what was factorised."""
def slogdet(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """The determinant of each matrix as its sign and the logarithm of its absolute value."""
def sumlogdiag(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The sum of the logarithms of the diagonal of each matrix."""
def syevd(A: NDArray | None = None, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> Any:
    """Eigenvectors U, as rows, and ascending eigenvalues L: ``A = U.T @ diag(L) @ U``."""
def syrk(A: NDArray | None = None, transpose: bool = False, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ A.T``, matrix by matrix."""
def trmm(A: NDArray | None = None, B: NDArray | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """``alpha * A @ B`` with a triangular matrix `A`, matrix by matrix."""
def trsm(A: NDArray | None = None, B: NDArray | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None, **kwargs: Any) -> NDArray:
    """The solution X of ``A @ X = alpha * B`` with a triangular matrix `A`, matrix by matrix."""
