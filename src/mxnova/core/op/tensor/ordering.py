# SPDX-License-Identifier: Apache-2.0
"""Sorting.

In small arrays equal elements come out as MXNet's CPU leaves them (`ties`). In larger ones they
keep their order, save in long rows of which only the top is wanted.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from ...base.shapes import shape_text
from ...kernels.sorting import sort, sort_values, topk
from ...runtime import tuning
from ...runtime.torch_api import is_traced
from ..declaration import operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..schema import Op
from .ties import order

IndexType = Literal["float16", "float32", "float64", "int32", "int64", "uint8"]

# Up to this size of an array ties are looked at, one by one: 4 ms for a row of 1000.
_FEW_ELEMENTS = 1 << 14


def _ordered(
    data: Tensor, axis: int | None, ascending: bool, k: int | None = None
) -> tuple[Tensor, Tensor]:
    """The first `k` elements (None: all) of each row along `axis`, in order, and their indices."""
    if axis is None:
        data, axis = data.reshape(-1), 0
    size = data.shape[axis]
    few = not is_traced() and data.numel() <= _FEW_ELEMENTS and data.device.type == "cpu"
    if k is not None and k < size:
        if few:
            found = data.topk(k + 1, axis, largest=not ascending)
            if _is_strict(found.values.detach(), axis, ascending):
                return found.values.narrow(axis, 0, k), found.indices.narrow(axis, 0, k)
        elif size > tuning.PARTIAL_SORT_MIN_ROW:
            return data.topk(k, axis, largest=False) if ascending else topk(data, k, axis)
    values, indices = sort(data, axis, not ascending)
    if few and size > 1 and not _is_strict(values.detach(), axis, ascending):
        indices = _with_ties(data, axis, ascending, k or size, values, indices)
    return values.narrow(axis, 0, k or size), indices.narrow(axis, 0, k or size)


def _is_strict(values: Tensor, axis: int, ascending: bool) -> bool:
    """Whether ordered `values` leave no choice of order: there are neither equal ones nor NaN."""
    n = values.shape[axis] - 1
    low, high = values.narrow(axis, 0, n), values.narrow(axis, 1, n)
    return bool((low < high if ascending else low > high).all())


def _with_ties(
    data: Tensor, axis: int, ascending: bool, k: int, values: Tensor, indices: Tensor
) -> Tensor:
    """`indices` with those of equal elements in MXNet's order, among the first `k` of a row."""
    ordered = values.detach().movedim(axis, -1)
    tied = (ordered[..., 1:] == ordered[..., :-1]).any(-1) & (ordered == ordered).all(-1)
    if not tied.any():
        return indices
    rows = data.detach().movedim(axis, -1)[tied]
    rows = rows.double() if rows.is_floating_point() else rows.long()
    keys = (rows if ascending else -rows).tolist()
    changed = indices.movedim(axis, -1).clone()
    some = changed[tied]
    some[:, :k] = torch.tensor([order(row, k) for row in keys], device=data.device)
    changed[tied] = some
    return changed.movedim(-1, axis)


def _row(s: Shapes, axis: int | None) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Shape of `data` before its axis to sort along, size of that axis, shape behind it."""
    data = s.full("data")
    if axis is None:
        return (), torch.Size(data).numel(), ()
    if not data:
        raise s.fail(f"data {shape_text(data)}: must have at least one axis")
    axis = s.axis("data", axis)
    return data[:axis], data[axis], data[axis + 1 :]


@operator("topk", "_npx_topk", method=True)
class TopK(Op):
    """The `k` largest (or smallest) elements of each row along one axis, in order.

    Args:
        data: any array.
        axis: the axis; None: all elements are one row.
        k: how many; all when less than 1.
        ret_typ: give their "indices", their "value", "both" (values, then indices), or a "mask" of
            the shape of `data` with ones at their places.
        is_ascend: the smallest, in ascending order.
        dtype: type of the indices.
    """

    axis: int | None = -1
    k: int = 1
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices"
    is_ascend: bool = False
    dtype: IndexType = "float32"

    def outputs(self) -> tuple[str, ...]:
        named = {"both": ("output0", "output1"), "value": ("output0",)}
        return named.get(self.ret_typ, ("output",))

    def infer_shape(self, s: Shapes) -> None:
        before, size, after = _row(s, self.axis)
        if self.k > size:
            raise s.fail(f"k={self.k}: a row of data {shape_text(s.data)} has {size} elements")
        k = self.k if self.k > 0 else size
        for name in self.outputs():
            s[name] = s.data if self.ret_typ == "mask" else (*before, k, *after)

    def infer_dtype(self, t: DTypes) -> None:
        if self.ret_typ in ("indices", "both"):
            t[self.outputs()[-1]] = torch_dtype(self.dtype)
        if self.ret_typ != "indices":
            t.same("data", self.outputs()[0])

    def forward(self, data: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        k = self.k if self.k > 0 else None
        values, indices = _ordered(data, self.axis, self.is_ascend, k)
        if self.ret_typ == "value":
            return values
        if self.ret_typ == "mask":
            return self._mask(data, indices)
        indices = indices.to(torch_dtype(self.dtype))
        return indices if self.ret_typ == "indices" else (values, indices)

    def _mask(self, data: Tensor, indices: Tensor) -> Tensor:
        if self.axis is None:
            return torch.zeros_like(data).view(-1).scatter_(0, indices, 1).view(data.shape)
        return torch.zeros_like(data).scatter_(self.axis, indices, 1)


@operator("sort", "_npi_sort", method=True)
class Sort(Op):
    """The elements of each row along one axis in order.

    Args:
        data: any array.
        axis: the axis; None: all elements are one row.
        is_ascend: ascending instead of descending.
    """

    axis: int | None = -1
    is_ascend: bool = True

    def outputs(self) -> tuple[str, ...]:
        return ("output0",)

    def infer_shape(self, s: Shapes) -> None:
        before, size, after = _row(s, self.axis)
        s.output0 = (*before, size, *after)

    def forward(self, data: Tensor) -> Tensor:
        flat, axis = (data.reshape(-1), 0) if self.axis is None else (data, self.axis)
        return sort_values(flat, axis, not self.is_ascend)


@operator("argsort", "_npi_argsort", method=True)
class ArgSort(Op):
    """The indices that would put each row along one axis in order.

    Args:
        data: any array.
        axis: the axis; None: all elements are one row.
        is_ascend: ascending instead of descending.
        dtype: type of the indices.
    """

    axis: int | None = -1
    is_ascend: bool = True
    dtype: IndexType = "float32"
    differentiable = False

    def infer_shape(self, s: Shapes) -> None:
        before, size, after = _row(s, self.axis)
        s.output = (*before, size, *after)

    def infer_dtype(self, t: DTypes) -> None:
        t.output = torch_dtype(self.dtype)

    def forward(self, data: Tensor) -> Tensor:
        return _ordered(data, self.axis, self.is_ascend)[1].to(torch_dtype(self.dtype))
