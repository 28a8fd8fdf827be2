# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.symbol.symbol import Symbol as Symbol

def det(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The determinant of each matrix."""
def extractdiag(A: Symbol | None = None, offset: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One diagonal of each matrix."""
def extracttrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """One triangle of each matrix, a lower one row by row, an upper one column by column."""
def gelqf(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """LQ factorisation ``A = L @ Q``: gives Q with orthonormal rows, and L, lower triangular."""
def gemm(A: Symbol | None = None, B: Symbol | None = None, C: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, beta: float = 1.0, axis: int = -2, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B + beta * C``, matrix by matrix."""
def gemm2(A: Symbol | None = None, B: Symbol | None = None, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B``, matrix by matrix."""
def inverse(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The inverse of each matrix."""
def makediag(A: Symbol | None = None, offset: int = 0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square matrices that are zero but for one diagonal."""
def maketrian(A: Symbol | None = None, offset: int = 0, lower: bool = True, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Square matrices that are zero but for one triangle."""
def potrf(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, lower: bool = True, **kwargs: Any) -> Symbol:
    """Cholesky factor: the lower triangular L with ``L @ L.T = A``."""
def potri(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, *, lower: bool = True, **kwargs: Any) -> Symbol:
    """The inverse of ``A @ A.T``: with a Cholesky factor, the inverse of what was factorised."""
def slogdet(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The determinant of each matrix as its sign and the logarithm of its absolute value."""
def sumlogdiag(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The sum of the logarithms of the diagonal of each matrix."""
def syevd(A: Symbol | None = None, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """Eigenvectors U, as rows, and ascending eigenvalues L: ``A = U.T @ diag(L) @ U``."""
def syrk(A: Symbol | None = None, transpose: bool = False, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ A.T``, matrix by matrix."""
def trmm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """``alpha * A @ B`` with a triangular matrix `A`, matrix by matrix."""
def trsm(A: Symbol | None = None, B: Symbol | None = None, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0, name: str | None = None, attr: Mapping[str, str] | None = None, out: Symbol | Sequence[Symbol] | None = None, **kwargs: Any) -> Symbol:
    """The solution X of ``A @ X = alpha * B`` with a triangular matrix `A`, matrix by matrix."""
