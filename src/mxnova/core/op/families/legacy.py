# SPDX-License-Identifier: Apache-2.0
"""Functions on arrays from before operators, kept for old scripts; most write into ``out=``."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ..declaration import function_operator
from ..infer import DTypes, Shapes
from ..schema import Op
from ..sparse.storage import RowSparse, Value


def _nothing(op: Op, s: Shapes | DTypes) -> None:
    """The output is the caller's."""


@function_operator("_set_value", shape=_nothing, dtype=_nothing, differentiable=False)
def set_value(*, src: float, out: tuple[Value, ...] | None) -> Value:
    """Fills the output with a number.

    Args:
        src: the number.
        out: the output, dense or row_sparse, which gets all its rows.
    """
    if out is None:
        raise MXNetError("_set_value fills an array: out= is missing")
    target = out[0]
    if isinstance(target, Tensor):
        return target.fill_(src)
    if not isinstance(target, RowSparse):
        raise MXNetError(f"_set_value fills dense and row_sparse arrays, not {target.stype}")
    rows = torch.arange(target.shape[0], device=target.data.device)
    return RowSparse(target.data.new_full(target.shape, src), rows, target.shape)


def _like_rhs(op: Op, s: Shapes) -> None:
    s.lhs = s.rhs[:1]
    s.output = s.rhs


@function_operator("_onehot_encode", shape=_like_rhs, differentiable=None)
def onehot_encode(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Rows of zeros with a 1 where the row's index says; an index out of range leaves its row 0.

    Args:
        lhs: the indices, one for each row.
        rhs: an array of the shape and type of the output.
    """
    columns = torch.arange(rhs.shape[1], device=rhs.device)
    return (columns == lhs.long().unsqueeze(1)).to(rhs.dtype)


def _like_lhs(op: Op, s: Shapes) -> None:
    s.mhs = s.rhs = s.lhs[:1]
    s.output = s.lhs


@function_operator("fill_element_0index", shape=_like_lhs, differentiable=None)
def fill_element_0index(lhs: Tensor, mhs: Tensor, rhs: Tensor) -> Tensor:
    """A copy of lhs with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``.

    Args:
        lhs: a matrix.
        mhs: the new elements, one for each row.
        rhs: their columns.
    """
    return lhs.scatter(1, rhs.long().unsqueeze(1), mhs.unsqueeze(1))
