# SPDX-License-Identifier: Apache-2.0
"""Operators on sparse matrices, as they act on the dense form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from ...base.shapes import shape_text
from ..declaration import elementwise_shape, function_operator, operator
from ..gradient_stypes import as_head
from ..infer import DTypes, Shapes
from ..schema import Op


@operator("cast_storage", "_sparse_cast_storage")
class CastStorage(Op):
    """`data` in another storage type.

    Args:
        data: any array.
        stype: "default" (dense), "csr" or "row_sparse".
    """

    stype: Literal["csr", "default", "row_sparse"]

    def infer_shape(self, s: Shapes) -> None:
        elementwise_shape(self, s)

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        return as_head(self, heads, stypes)

    def forward(self, data: Tensor) -> Tensor:
        return data


@operator("_sparse_retain")
class SparseRetain(Op):
    """`data` with all rows but those in `indices` set to zero.

    Args:
        data: any array.
        indices: (n,): the rows to keep, of any type.
    """

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")
        s.rank("indices", 1)

    def infer_dtype(self, t: DTypes) -> None:
        t.demand("indices")
        t.same("data", "output")

    def infer_gradient_stypes(self, heads: Sequence[str], stypes: Sequence[str]) -> tuple[str, ...]:
        """The gradient of rows that were retained has rows."""
        return ("row_sparse" if stypes[0] == "row_sparse" else "default", "default")

    def forward(self, data: Tensor, indices: Tensor) -> Tensor:
        kept = torch.zeros(len(data), dtype=torch.bool, device=data.device)
        kept[indices.long()] = True
        return torch.where(kept.reshape(-1, *(1,) * (data.ndim - 1)), data, 0)


def _getnnz_shape(op: Op, s: Shapes) -> None:
    s.rank("data", 2)
    axis = op.attr("axis")
    if axis not in (None, 0, 1):
        raise s.fail(f"axis={axis}: must be None, 0 or 1")
    s.output = (1,) if axis is None else (s.data[1 - axis],)


def _getnnz_dtype(op: Op, t: DTypes) -> None:
    t.output = torch.int64


@function_operator("_contrib_getnnz", shape=_getnnz_shape, dtype=_getnnz_dtype, differentiable=None)
def getnnz(data: Tensor, *, axis: int | None = None) -> Tensor:
    """The number of stored elements.

    Args:
        data: a matrix.
        axis: count each column (0) or each row (1); None: all elements.
    """
    count = torch.count_nonzero(data, axis)
    return count.reshape(1) if axis is None else count


def _edge_id_shape(op: Op, s: Shapes) -> None:
    for name, rank in (("data", 2), ("u", 1), ("v", 1)):
        s.rank(name, rank)
    if s.u != s.v:
        raise s.fail(f"u {shape_text(s.u)} and v {shape_text(s.v)} differ")
    s.output = s.u


def _edge_id_dtype(op: Op, t: DTypes) -> None:
    t.same("data", "output")


@function_operator(
    "_contrib_edge_id", shape=_edge_id_shape, dtype=_edge_id_dtype, differentiable=None
)
def edge_id(data: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """The stored value of each edge from `u` to `v`, -1 where there is no edge.

    Args:
        data: adjacency matrix of a graph; a stored value is the number of an edge.
        u: (n,): start vertices.
        v: (n,): end vertices.
    """
    edges = data[u.long(), v.long()]
    return edges.masked_fill(edges == 0, -1)
