# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisations, inverses and determinants."""
# ruff: noqa: N803 - MXNet calls the array A

from __future__ import annotations

import torch
from torch import Tensor

from ...base.scopes import is_np_shape
from ...base.shapes import shape_text
from ...runtime import tuning
from ...runtime.torch_api import is_traced
from ..declaration import elementwise_shape, function_operator, operator
from ..families.rules import real_only
from ..infer import DTypes, Shapes
from ..schema import Op


def _square(s: Shapes) -> None:
    A = s.A  # noqa: N806
    if len(A) < 2 or A[-1] != A[-2]:
        raise s.fail(f"A {shape_text(A)}: its last two axes must be a square matrix")


def _square_shape(op: Op, s: Shapes) -> None:
    elementwise_shape(op, s)
    _square(s)


@function_operator(
    "_linalg_potrf", "linalg_potrf", shape=_square_shape, dtype=real_only, by_name_only=("lower",)
)
def potrf(A: Tensor, *, lower: bool = True) -> Tensor:
    """Cholesky factor: the lower triangular L with ``L @ L.T = A``.

    Args:
        A: (…, n, n), symmetric and positive definite; only one triangle is read.
        lower: whether that is the lower one; otherwise the factor is the upper ``L.T``.
    """
    factor: Tensor = torch.linalg.cholesky(A, upper=not lower)
    return factor


@function_operator(
    "_linalg_potri", "linalg_potri", shape=_square_shape, dtype=real_only, by_name_only=("lower",)
)
def potri(A: Tensor, *, lower: bool = True) -> Tensor:
    """The inverse of ``A @ A.T``: with a Cholesky factor, the inverse of what was factorised.

    Args:
        A: (…, n, n), triangular.
        lower: whether A is lower triangular; otherwise the inverse is that of ``A.T @ A``.
    """
    triangle = A.tril() if lower else A.triu()  # no gradient for the other one
    return torch.cholesky_inverse(triangle, upper=not lower)


@function_operator(
    "_linalg_inverse", "_npi_inv", "linalg_inverse", shape=_square_shape, dtype=real_only
)
def inverse(A: Tensor) -> Tensor:
    """The inverse of each matrix.

    Args:
        A: (…, n, n), not singular.
    """
    if _is_solved_in_place(A):
        factors, pivots, failed = torch.linalg.lu_factor_ex(A)
        if not failed.any():
            return _inverse_of_factors(factors, pivots)
    inverses: Tensor = torch.linalg.inv(A)  # whose error tells what failed
    return inverses


def _is_solved_in_place(A: Tensor) -> bool:
    """Whether two triangular systems, transposed, beat ATen: 256 x 256 take 1.6 ms of 2.9."""
    if A.device.type != "cpu" or A.shape[-1] < tuning.TRIANGULAR_MIN_SIDE or is_traced():
        return False
    return not (torch.is_grad_enabled() and A.requires_grad)


def _inverse_of_factors(factors: Tensor, pivots: Tensor) -> Tensor:
    permutation, lower, upper = torch.lu_unpack(factors, pivots)
    half = torch.linalg.solve_triangular(
        lower.mT, permutation, upper=True, left=False, unitriangular=True
    )
    transposed: Tensor = torch.linalg.solve_triangular(upper.mT, half, upper=False, left=False)
    return transposed.mT


def _determinant_shape(op: Op, s: Shapes) -> None:
    _square(s)
    for name in s.outputs:
        s[name] = s.A[:-2] if is_np_shape() else s.A[:-2] or (1,)


def _as_scalars(values: Tensor) -> Tensor:
    """Numbers, one a matrix; legacy shape semantics know no scalars, only arrays of shape (1,)."""
    return values if values.ndim or is_np_shape() else values.reshape(1)


def _inverse_transposed(A: Tensor, singular: Tensor) -> Tensor:
    """The inverse transpose of each matrix, zero where it does not exist."""
    inverses: Tensor = torch.linalg.inv_ex(A)[0]
    return inverses.transpose(-1, -2).masked_fill(singular[..., None, None], 0)


def _d_det(d_output0: Tensor, A: Tensor, output0: Tensor) -> Tensor:
    det, d_det = output0.reshape(A.shape[:-2]), d_output0.reshape(A.shape[:-2])
    return (d_det * det)[..., None, None] * _inverse_transposed(A, det == 0)


# MXNet's gradients of both vanish at singular matrices.
@function_operator(
    "_linalg_det",
    "_npi_det",
    "linalg_det",
    shape=_determinant_shape,
    dtype=real_only,
    outputs=("output0",),
    backward=_d_det,
)
def det(A: Tensor) -> Tensor:
    """The determinant of each matrix.

    Args:
        A: (…, n, n).
    """
    return _as_scalars(torch.linalg.det(A))


def _d_slogdet(d_output1: Tensor, A: Tensor, output0: Tensor) -> Tensor:
    sign, d_logarithm = output0.reshape(A.shape[:-2]), d_output1.reshape(A.shape[:-2])
    return d_logarithm[..., None, None] * _inverse_transposed(A, sign == 0)


@function_operator(
    "_linalg_slogdet",
    "_npi_slogdet",
    "linalg_slogdet",
    shape=_determinant_shape,
    dtype=real_only,
    outputs=("output0", "output1"),
    backward=_d_slogdet,
)
def slogdet(A: Tensor) -> tuple[Tensor, Tensor]:
    """The determinant of each matrix as its sign and the logarithm of its absolute value.

    Args:
        A: (…, n, n).
    """
    sign, logarithm = torch.linalg.slogdet(A)
    return _as_scalars(sign), _as_scalars(logarithm)


def _sumlogdiag_shape(op: Op, s: Shapes) -> None:
    _square(s)
    s.output = s.A[:-2] or (1,)


@function_operator("_linalg_sumlogdiag", "linalg_sumlogdiag", shape=_sumlogdiag_shape)
def sumlogdiag(A: Tensor) -> Tensor:
    """The sum of the logarithms of the diagonal of each matrix.

    Args:
        A: (…, n, n), with a positive diagonal.
    """
    total = A.diagonal(0, -2, -1).log().sum(-1)
    return total if total.ndim else total.reshape(1)


@operator("_linalg_gelqf", "linalg_gelqf")
class Gelqf(Op):
    """LQ factorisation ``A = L @ Q``: gives Q with orthonormal rows, and L, lower triangular.

    Args:
        A: (…, rows, columns), not more rows than columns.
    """

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1")

    def infer_dtype(self, t: DTypes) -> None:
        real_only(self, t)

    def infer_shape(self, s: Shapes) -> None:
        A = s.A  # noqa: N806
        if len(A) < 2 or A[-2] > A[-1]:
            raise s.fail(f"A {shape_text(A)}: must be matrices of not more rows than columns")
        s.output0 = A
        s.output1 = (*A[:-1], A[-2])

    def forward(self, A: Tensor) -> tuple[Tensor, Tensor]:
        q, r = torch.linalg.qr(A.transpose(-1, -2))
        return q.transpose(-1, -2), r.transpose(-1, -2)


@operator("_linalg_syevd")
class Syevd(Op):
    """Eigenvectors U, as rows, and ascending eigenvalues L: ``A = U.T @ diag(L) @ U``.

    The largest component of each eigenvector is positive.

    Args:
        A: (…, n, n), symmetric; only its lower triangle is read.
    """

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1")

    def infer_dtype(self, t: DTypes) -> None:
        real_only(self, t)

    def infer_shape(self, s: Shapes) -> None:
        _square(s)
        s.output0, s.output1 = s.A, s.A[:-1]

    def forward(self, A: Tensor) -> tuple[Tensor, Tensor]:
        values, vectors = torch.linalg.eigh(A)
        largest = vectors.gather(-2, vectors.abs().argmax(-2, keepdim=True))
        return (vectors * largest.sign()).transpose(-1, -2), values

    def backward(
        self, d_output0: Tensor, d_output1: Tensor, output0: Tensor, output1: Tensor
    ) -> Tensor:
        """Return the gradient of A. Like MXNet, treat equal eigenvalues as a tiny gap apart."""
        gap = output1.unsqueeze(-2) - output1.unsqueeze(-1)
        gap = gap.clamp(min=1e-100 if gap.dtype is torch.float64 else 1e-30)
        turn = output0 @ d_output0.mT
        slope = ((turn - turn.mT) / (2 * gap)).triu(1)
        return output0.mT @ (slope + slope.mT + torch.diag_embed(d_output1)) @ output0
