# SPDX-License-Identifier: Apache-2.0
"""Products of vectors, matrices and stacks of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Literal

import torch
from torch import Tensor

from ...base.params import Count
from ...base.shapes import shape_text
from ...kernels.onednn import matmul
from ..declaration import function_operator, operator
from ..infer import Shapes
from ..schema import Op

_TURN = "transpose_a=True or transpose_b=True turns an array round"

Storage = Literal["csr", "default", "row_sparse"]


@operator("dot", "_sparse_dot")
class Dot(Op):
    """Sum of products over the last axis of `lhs` and the first axis of `rhs`.

    Two vectors give their inner product, two matrices their matrix product.

    Args:
        lhs: at least one axis.
        rhs: at least one axis.
        transpose_a: sum over the first axis of `lhs` instead.
        transpose_b: sum over the last axis of `rhs` instead.
        forward_stype: storage type wanted for the result.
    """

    transpose_a: bool = False
    transpose_b: bool = False
    forward_stype: Storage | None = None

    is_product = True

    def infer_shape(self, s: Shapes) -> None:
        lhs, rhs = s.lhs, s.rhs
        if not lhs or not rhs:
            raise s.fail(f"lhs {shape_text(lhs)} and rhs {shape_text(rhs)} must not be scalars")
        vectors = len(lhs) == len(rhs) == 1
        if vectors and (self.transpose_a or self.transpose_b):
            raise s.fail("transpose_a, transpose_b: two vectors cannot be transposed")
        left, rows = (lhs[0], lhs[1:]) if self.transpose_a else (lhs[-1], lhs[:-1])
        right, columns = (rhs[-1], rhs[:-1]) if self.transpose_b else (rhs[0], rhs[1:])
        s.output = (1,) if vectors else (*rows, *columns)
        if left != right:
            raise s.fail(
                f"lhs {shape_text(lhs)} and rhs {shape_text(rhs)} with "
                f"transpose_a={self.transpose_a}, transpose_b={self.transpose_b}: "
                f"the summed axes differ, {left} vs. {right}; {_TURN}"
            )

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        plain = stypes[0] == "csr" and not self.transpose_a and not self.transpose_b
        has_rows = plain and self.forward_stype != "csr"
        return ("default", "row_sparse" if has_rows else "default")

    def forward(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        if self.transpose_a:
            lhs = lhs.movedim(0, -1)
        if self.transpose_b:
            rhs = rhs.movedim(-1, 0)
        if lhs.ndim == rhs.ndim == 2:
            return matmul(lhs, rhs)
        product: Tensor = lhs @ rhs if rhs.ndim < 3 else torch.tensordot(lhs, rhs, 1)
        return product if product.ndim else product.reshape(1)


@operator("batch_dot", "_npx_batch_dot")
class BatchDot(Op):
    """Matrix products of the last two axes, one for each index of the leading axes.

    Args:
        lhs: (…, rows, summed).
        rhs: (…, summed, columns), with the leading axes of `lhs`.
        transpose_a: `lhs` is (…, summed, rows).
        transpose_b: `rhs` is (…, columns, summed).
        forward_stype: storage type wanted for the result.
    """

    transpose_a: bool = False
    transpose_b: bool = False
    forward_stype: Storage | None = None

    is_product = True

    def infer_shape(self, s: Shapes) -> None:
        lhs, rhs = s.lhs, s.rhs
        if len(lhs) != len(rhs) or len(lhs) < 3 or lhs[:-2] != rhs[:-2]:
            raise s.fail(
                f"lhs {shape_text(lhs)} and rhs {shape_text(rhs)}: must have three axes or more, "
                f"all but the last two in common"
            )
        rows, left = lhs[:-3:-1] if self.transpose_a else lhs[-2:]
        right, columns = rhs[:-3:-1] if self.transpose_b else rhs[-2:]
        if left != right:
            raise s.fail(
                f"lhs {shape_text(lhs)} and rhs {shape_text(rhs)} with "
                f"transpose_a={self.transpose_a}, transpose_b={self.transpose_b}: "
                f"the summed axes differ, {left} vs. {right}; {_TURN}"
            )
        s.output = (*lhs[:-2], rows, columns)

    def forward(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        if self.transpose_a:
            lhs = lhs.transpose(-1, -2)
        if self.transpose_b:
            rhs = rhs.transpose(-1, -2)
        return lhs @ rhs


def _khatri_rao_shape(op: Op, s: Shapes) -> None:
    shapes = [s.full(name) for name in s.inputs]
    if any(len(shape) != 2 or shape[1] != shapes[0][1] for shape in shapes):
        listing = ", ".join(map(shape_text, shapes))
        raise s.fail(f"the arrays must be matrices with as many columns each, not {listing}")
    s.output = (prod(shape[0] for shape in shapes), shapes[0][1])


@function_operator("khatri_rao", shape=_khatri_rao_shape, differentiable=None)
def khatri_rao(*args: Tensor, num_args: Count) -> Tensor:
    """Column-wise Kronecker product: column k is the Kronecker product of all k-th columns.

    Args:
        args: matrices with as many columns each.
        num_args: their number.
    """
    return reduce(lambda a, b: (a[:, None] * b).flatten(0, 1), args)
