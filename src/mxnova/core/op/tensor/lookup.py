# SPDX-License-Identifier: Apache-2.0
"""Operators that look values up by an array of indices along one axis.

Indices may have any type; fractions are cut off. Those out of range are moved to the nearest valid
index ("clip") or taken modulo the size ("wrap").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.errors import OutOfRangeError, of_values
from ...base.params import Double, PosInt
from ...base.shapes import shape_text
from ...kernels.vectorized import take_rows
from ...kernels.wide_sums import index_select
from ...runtime import tuning
from ..declaration import function_operator, operator
from ..dtypes import torch_dtype
from ..families.rules import as_element
from ..infer import DTypes, Shapes
from ..range_check import CHECKS, check_range
from ..schema import Op

ElementType = Literal[
    "bfloat16", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
]


def in_range(index: Tensor, size: int, mode: str = "clip", array: str = "indices") -> Tensor:
    """Integers from 0 to `size` - 1 for an index of any type; see above for those out of range.

    Args:
        index: of any shape and type.
        size: number of items along the axis.
        mode: clip, wrap or raise.
        array: what errors call `index`.
    """
    index = index.long()
    if mode == "clip":
        if CHECKS.on:
            check_range(index, size, array)
        return index.clamp(0, size - 1)
    if mode == "wrap":
        return index.remainder(size)
    try:
        check_range(index, size, array)
    except OutOfRangeError as error:
        raise of_values(error) from None
    return index


def _same_but_index(op: Op, t: DTypes) -> None:
    """All arrays have one type but the second, the indices, whose type must be known."""
    values, index = t.inputs
    t.demand(index)
    t.same(values, *t.outputs)


def _rows(weight: Tensor, index: Tensor, sparse_grad: bool) -> Tensor:
    """Return the row of `weight` for each index.

    Only a leaf gets a sparse gradient: other operators of ATen might not take it further.
    """
    if sparse_grad and weight.is_leaf:
        return F.embedding(index, weight, sparse=True)
    if weight.dtype.itemsize < 4:
        return index_select(weight, 0, index.reshape(-1)).view(*index.shape, weight.shape[1])
    return F.embedding(index, weight)


def _embedding_shape(op: Op, s: Shapes) -> None:
    s.output = (*s.data, op.attr("output_dim"))
    s.weight = (op.attr("input_dim"), op.attr("output_dim"))


def _embedding_dtype(op: Op, t: DTypes) -> None:
    t.demand("data")
    if t.known("weight") is None:
        t.weight = torch_dtype(op.attr("dtype"))
    t.same("weight", "output")


def _embedding_gradient_stypes(
    op: Op, heads: Sequence[str], stypes: Sequence[str]
) -> tuple[str, ...]:
    by_rows = op.name == "_contrib_SparseEmbedding" or op.attr("sparse_grad")
    return ("default", "row_sparse" if by_rows else "default")


@function_operator(
    "Embedding",
    "_npx_embedding",
    "_sparse_Embedding",
    shape=_embedding_shape,
    dtype=_embedding_dtype,
    gradient_stypes=_embedding_gradient_stypes,
)
def embedding(
    data: Tensor,
    weight: Tensor,
    *,
    input_dim: PosInt,
    output_dim: PosInt,
    dtype: ElementType = "float32",
    sparse_grad: bool = False,
) -> Tensor:
    """Rows of `weight`, one for each index in `data`.

    Args:
        data: indices, of any shape and type. Those out of range are clipped if `weight` is dense,
            and an error if it is row_sparse.
        weight: (input_dim, output_dim).
        input_dim: number of rows of the table.
        output_dim: length of a row.
        dtype: type of `weight`, where nothing else tells.
        sparse_grad: give the gradient of `weight` row by row (row_sparse).
    """
    return _rows(weight, in_range(data, input_dim, array="Embedding: data"), sparse_grad)


@function_operator(
    "_contrib_SparseEmbedding",
    shape=_embedding_shape,
    dtype=_embedding_dtype,
    gradient_stypes=_embedding_gradient_stypes,
)
def sparse_embedding(
    data: Tensor,
    weight: Tensor,
    *,
    input_dim: PosInt,
    output_dim: PosInt,
    dtype: Literal["float16", "float32", "float64", "int32", "uint8"] = "float32",
    deterministic: bool = False,
) -> Tensor:
    """`Embedding` as files of early MXNet name it.

    Args:
        data: indices, of any shape and type. Those out of range are clipped if `weight` is dense,
            and an error if it is row_sparse.
        weight: (input_dim, output_dim).
        input_dim: number of rows of the table.
        output_dim: length of a row.
        dtype: type of `weight`, where nothing else tells.
        deterministic: without effect.
    """
    return _rows(weight, in_range(data, input_dim, array="SparseEmbedding: data"), True)


@operator("take", "_npi_take", method=True)
class Take(Op):
    """The slices of `a` along one axis that `indices` names; its shape replaces that axis.

    Args:
        a: any array.
        indices: indices, of any shape and type.
        axis: the axis of `a`; negative: counted from the end.
        mode: "clip", "wrap" or "raise" an error for indices out of range.
    """

    axis: int = 0
    mode: Literal["clip", "raise", "wrap"] = "clip"

    def infer_shape(self, s: Shapes) -> None:
        axis = s.axis("a", self.axis)
        s.output = (*s.a[:axis], *s.full("indices"), *s.a[axis + 1 :])

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_index(self, t)

    def forward(self, a: Tensor, indices: Tensor) -> Tensor:
        axis, shape = self.axis % a.ndim, a.shape
        index = in_range(indices, shape[axis], self.mode, "take: indices")
        taken = index_select(a, axis, index.reshape(-1))
        return taken.reshape((*shape[:axis], *index.shape, *shape[axis + 1 :]))


@operator("pick", "_npx_pick", "choose_element_0index", method=True)
class Pick(Op):
    """One element along one axis for each position of the other axes, named by `index`.

    Args:
        data: at least one axis.
        index: the shape of `data` without that axis, or with size one there; of any type.
        axis: the axis; negative: counted from the end.
        keepdims: keep the axis, with size one.
        mode: "clip" or "wrap" for indices out of range.
    """

    axis: int | None = -1
    keepdims: bool = False
    mode: Literal["clip", "wrap"] = "clip"

    def infer_shape(self, s: Shapes) -> None:
        if self.axis is None:
            raise s.fail("axis=None: an axis must be named")
        data, axis = s.data, s.axis("data", self.axis)
        kept = (*data[:axis], 1, *data[axis + 1 :])
        reduced = (*data[:axis], *data[axis + 1 :]) or (1,)
        s.output = kept if self.keepdims else reduced
        index = s.known("index")
        if index != ():
            s.index = kept if index is not None and len(index) == len(data) else reduced

    def shape_advice(self, s: Shapes, name: str) -> str:
        """Where there are more or fewer indices than rows."""
        return "there is one index, or label, for each row of data: batch sizes must agree"

    def infer_dtype(self, t: DTypes) -> None:
        _same_but_index(self, t)

    def forward(self, data: Tensor, index: Tensor) -> Tensor:
        axis = (self.axis or 0) % data.ndim
        kept = (*data.shape[:axis], 1, *data.shape[axis + 1 :])
        index = in_range(index.reshape(kept), data.shape[axis], self.mode, "pick: index")
        picked = data.gather(axis, index)
        return picked if self.keepdims or data.ndim == 1 else picked.squeeze(axis)


def _batch_take_shape(op: Op, s: Shapes) -> None:
    s.same("indices", "output")
    a, indices = s.full("a"), s.full("indices")
    if len(a) < 2 or torch.Size(a[:-1]).numel() != torch.Size(indices).numel():
        raise s.fail(
            f"indices {shape_text(indices)} must have one entry for each row of a {shape_text(a)}"
        )


def _batch_take_dtype(op: Op, t: DTypes) -> None:
    t.indices = torch.int32
    t.same("a", "output")


@function_operator(
    "batch_take", shape=_batch_take_shape, dtype=_batch_take_dtype, differentiable=None
)
def batch_take(a: Tensor, indices: Tensor) -> Tensor:
    """One element of each row of `a`, named by `indices`; those out of range are clipped.

    Args:
        a: at least two axes; a row is its last axis.
        indices: as many as rows, of type int32.
    """
    index = in_range(indices, a.shape[-1], array="batch_take: indices")
    return a.flatten(0, -2).gather(1, index.reshape(-1, 1)).reshape(index.shape)


@operator("one_hot", "_npx_one_hot", method=True)
class OneHot(Op):
    """A vector for each index: `on_value` at the index, `off_value` elsewhere.

    Args:
        indices: of any shape and type; one out of range gives a vector of `off_value` only.
        depth: length of a vector.
        on_value: cast to `dtype`.
        off_value: cast to `dtype`.
        dtype: type of the result.
    """

    depth: int
    on_value: Double = 1.0
    off_value: Double = 0.0
    dtype: ElementType = "float32"
    differentiable = False

    def infer_shape(self, s: Shapes) -> None:
        if self.depth < 0:
            raise s.fail(f"depth={self.depth}: must be >= 0")
        s.output = (*s.full("indices"), self.depth)

    def infer_dtype(self, t: DTypes) -> None:
        t.demand("indices")
        t.output = torch_dtype(self.dtype)

    def forward(self, indices: Tensor) -> Tensor:
        dtype = torch_dtype(self.dtype)
        on, off = as_element(self.on_value, dtype), as_element(self.off_value, dtype)
        if CHECKS.on:
            check_range(indices.long(), self.depth, "one_hot: indices")
        if 0 < self.depth <= tuning.ONE_HOT_MAX_DEPTH and self.depth < indices.numel():
            table = (self.depth + 2, self.depth)
            vectors = torch.full(table, off, dtype=dtype, device=indices.device)
            vectors[1:-1].fill_diagonal_(on)
            return take_rows(vectors, indices.long() + 1)
        index = indices.long().unsqueeze(-1)
        inside = (index >= 0) & (index < self.depth)
        value = torch.full_like(index, off, dtype=dtype).masked_fill_(inside, on)
        vectors = value.new_full((*indices.shape, self.depth), off)
        return vectors.scatter_(-1, index.where(inside, 0), value) if self.depth else vectors
