# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: ``np.linalg``; the last two axes hold matrices, the others are batch axes."""

from __future__ import annotations

from typing import Any

from ..base.array_hints import Array
from ..base.errors import shown
from .namespaces import NUMBER, World, function

__all__: list[str] = []


def _one(name: str, what: str) -> None:
    def implementation(F: World, a: Any) -> Array:
        return getattr(F, f"_npi_{name}")(a)

    implementation.__name__ = name
    implementation.__doc__ = what
    function(implementation)


def _several(name: str, what: str) -> None:
    def implementation(F: World, a: Any) -> tuple[Array, ...]:
        return tuple(getattr(F, f"_npi_{name}")(a))

    implementation.__name__ = name
    implementation.__doc__ = what
    function(implementation)


_one("det", "The determinant.")
_one("inv", "The inverse matrix.")
_one("eigvals", "The eigenvalues, which have to be real.")
_one("cholesky", "The lower triangular matrix whose product with its transpose is `a`.")
_several("eig", "(eigenvalues, eigenvectors in columns), which have to be real.")
_several("svd", "(ut, l, v): singular vectors, singular values, singular vectors.")


@function
def slogdet(F: World, a: Any) -> list[Array]:
    """Return [sign, logarithm of the absolute value] of the determinant."""
    return list(F._npi_slogdet(a))


@function
def eigh(F: World, a: Any, UPLO: str = "L") -> tuple[Array, Array]:
    """Return (eigenvalues, eigenvectors as columns) of symmetric matrices; reads one triangle."""
    return tuple(F._npi_eigh(a, UPLO))


@function
def eigvalsh(F: World, a: Any, UPLO: str = "L") -> Array:
    """Return the eigenvalues of symmetric matrices; reads one triangle."""
    return F._npi_eigvalsh(a, UPLO)


@function
def solve(F: World, a: Any, b: Any) -> Array:
    """Solve the linear system ``a @ x = b`` for ``x``."""
    return F._npi_solve(a, b)


@function
def tensorinv(F: World, a: Any, ind: int = 2) -> Array:
    """Return the inverse of `a` with respect to `tensordot` over its first `ind` axes."""
    return F._npi_tensorinv(a, ind)


@function
def tensorsolve(F: World, a: Any, b: Any, axes: Any = None) -> Array:
    """Solve ``tensordot(a, x, x.ndim) = b`` for ``x``."""
    return F._npi_tensorsolve(a, b, () if axes is None else axes)


@function
def pinv(F: World, a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> Array:
    """Return the pseudo-inverse; singular values below `rcond` times the largest count as 0."""
    if hermitian:
        raise NotImplementedError("pinv: hermitian=True is not supported")
    if isinstance(rcond, NUMBER):
        return F._npi_pinv_scalar_rcond(a, rcond, hermitian)
    return F._npi_pinv(a, rcond, hermitian)


# Values of the parameter flag of _npi_norm, as in MXNet's symbol files.
_WHOLE, _FROBENIUS, _NUCLEAR = -2, 1, 2


@function
def norm(F: World, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """The norm of vectors (one axis) or matrices (two), by default of all elements.

    Args:
        F: the world.
        x: the array.
        ord: a number, inf, -inf, fro or nuc, as NumPy defines them.
        axis: of the vectors or matrices.
        keepdims: keep these axes, of length 1.
    """
    if ord is None and axis is None:
        return F._npi_norm(x, ord=2.0, keepdims=keepdims, flag=_WHOLE)
    axes = (axis,) if isinstance(axis, int) else axis
    if axes is None:
        axes = (-2, -1) if F.is_symbolic else tuple(range(x.ndim))
    if ord is None and len(axes) in (1, 2):
        return F._npi_norm(x, ord=2.0, axis=axes, keepdims=keepdims, flag=_FROBENIUS)
    if len(axes) == 1:
        return _vector_norm(F, x, ord, axes, keepdims)
    if len(axes) == 2:
        return _matrix_norm(F, x, ord, axes, keepdims)
    raise ValueError(f"norm: axis={shown(axis)}: one axis, or two")


def _summed(F: World, x: Any, axis: Any, keepdims: bool) -> Any:
    return F._np_sum(x, axis=axis, keepdims=keepdims)


def _vector_norm(F: World, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    if ord in (float("inf"), "inf"):
        return F._np_max(F._npi_abs(x), axis=axis, keepdims=keepdims)
    if ord in (float("-inf"), "-inf"):
        return F._np_min(F._npi_abs(x), axis=axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueError(f"norm: ord={ord!r}: not of vectors")
    return F._npi_norm(x, ord=float(ord), axis=axis, keepdims=keepdims)


def _matrix_norm(F: World, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    if ord in ("fro", "f"):
        return F._npi_norm(x, ord=2.0, axis=axis, keepdims=keepdims, flag=_FROBENIUS)
    if ord == "nuc":
        return F._npi_norm(x, ord=2.0, axis=axis, keepdims=keepdims, flag=_NUCLEAR)
    if ord in (2, -2):
        return F._npi_norm(x, ord=float(ord), axis=axis, keepdims=keepdims)
    rows, columns = axis
    if ord in (float("inf"), float("-inf"), "inf", "-inf"):
        rows, columns = columns, rows
    elif ord not in (1, -1):
        raise ValueError(f"norm: ord={shown(ord)}: not of matrices")
    sums = _summed(F, F._npi_abs(x), rows, True)
    extreme = F._np_max if float(ord) > 0 else F._np_min
    found = extreme(sums, axis=columns, keepdims=True)
    return found if keepdims else F._np_squeeze(found, axis=tuple(axis))
