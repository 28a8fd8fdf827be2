# SPDX-License-Identifier: Apache-2.0
"""Percentiles, counts, polynomials and differences."""

from __future__ import annotations

from math import prod
from typing import Literal

import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error, told_as
from ...base.params import Double, Shape, StructuralDouble
from ...base.shapes import shape_text
from ...kernels.wide_sums import widen
from ...runtime.torch_api import is_traced
from ..declaration import function_operator, operator
from ..dtypes import dtype_name
from ..families.rules import numbers_only
from ..infer import DTypes, Shapes
from ..promotion import promote_numbers, to_common_dtype
from ..schema import Op


@operator("_npi_percentile")
class Percentile(Op):
    """The values that given percentages of the elements are not above.

    Args:
        a: any numbers.
        q: percentages, from 0 to 100, of one axis or none; absent with `q_scalar`.
        axis: axes to work along; by default all.
        interpolation: the value where a percentage falls between two elements: on the line
            between them, either one, their mean, or the nearer one (the upper one of two).
        keepdims: keep the axes, with length 1.
        q_scalar: the one percentage.
    """

    axis: Shape | None = None
    interpolation: Literal["linear", "lower", "higher", "midpoint", "nearest"] = "linear"
    keepdims: bool = False
    q_scalar: StructuralDouble | None = None
    differentiable = False

    def inputs(self) -> tuple[str, ...]:
        return ("a", "q") if self.q_scalar is None else ("a",)

    def infer_shape(self, s: Shapes) -> None:
        shape = s.a
        given = range(len(shape)) if self.axis is None else self.axis
        axes = [s.axis("a", axis) for axis in given]
        if len(set(axes)) < len(axes):
            raise s.fail(f"axis={self.axis}: an axis occurs twice")
        if self.q_scalar is not None and not 0 <= self.q_scalar <= 100:
            raise self._beyond("q_scalar", self.q_scalar, "must be in [0, 100]")
        n_q = s.q[: s.rank("q", 0, 1)] if "q" in s else ()
        rest = [
            (1 if i in axes else d) for i, d in enumerate(shape) if self.keepdims or i not in axes
        ]
        if prod(shape[i] for i in axes) == 0 and prod(rest) != 0:
            raise s.fail(f"a {shape_text(shape)} has no elements along axis {self.axis}")
        s.output = (*n_q, *rest)

    def _beyond(self, name: str, value: object, reason: str) -> MXNetError:
        return told_as("ValueError", argument_error(self.name, name, value, reason))

    def infer_dtype(self, t: DTypes) -> None:
        if t.a is torch.bool:
            raise MXNetError(f"{self.name}: a has type {dtype_name(t.a)}, but it must hold numbers")
        t.output = torch.float64 if t.a is torch.float64 else torch.float32

    def forward(self, a: Tensor, q: Tensor | None = None) -> Tensor:
        if q is None:
            q = torch.full((), self.q_scalar or 0.0, dtype=torch.float64, device=a.device)
        elif not is_traced() and bool(((q < 0) | (q > 100)).any()):
            raise self._beyond("q", "array", "must be in [0, 100] everywhere")
        rows, kept = self._rows(a)
        dtype = torch.float64 if a.dtype is torch.float64 else torch.float32
        ordered = rows.sort(dim=-1).values.to(dtype)
        last = rows.shape[-1] - 1
        # MXNet keeps places in float32, whatever the type of the elements.
        place = (q.double().reshape(-1) * last / 100).float()
        found = self._between(ordered, place.clamp(max=last), a.dtype)
        # A NaN comes last in the order and makes all percentiles of its row NaN.
        found = torch.where(ordered[..., -1:].isnan(), torch.nan, found)
        return found.movedim(-1, 0).reshape([*q.shape, *kept])

    def _rows(self, a: Tensor) -> tuple[Tensor, list[int]]:
        """`a` with the axes to work along joined into a last one, and the shape of the rest."""
        given = range(a.ndim) if self.axis is None else self.axis
        axes = {i % a.ndim for i in given}
        rest = [i for i in range(a.ndim) if i not in axes]
        lengths = [a.shape[i] for i in rest]
        n_joined = prod(a.shape[i] for i in axes)
        rows = a.permute([*rest, *sorted(axes)]).reshape([*lengths, n_joined])
        if not self.keepdims:
            return rows, lengths
        return rows, [1 if i in axes else length for i, length in enumerate(a.shape)]

    def _between(self, ordered: Tensor, place: Tensor, dtype: torch.dtype) -> Tensor:
        lower, upper = (ordered[..., edge.long()] for edge in (place.floor(), place.ceil()))
        if self.interpolation == "lower":
            return lower
        if self.interpolation == "higher":
            return upper
        if self.interpolation == "nearest":
            return ordered[..., (place + 0.5).floor().long()]
        if self.interpolation == "midpoint":
            return (lower + upper) / 2
        if dtype is torch.float16:  # to which MXNet rounds both shares
            above = place % 1
            return (lower * (1 - above)).to(dtype).float() + (upper * above).to(dtype)
        return torch.lerp(lower, upper, (place % 1).to(ordered.dtype))


@operator("_npi_bincount")
class Bincount(Op):
    """Counts how often each integer from 0 to the greatest occurs, or sums its weights.

    Args:
        data: integers >= 0, (n,).
        weights: numbers, (n,), with `has_weights`; their type is that of the result.
        minlength: least length of the result.
        has_weights: sum weights.
    """

    minlength: int = 0
    has_weights: bool = False
    differentiable = False

    def inputs(self) -> tuple[str, ...]:
        return ("data", "weights") if self.has_weights else ("data",)

    def infer_shape(self, s: Shapes) -> None:
        s.rank("data", 0, 1)
        s.same(*s.inputs)

    def infer_dtype(self, t: DTypes) -> None:
        data = t.known("data")
        if data is not None and (data.is_floating_point or data is torch.bool):
            raise MXNetError(f"{self.name}: data has type {dtype_name(data)}, not one of integers")
        t.same(t.inputs[-1], "output")

    def forward(self, data: Tensor, weights: Tensor | None = None) -> Tensor:
        if bool((data < 0).any()):
            raise MXNetError(f"{self.name}: data must be >= 0 everywhere")
        index = data.reshape(-1).long()
        counts = torch.bincount(index, minlength=max(self.minlength, 0))
        if weights is None:
            return counts.to(data.dtype)
        wide = widen(weights.reshape(-1))
        sums = torch.zeros_like(counts, dtype=wide.dtype).index_add_(0, index, wide)
        return sums.to(weights.dtype)


def _polyval_shape(op: Op, s: Shapes) -> None:
    if s.rank("p") != 1:
        raise told_as("ValueError", s.fail(f"p has shape {shape_text(s.p)}: it must have one axis"))
    s.output = s.x


@function_operator("_npi_polyval", shape=_polyval_shape, dtype=promote_numbers, promotes=True)
def polyval(p: Tensor, x: Tensor) -> Tensor:
    """The polynomial ``p[0] * x**(n - 1) + … + p[n - 1]``.

    Args:
        p: coefficients, (n,), of the highest power first.
        x: where to evaluate it.
    """
    value = torch.zeros_like(x)
    for coefficient in p:
        value = value * x + coefficient
    return value


def _diff_shape(op: Op, s: Shapes) -> None:
    n = op.attr("n")
    if n < 0:
        raise argument_error(op.name, "n", n, "must be >= 0")
    shape = s.a
    axis = s.axis("a", op.attr("axis"))
    s.output = (*shape[:axis], max(shape[axis] - n, 0), *shape[axis + 1 :])


@function_operator("_npi_diff", shape=_diff_shape, dtype=numbers_only)
def diff(a: Tensor, *, n: int = 1, axis: int = -1) -> Tensor:
    """Differences ``a[i + 1] - a[i]`` along an axis, taken `n` times.

    Args:
        a: any numbers.
        n: how often; the axis becomes that much shorter.
        axis: the axis.
    """
    return torch.diff(a, n, axis)


@operator("_npi_ediff1d")
class FlatDifferences(Op):
    """Differences between neighbors in a flattened array, with values before and after them.

    Args:
        input1: any numbers.
        input2: the values before, or the values after where only those are an array.
        input3: the values after, where both are arrays.
        to_begin_arr_given: whether an array gives the values before.
        to_end_arr_given: whether an array gives the values after.
        to_begin_scalar: the one value before.
        to_end_scalar: the one value after.
    """

    to_begin_arr_given: bool = False
    to_end_arr_given: bool = False
    to_begin_scalar: Double | None = None
    to_end_scalar: Double | None = None

    def inputs(self) -> tuple[str, ...]:
        return ("input1", "input2", "input3")[: 1 + self.to_begin_arr_given + self.to_end_arr_given]

    def infer_dtype(self, t: DTypes) -> None:
        promote_numbers(self, t)

    def forward(
        self, input1: Tensor, input2: Tensor | None = None, input3: Tensor | None = None
    ) -> Tensor:
        begin = input2 if self.to_begin_arr_given else self._one(self.to_begin_scalar, input1)
        last = input3 if self.to_begin_arr_given else input2
        end = last if self.to_end_arr_given else self._one(self.to_end_scalar, input1)
        ends = [part for part in (begin, end) if part is not None]
        input1, *_ = to_common_dtype(input1, *ends)
        parts = (begin, input1.reshape(-1).diff(), end)
        return torch.cat([part.reshape(-1) for part in parts if part is not None])

    def _one(self, value: float | None, like: Tensor) -> Tensor | None:
        if value is None:
            return None
        return torch.full((), value, dtype=torch.float64, device=like.device).to(like.dtype)
