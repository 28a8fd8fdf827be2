# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of the NumPy front end."""
# ruff: noqa: N803, N806 - MXNet calls the arrays A and B

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.parameter_types import Kind
from ...base.params import Double, Shape
from ...base.shapes import Dim, shape_text
from ...kernels.norms import vector_norm
from ..declaration import function_operator, operator, register_function
from ..dtypes import dtype_name
from ..families.rules import real_only
from ..infer import DTypes, Shapes
from ..linalg.factor import potrf
from ..schema import Op
from .reduce import reduced_axes, reduced_shape

# Rules --------------------------------------------------------------------------------------------


def _matrices(s: Shapes, name: str) -> tuple[Dim, ...]:
    """The shape of `name`, which must have two axes or more."""
    shape = s[name]
    if len(shape) < 2:
        raise s.fail(f"{name} {shape_text(shape)}: must have two axes or more")
    return shape


def _square(s: Shapes, name: str) -> tuple[Dim, ...]:
    shape = _matrices(s, name)
    if shape[-1] != shape[-2]:
        raise s.fail(f"{name} {shape_text(shape)}: its last two axes must be a square matrix")
    return shape


def _refuse(op: Op, name: str, dtype: torch.dtype, wanted: str) -> MXNetError:
    return MXNetError(f"{op.name}: {name} has type {dtype_name(dtype)}, but it must be {wanted}")


def _solved(dtypes: list[torch.dtype]) -> torch.dtype:
    """float32 where that is the type of all, otherwise float64."""
    return torch.float32 if set(dtypes) == {torch.float32} else torch.float64


def _solved_dtype(op: Op, t: DTypes) -> None:
    for name in t.inputs:
        if t[name] in (torch.float16, torch.bool):
            raise _refuse(op, name, t[name], "float32, float64 or of an integer type")
    for name in t.outputs:
        t[name] = _solved([t[i] for i in t.inputs])


def _as_solved(*arrays: Tensor) -> tuple[Tensor, ...]:
    dtype = _solved([x.dtype for x in arrays])
    return tuple(x.to(dtype) for x in arrays)


# Factorisations -----------------------------------------------------------------------------------


def _cholesky_shape(op: Op, s: Shapes) -> None:
    s.same("A", "output")
    _square(s, "A")


register_function(["_npi_cholesky"], potrf, shape=_cholesky_shape, dtype=real_only)


def _svd_shape(op: Op, s: Shapes) -> None:
    A = _matrices(s, "A")
    if A[-2] > A[-1]:
        raise s.fail(f"A {shape_text(A)}: must be matrices of not more rows than columns")
    s.output0, s.output1, s.output2 = (*A[:-1], A[-2]), A[:-1], A


@function_operator(
    "_npi_svd", outputs=("output0", "output1", "output2"), shape=_svd_shape, dtype=real_only
)
def svd(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values L, descending, with the vectors U and V: ``A = U @ diag(L) @ V``.

    Gives U (…, rows, rows), L (…, rows) and V (…, rows, columns). The largest component of each row
    of V is positive.

    Args:
        A: (…, rows, columns), not more rows than columns.
    """
    U, L, V = torch.linalg.svd(A, full_matrices=False)
    sign = _signs(V, -1)
    return U * sign.transpose(-1, -2), L, V * sign


def _signs(vectors: Tensor, axis: int) -> Tensor:
    """The sign of the largest component of each vector, which lies along `axis`."""
    if not vectors.numel():
        return vectors.sum(axis, keepdim=True)
    largest = vectors.detach().abs().argmax(axis, keepdim=True)
    return vectors.detach().gather(axis, largest).sign()


# Solutions and inverses ---------------------------------------------------------------------------


def _solve_shape(op: Op, s: Shapes) -> None:
    s.same("B", "output")
    A, B = _square(s, "A"), s.B
    if len(B) not in (len(A), len(A) - 1):
        raise s.fail(
            f"A {shape_text(A)} and B {shape_text(B)}: B must have as many axes, or one less"
        )
    s.B = s.output = (*A[:-1], *B[len(A) - 1 :])


@function_operator("_npi_solve", shape=_solve_shape, dtype=_solved_dtype)
def solve(A: Tensor, B: Tensor) -> Tensor:
    """The solution X of ``A @ X = B``, in float32 if both are, otherwise in float64.

    Args:
        A: (…, n, n), not singular.
        B: (…, n, columns), or (…, n) for single columns.
    """
    A, B = _as_solved(A, B)
    if B.ndim == A.ndim:
        solution: Tensor = torch.linalg.solve(A, B)
        return solution
    column: Tensor = torch.linalg.solve(A, B.unsqueeze(-1))
    return column.squeeze(-1)


def _tensorinv_shape(op: Op, s: Shapes) -> None:
    a, ind = s.full("a"), op.attr("ind")
    if ind <= 0:
        raise s.fail(f"ind={ind}: must be at least 1")
    if prod(a[:ind]) != prod(a[ind:]) or 0 in a:
        raise s.fail(
            f"ind={ind}: a {shape_text(a)} must have as many elements along its first {ind} axes "
            f"as along the others, {prod(a[:ind])} vs. {prod(a[ind:])}, and some"
        )
    s.output = (*a[ind:], *a[:ind])


@function_operator("_npi_tensorinv", shape=_tensorinv_shape, dtype=real_only)
def tensorinv(a: Tensor, *, ind: int = 2) -> Tensor:
    """The inverse of an array read as a matrix; its axes are the last ones, then the first ones.

    Args:
        a: its first axes are the rows, the others the columns of the matrix.
        ind: number of axes of the rows.
    """
    rows, columns = a.shape[:ind], a.shape[ind:]
    matrix = a.reshape(prod(rows), prod(columns))
    inverse: Tensor = torch.linalg.inv(matrix)
    return inverse.reshape(*columns, *rows)


def _columns_last(axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """All axes, those of `axes` last."""
    moved = tuple(axis % rank for axis in axes)
    return (*(axis for axis in range(rank) if axis not in moved), *moved)


def _columns(shape: Sequence[int], n_rows: int) -> tuple[int, ...]:
    """The last axes of `a`, those of the solution; all of them where `b` has as many, as NumPy."""
    return tuple(shape[n_rows - len(shape) :])


def _tensorsolve_shape(op: Op, s: Shapes) -> None:
    a, b = s.full("a"), s.full("b")
    axes = tuple(s.axis("a", axis, "a_axes") for axis in op.attr("a_axes"))
    if len(set(axes)) < len(axes):
        raise s.fail(f"a_axes={axes}: an axis of a {shape_text(a)} is given twice")
    shape = tuple(a[axis] for axis in _columns_last(axes, len(a)))
    columns = _columns(shape, len(b))
    if prod(columns) != prod(b) or prod(a) != prod(b) ** 2 or 0 in a:
        raise s.fail(
            f"a_axes={op.attr('a_axes')}: a {shape_text(a)} and b {shape_text(b)}: its last axes "
            f"{shape_text(columns)}, its other ones and b must have as many elements, and some"
        )
    s.output = columns


@function_operator("_npi_tensorsolve", shape=_tensorsolve_shape, dtype=_solved_dtype)
def tensorsolve(a: Tensor, b: Tensor, *, a_axes: Shape = ()) -> Tensor:
    """The solution x of ``Σ a * x = b``, summed over the axes of `x`, the last ones of `a`.

    It is float32 if both arrays are, otherwise float64.

    Args:
        a: the axes of `b`, then those of `x`.
        b: as many elements as `x` has.
        a_axes: axes of `a` to be moved to its end first, in this order.
    """
    a, b = _as_solved(a, b)
    a = a.permute(_columns_last(a_axes, a.ndim))
    matrix = a.reshape(b.numel(), b.numel())
    solution: Tensor = torch.linalg.solve(matrix, b.reshape(-1, 1))
    return solution.reshape(_columns(a.shape, b.ndim))


# Pseudo-inverses ----------------------------------------------------------------------------------


def _pinv_shape(op: Op, s: Shapes) -> None:
    A = _matrices(s, "A")
    s.output = (*A[:-2], A[-1], A[-2])
    if "rcond" not in s:
        return
    rcond, batch = s.full("rcond"), s.full("A")[:-2]
    missing = len(batch) - len(rcond)
    if missing < 0 or any(r not in (1, d) for r, d in zip(rcond, batch[missing:], strict=True)):
        raise s.fail(
            f"rcond {shape_text(rcond)} cannot be broadcast to the leading axes of "
            f"A {shape_text(A)}"
        )


_PINV_DOC = """The pseudo-inverse of each matrix (Moore and Penrose).

Args:
    A: (…, rows, columns); the result is (…, columns, rows).
    rcond: {}singular values up to `rcond` times the largest one count as 0.
    hermitian: read for compatibility, as in MXNet.
"""


def _pinv(A: Tensor, rcond: Tensor, *, hermitian: bool = False) -> Tensor:
    inverses: Tensor = torch.linalg.pinv(A, rtol=rcond)
    return inverses


def _pinv_scalar(A: Tensor, *, rcond: Double = 1e-15, hermitian: bool = False) -> Tensor:
    inverses: Tensor = torch.linalg.pinv(A, rtol=rcond)
    return inverses


for _name, _forward, _extent in (
    ("_npi_pinv", _pinv, "a scalar, or one for each index of the leading axes: "),
    ("_npi_pinv_scalar_rcond", _pinv_scalar, ""),
):
    _forward.__doc__ = _PINV_DOC.format(_extent)
    register_function([_name], _forward, shape=_pinv_shape, dtype=real_only, differentiable=False)


# Eigenvalues --------------------------------------------------------------------------------------


class _CharKind(Kind):
    """One character, which MXNet's documentation gives no name for."""

    label = ""

    def parse(self, value: Any) -> str:
        text = str(value).strip()
        if len(text) != 1:
            raise ValueError("must be one character")
        return text


Triangle = Annotated[str, _CharKind()]


def _eigen_shape(op: Op, s: Shapes) -> None:
    A = _square(s, "A")
    for name, shape in zip(s.outputs, (A[:-1], A), strict=False):
        s[name] = shape


_EIGEN: dict[str, Any] = {
    "shape": _eigen_shape,
    "dtype": _solved_dtype,
    "differentiable": False,
}
_PAIR = ("output0", "output1")


def _by_lapack(solver: Callable[..., Any], A: Tensor) -> Any:
    """What NumPy's `solver` or, on a GPU, ATen's of the same name finds.

    ATen's LAPACK on CPUs is MKL's, whose solver for matrices that are not symmetric writes beyond
    its memory where it meets NaN or does not converge. NumPy's takes 0.9 times as long for 3 rows,
    and 1.7 times for 200.

    Raises:
        MXNetError: an element is not finite, or the solver does not converge.
    """
    if not A.is_cpu:
        return getattr(torch.linalg, solver.__name__)(A)
    try:
        found = solver(A.detach().numpy())
    except np.linalg.LinAlgError as error:
        raise MXNetError(f"A {shape_text(A.shape)}: {error}") from None
    if isinstance(found, tuple):
        return tuple(torch.from_numpy(part) for part in found)
    return torch.from_numpy(found)


_BY_NUMPY = "NumPy computes it"


def _real(values: Tensor) -> Tensor:
    # Values decide here, which costs a wait for the device.
    if values.is_complex() and bool(torch.any(values.imag.abs() > 1e-15)):
        raise MXNetError("eigenvalues of A are complex: MXNet has only real ones")
    return values.real


@function_operator("_npi_eig", outputs=_PAIR, untraceable=_BY_NUMPY, **_EIGEN)
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues, in no order, and eigenvectors, as columns of length 1.

    Both are float32 if `A` is, otherwise float64.

    Args:
        A: (…, n, n), with real eigenvalues.
    """
    values, vectors = _by_lapack(np.linalg.eig, *_as_solved(A))
    return _real(values), vectors.real


@function_operator("_npi_eigvals", untraceable=_BY_NUMPY, **_EIGEN)
def eigvals(A: Tensor) -> Tensor:
    """Eigenvalues, in no order, as float32 if `A` is, otherwise as float64.

    Args:
        A: (…, n, n), with real eigenvalues.
    """
    return _real(_by_lapack(np.linalg.eigvals, *_as_solved(A)))


@function_operator("_npi_eigh", outputs=_PAIR, **_EIGEN)
def eigh(A: Tensor, *, UPLO: Triangle = "L") -> tuple[Tensor, Tensor]:
    """Ascending eigenvalues of symmetric matrices, and eigenvectors, as columns of length 1.

    The largest component of each vector is positive. Both are float32 if `A` is, otherwise float64.

    Args:
        A: (…, n, n), symmetric; only one triangle is read.
        UPLO: U for the upper triangle; anything else is the lower one.
    """
    values, vectors = torch.linalg.eigh(*_as_solved(A), UPLO="U" if UPLO == "U" else "L")
    return values, vectors * _signs(vectors, -2)


@function_operator("_npi_eigvalsh", **_EIGEN)
def eigvalsh(A: Tensor, *, UPLO: Triangle = "L") -> Tensor:
    """Ascending eigenvalues of symmetric matrices, as float32 if `A` is, otherwise as float64.

    Args:
        A: (…, n, n), symmetric; only one triangle is read.
        UPLO: U for the upper triangle; anything else is the lower one.
    """
    values: Tensor = torch.linalg.eigvalsh(*_as_solved(A), UPLO="U" if UPLO == "U" else "L")
    return values


# Norms --------------------------------------------------------------------------------------------

_WHOLE, _FROBENIUS, _NUCLEAR = -2, 1, 2


@operator("_npi_norm")
class Norm(Op):
    """Norm of vectors or matrices.

    Args:
        data: of any shape.
        ord: the order p. Of vectors: (Σ|x|**p)**(1/p), the largest and the smallest magnitude for
            inf and -inf, the number of elements that are not 0 for 0. Of matrices: the largest
            (or, negative, smallest) singular value for 2, sum along the first of the axes for 1,
            sum along the second one for anything else.
        axis: one axis of vectors, or two of matrices; None for the last two, or the only one.
        keepdims: keep them with length 1.
        flag: -2 for the Euclidean norm of the whole array, 1 for that of matrices, 2 for the sum of
            the singular values.
    """

    ord: Double = 2.0
    axis: Shape | None = None
    keepdims: bool = False
    flag: int = -1

    def outputs(self) -> tuple[str, ...]:
        return ("output0",)

    def infer_shape(self, s: Shapes) -> None:
        rank = len(s.data)
        s.output0 = reduced_shape(s, self.axes(rank), self.keepdims)
        n = len(self.axes(rank))
        if self.flag != _WHOLE and (n not in (1, 2) or (n == 1 and self.flag == _NUCLEAR)):
            raise s.fail(
                f"axis={self.axis}, flag={self.flag}: there is no such norm of "
                f"data {shape_text(s.data)} along {n} axes"
            )

    def axes(self, rank: int) -> tuple[int, ...]:
        """Return the axes to reduce for data of this rank, negative ones included."""
        if self.flag == _WHOLE:
            return tuple(range(rank))
        return tuple(range(rank))[-2:] if self.axis is None else self.axis

    def is_euclidean(self, rank: int) -> bool:
        """Return whether this is the square root of a sum of squares for data of this rank."""
        if len(self.axes(rank)) == 1:
            return self.flag == _WHOLE or self.ord == 2
        return self.flag in (_WHOLE, _FROBENIUS)

    def forward(self, data: Tensor) -> Tensor:
        x = data if data.is_floating_point() else data.double()
        axes = reduced_axes(self.axes(data.ndim), data.ndim)
        if self.is_euclidean(data.ndim):
            norm = vector_norm(x, 2, axes, True)
        elif len(axes) == 1:
            norm = _vector(x, self.ord, axes)
        elif abs(self.ord) == 2:
            norm = _singular(x, axes, self.ord, self.flag == _NUCLEAR)
        else:
            norm = _largest_sum(x, axes if abs(self.ord) == 1 else axes[::-1], self.ord)
        return (norm if self.keepdims else norm.squeeze(axes)).to(data.dtype)


def _vector(x: Tensor, order: float, axes: tuple[int, ...]) -> Tensor:
    if order in (0, 1, inf, -inf):
        norm: Tensor = torch.linalg.vector_norm(x, order, axes, keepdim=True)
        return norm
    return vector_norm(x, order, axes, True)


def _largest_sum(x: Tensor, axes: tuple[int, ...], order: float) -> Tensor:
    sums = x.abs().sum(axes[0], keepdim=True)
    return torch.amax(sums, axes[1], True) if order > 0 else torch.amin(sums, axes[1], True)


def _singular(x: Tensor, axes: tuple[int, ...], order: float, total: bool) -> Tensor:
    values: Tensor = torch.linalg.svdvals(x.movedim(axes, (-2, -1)))
    norm = values.sum(-1) if total else values[..., 0 if order > 0 else -1]
    first, second = sorted(axes)
    return norm.unsqueeze(first).unsqueeze(second)
