# SPDX-License-Identifier: Apache-2.0
"""Diagonals and triangles of matrices."""
# ruff: noqa: N803, N806 - MXNet calls the array A

from __future__ import annotations

from math import isqrt

import torch
from torch import Tensor

from ...base.shapes import shape_text
from ..declaration import function_operator, operator
from ..infer import Shapes
from ..schema import Op


def _makediag_shape(op: Op, s: Shapes) -> None:
    if not s.A:
        raise s.fail("A must not be a scalar")
    n = s.A[-1] + abs(op.attr("offset"))
    s.output = (*s.A[:-1], n, n)


@function_operator("_linalg_makediag", "linalg_makediag", shape=_makediag_shape)
def makediag(A: Tensor, *, offset: int = 0) -> Tensor:
    """Square matrices that are zero but for one diagonal.

    Args:
        A: (…, n): the diagonals.
        offset: the diagonal, counted upward from the main one.
    """
    return torch.diag_embed(A, offset)


def _entries(op: Op, s: Shapes) -> tuple[int, ...]:
    """The batch shape, and the length of the diagonal that `offset` names."""
    A = s.full("A")
    length = A[-1] - abs(op.attr("offset")) if len(A) > 1 and A[-1] == A[-2] else 0
    if length < 1:
        raise s.fail(
            f"offset={op.attr('offset')}: A {shape_text(A)} has no such diagonal, "
            f"or is not made of square matrices"
        )
    return (*A[:-2], length)


def _extractdiag_shape(op: Op, s: Shapes) -> None:
    s.output = _entries(op, s)


@function_operator("_linalg_extractdiag", "linalg_extractdiag", shape=_extractdiag_shape)
def extractdiag(A: Tensor, *, offset: int = 0) -> Tensor:
    """One diagonal of each matrix.

    Args:
        A: (…, n, n).
        offset: the diagonal, counted upward from the main one.
    """
    return A.diagonal(offset, -2, -1)


def _places(n: int, offset: int, lower: bool, device: torch.device) -> Tensor:
    """Positions of a triangle in the flattened n×n matrix, in the order of its entries."""
    below: Tensor = torch.tril_indices(n, n, -abs(offset), device=device)
    row, column = (0, 1) if offset < 0 or (offset == 0 and lower) else (1, 0)
    return below[row] * n + below[column]


def _maketrian_shape(op: Op, s: Shapes) -> None:
    if not s.A:
        raise s.fail("A must not be a scalar")
    n = _side(s.full("A")[-1])
    if n * (n + 1) // 2 != s.A[-1]:
        raise s.fail(f"A {shape_text(s.A)}: the entries of a triangle are never {s.A[-1]}")
    n += abs(op.attr("offset"))
    s.output = (*s.A[:-1], n, n)


def _side(entries: int) -> int:
    """The side of the triangle that has so many entries."""
    return (isqrt(8 * entries + 1) - 1) // 2


@function_operator("_linalg_maketrian", "linalg_maketrian", shape=_maketrian_shape)
def maketrian(A: Tensor, *, offset: int = 0, lower: bool = True) -> Tensor:
    """Square matrices that are zero but for one triangle.

    Args:
        A: (…, entries): the triangles, lower ones row by row, upper ones column by column.
        offset: the diagonal that bounds the triangle, counted upward from the main one; positive
            ones bound an upper triangle, negative ones a lower one.
        lower: whether offset 0 means the lower triangle.
    """
    n = _side(A.shape[-1]) + abs(offset)
    flat = A.new_zeros(*A.shape[:-1], n * n)
    filled = flat.index_copy(-1, _places(n, offset, lower, A.device), A)
    return filled.reshape(*A.shape[:-1], n, n)


def _extracttrian_shape(op: Op, s: Shapes) -> None:
    *batch, length = _entries(op, s)
    s.output = (*batch, length * (length + 1) // 2)


@function_operator("_linalg_extracttrian", "linalg_extracttrian", shape=_extracttrian_shape)
def extracttrian(A: Tensor, *, offset: int = 0, lower: bool = True) -> Tensor:
    """One triangle of each matrix, a lower one row by row, an upper one column by column.

    Args:
        A: (…, n, n).
        offset: the diagonal that bounds the triangle, counted upward from the main one; positive
            ones bound an upper triangle, negative ones a lower one.
        lower: whether offset 0 means the lower triangle.
    """
    return A.flatten(-2).index_select(-1, _places(A.shape[-1], offset, lower, A.device))


@operator("diag")
class Diag(Op):
    """A diagonal of `data`, as the last axis; of a vector, the matrix that has it as diagonal.

    Args:
        data: a vector, or an array of two axes or more.
        k: the diagonal, counted upward from the main one.
        axis1: the axis of matrix rows.
        axis2: the axis of matrix columns.
    """

    k: int = 0
    axis1: int = 0
    axis2: int = 1

    def infer_shape(self, s: Shapes) -> None:
        data = s.data
        if len(data) == 1:
            n = data[0] + abs(self.k)
            s.output = (n, n)
            return
        rows, columns = s.axis("data", self.axis1, "axis1"), s.axis("data", self.axis2, "axis2")
        if rows == columns:
            raise s.fail(f"axis1={self.axis1}, axis2={self.axis2}: must be different axes")
        length = min(data[rows] + min(self.k, 0), data[columns] - max(self.k, 0))
        if length < 0:
            raise s.fail(f"k={self.k}: data {shape_text(data)} has no such diagonal")
        s.output = (*(d for i, d in enumerate(data) if i not in (rows, columns)), length)

    def forward(self, data: Tensor) -> Tensor:
        if data.ndim == 1:
            return torch.diag_embed(data, self.k)
        return data.diagonal(self.k, self.axis1, self.axis2)
