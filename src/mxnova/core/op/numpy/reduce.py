# SPDX-License-Identifier: Apache-2.0
"""Reductions of the NumPy front end."""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import Double, Shape
from ...base.shapes import UNKNOWN, Dim, shape_text
from ...kernels import vectorized
from ...kernels.wide_sums import widen
from ..declaration import operator, register_function
from ..dtypes import dtype_name, torch_dtype
from ..families.reduce import restored
from ..infer import DTypes, Shapes
from ..promotion import promote_numbers, to_common_dtype
from ..schema import Op

__all__ = ["reduced_axes", "reduced_shape"]

Axes = tuple[int, ...]
NumberType = Literal["float16", "float32", "float64", "int32", "int64", "int8"]
ResultType = Literal["bool", "float16", "float32", "float64", "int32", "int64", "int8"]

_AXIS_DOC = """
    axis: the axes that vanish, negative ones counted from the last: None for all, () for none.
    keepdims: keep them with length 1."""
_DTYPE_DOC = """
    dtype: type of the output; None for that of `a`{}."""
_INITIAL_DOC = """
    initial: must be None; MXNet knows no initial value."""


# Axes ---------------------------------------------------------------------------------------------


def reduced_axes(axis: Axes | None, rank: int) -> Axes:
    """The axes to reduce; whether they exist is for the shape rule to say."""
    if axis is None or rank == 0:
        return tuple(range(rank))
    return tuple(a % rank for a in axis)


def reduced_shape(s: Shapes, axis: Axes | None, keepdims: bool) -> tuple[Dim, ...]:
    """Return the shape of the first input after the reduction."""
    name = s.inputs[0]
    shape: tuple[Dim, ...] = s[name]
    if shape or not set(axis or ()) <= {0, -1}:  # a scalar may be reduced along its "only" axis
        chosen = [s.axis(name, a) for a in axis or ()]
        if len(set(chosen)) < len(chosen):
            raise s.fail(f"axis={axis}: an axis of {name} {shape_text(shape)} is given twice")
    gone = reduced_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if a in gone else d for a, d in enumerate(shape))
    return tuple(d for a, d in enumerate(shape) if a not in gone)


def _shape(op: Op, s: Shapes) -> None:
    s.output = reduced_shape(s, op.attr("axis"), op.attr("keepdims"))
    if op.values.get("initial") is not None:
        raise s.fail(f"initial={op.attr('initial')}: must be None")


def _shape_of_nonempty(op: Op, s: Shapes) -> None:
    _shape(op, s)
    shape = s[s.inputs[0]]
    gone = reduced_axes(op.attr("axis"), len(shape))
    if any(shape[a] is not UNKNOWN and shape[a] == 0 for a in gone):
        raise s.fail(
            f"{s.inputs[0]} {shape_text(shape)} has no elements along axis={op.attr('axis')}"
        )


# Sums, products, means ----------------------------------------------------------------------------


def _sum_dtype(a: torch.dtype, dtype: str | None) -> torch.dtype:
    """`dtype`, or without it the type of the input, for bool int64."""
    if dtype is not None:
        return torch_dtype(dtype)
    return torch.int64 if a is torch.bool else a


def _mean_dtype(a: torch.dtype, dtype: str | None) -> torch.dtype:
    return _sum_dtype(a if a.is_floating_point else torch.float32, dtype)


def _accumulator(a: torch.dtype, dtype: torch.dtype) -> torch.dtype:
    """The type in which elements of type `a` are combined for a result of type `dtype`."""
    if a.is_floating_point:
        return torch.promote_types(torch.promote_types(a, dtype), torch.float32)
    return torch.float64 if dtype.is_floating_point else torch.int64


def _total(a: Tensor, axes: Axes, keepdims: bool, dtype: torch.dtype) -> Tensor:
    if not axes:
        return a.to(dtype)
    if dtype is a.dtype and dtype in _OWN_ACCUMULATORS:
        return torch.sum(a, axes, keepdim=keepdims)
    return a.sum(axes, keepdim=keepdims, dtype=_accumulator(a.dtype, dtype)).to(dtype)


_OWN_ACCUMULATORS = frozenset({torch.float32, torch.float64})


def _product(a: Tensor, axes: Axes, keepdims: bool, dtype: torch.dtype) -> Tensor:
    product = a.to(_accumulator(a.dtype, dtype))
    for axis in sorted(axes, reverse=True):
        product = product.prod(axis, keepdim=keepdims)
    return product.to(dtype)


def _mean(a: Tensor, axes: Axes, keepdims: bool, dtype: torch.dtype) -> Tensor:
    total = _total(a, axes, keepdims, dtype)
    if dtype is torch.bool:
        return total
    # The mean of no elements is NaN, as in NumPy; integers have none, and stay 0.
    count = _count(a, axes)
    return _quotient(total, count if dtype.is_floating_point else max(count, 1))


def _count(a: Tensor, axes: Axes) -> int:
    return math.prod(a.shape[axis] for axis in axes)


def _quotient(total: Tensor, count: Tensor | int) -> Tensor:
    """`total / count`, of integers cut toward zero."""
    if total.is_floating_point():
        return total / count
    return torch.div(total, count, rounding_mode="trunc").to(total.dtype)


# MXNet divides, which gives NaN where an element is 0.
def _d_product(
    d_output: Tensor, a: Tensor, output: Tensor, *, axis: Axes | None, **_: Any
) -> Tensor:
    axes = reduced_axes(axis, a.ndim)
    return (restored(d_output, a, axes) * restored(output, a, axes) / a).to(a.dtype)


def _summary(
    names: str, function: Any, result_dtype: Any, doc: str, type_note: str, **rules: Any
) -> None:
    """Registers ``output = function(a, axes, keepdims, dtype)``."""

    def forward(
        a: Tensor,
        *,
        axis: Shape | None = None,
        dtype: ResultType | None = None,
        keepdims: bool = False,
        initial: Double | None = None,
    ) -> Tensor:
        axes = reduced_axes(axis, a.ndim)
        result: Tensor = function(a, axes, keepdims, result_dtype(a.dtype, dtype))
        return result

    def infer_dtype(op: Op, t: DTypes) -> None:
        t.output = result_dtype(t.a, op.attr("dtype"))

    arguments = f"{_AXIS_DOC}{_DTYPE_DOC.format(type_note)}{_INITIAL_DOC}"
    forward.__doc__ = f"{doc}\n\nArgs:\n    a: of any shape.{arguments}"
    register_function(names.split(), forward, shape=_shape, dtype=infer_dtype, **rules)


_summary("_np_sum", _total, _sum_dtype, "Sum of the elements.", ", int64 for bool")
_summary(
    "_np_prod _np_product",
    _product,
    _sum_dtype,
    "Product of the elements.",
    ", int64 for bool",
    backward=_d_product,
)
_summary("_npi_mean", _mean, _mean_dtype, "Mean of the elements.", ", float32 for integers")


# Variance -----------------------------------------------------------------------------------------


def _variance(a: Tensor, axes: Axes, keepdims: bool, dtype: torch.dtype, ddof: int) -> Tensor:
    deviation = a - _mean(a, axes, True, a.dtype)  # in the type of `a`, also of integers
    squares = _total(deviation * deviation, axes, keepdims, dtype)
    return _quotient(squares, _count(a, axes) - ddof)


def _deviation(a: Tensor, axes: Axes, keepdims: bool, dtype: torch.dtype, ddof: int) -> Tensor:
    variance = _variance(a, axes, keepdims, dtype, ddof)
    return variance.sqrt().to(dtype)


def _spread_dtype(op: Op, t: DTypes) -> None:
    if t.a is torch.bool:
        raise MXNetError(f"{op.name}: a has type {dtype_name(t.a)}, but it must hold numbers")
    t.output = _sum_dtype(t.a, op.attr("dtype"))


def _spread(name: str, function: Any, doc: str) -> None:
    """Registers ``output = function(a, axes, keepdims, dtype, ddof)``."""

    def forward(
        a: Tensor,
        *,
        axis: Shape | None = None,
        dtype: NumberType | None = None,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> Tensor:
        axes = reduced_axes(axis, a.ndim)
        result: Tensor = function(a, axes, keepdims, _sum_dtype(a.dtype, dtype), ddof)
        return result

    arguments = f"{_AXIS_DOC}{_DTYPE_DOC.format('')}"
    forward.__doc__ = (
        f"{doc}\n\nArgs:\n    a: of any shape.{arguments}"
        "\n    ddof: what to take off the number of elements before dividing by it."
    )
    register_function([name], forward, shape=_shape, dtype=_spread_dtype, differentiable=False)


_spread("_npi_var", _variance, "Mean squared deviation from the mean.")
_spread("_npi_std", _deviation, "Square root of the mean squared deviation from the mean.")


# Extremes and truth -------------------------------------------------------------------------------


# Where several elements are the extreme one, MXNet gives each the whole gradient, ATen its share.
def _d_extreme(
    d_output: Tensor, a: Tensor, output: Tensor, *, axis: Axes | None, **_: Any
) -> Tensor:
    axes = reduced_axes(axis, a.ndim)
    return restored(d_output, a, axes) * (a == restored(output, a, axes))


def _extreme(names: str, function: Any, doc: str) -> None:
    def forward(
        a: Tensor,
        *,
        axis: Shape | None = None,
        keepdims: bool = False,
        initial: Double | None = None,
    ) -> Tensor:
        axes = reduced_axes(axis, a.ndim)
        result: Tensor = function(a, axes, keepdims) if axes else a.clone()
        return result

    forward.__doc__ = f"{doc}\n\nArgs:\n    a: of any shape.{_AXIS_DOC}{_INITIAL_DOC}"
    register_function(names.split(), forward, shape=_shape_of_nonempty, backward=_d_extreme)


_extreme("_np_max _np_amax", torch.amax, "Largest element.")
_extreme("_np_min _np_amin", torch.amin, "Smallest element.")


def _truth_dtype(op: Op, t: DTypes) -> None:
    t.output = torch.bool


def _truth(names: str, function: Any, doc: str) -> None:
    def forward(data: Tensor, *, axis: Shape | None = None, keepdims: bool = False) -> Tensor:
        axes, truth = reduced_axes(axis, data.ndim), data != 0
        result: Tensor = function(truth, axes, keepdims) if axes else truth
        return result

    forward.__doc__ = f"{doc}\n\nArgs:\n    data: of any shape.{_AXIS_DOC}"
    register_function(
        names.split(), forward, shape=_shape, dtype=_truth_dtype, differentiable=False
    )


_truth("_np_all", torch.all, "Whether no element is zero.")
_truth("_np_any _np_sometrue", torch.any, "Whether some element is not zero.")


# Positions of extremes ----------------------------------------------------------------------------


def _position_shape(op: Op, s: Shapes) -> None:
    axis, data = op.attr("axis"), s.full("data")
    s.output = reduced_shape(s, None if axis is None else (axis,), op.attr("keepdims"))
    if 0 in (data if axis is None else data and (data[axis],)):
        raise s.fail(f"data {shape_text(data)} has no elements along axis={axis}")


def _position_dtype(op: Op, t: DTypes) -> None:
    if t.known("data") is torch.bool:
        raise MXNetError(f"{op.name}: data has type bool, but it must hold numbers")
    t.output = torch.int64


def _position(name: str, function: Any, kind: str) -> None:
    def forward(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        if axis is None:
            flat: Tensor = function(data.flatten(), 0)
            return flat.reshape((1,) * data.ndim) if keepdims else flat
        position: Tensor = function(data, axis, keepdims)
        return position.long()

    forward.__doc__ = f"""Position of the {kind} element along an axis, as int64.

Of equal elements it is the first one's.

Args:
    data: of any shape.
    axis: the axis that is searched, or None for the array laid out flat.
    keepdims: keep the axis with length 1.
"""
    register_function(
        [name], forward, shape=_position_shape, dtype=_position_dtype, differentiable=False
    )


_position("_npi_argmax", vectorized.argmax, "largest")
_position("_npi_argmin", vectorized.argmin, "smallest")


# Weighted mean ------------------------------------------------------------------------------------


@operator("_npi_average")
class Average(Op):
    """``Σ a * weights / Σ weights`` along axes.

    Args:
        a: of any shape.
        weights: of the shape of `a`, or as many as the one axis given is long; absent without
            `weighted`.
        axis: the axes that vanish, negative ones counted from the last; None for all.
        returned: give the sum of the weights too, through which no gradient flows.
        weighted: take the weights; without it, they are all 1.
    """

    axis: Shape | None = None
    returned: bool = False
    weighted: bool = True

    def inputs(self) -> tuple[str, ...]:
        return ("a", "weights") if self.weighted else ("a",)

    def outputs(self) -> tuple[str, ...]:
        return ("output0", "output1")

    def n_visible(self) -> int:
        return 2 if self.returned else 1

    def infer_shape(self, s: Shapes) -> None:
        a = s.full("a")
        s.output0 = reduced_shape(s, self.axis, keepdims=False)
        weights = s.full("weights") if self.weighted else ()
        s.output1 = s.output0 if self.weighted and weights == a else ()
        if not self.weighted or weights == a:
            return
        if self.axis is None or len(self.axis) != 1 or weights != (a[self.axis[0]],):
            raise s.fail(
                f"axis={self.axis}: weights {shape_text(weights)} must have the shape of "
                f"a {shape_text(a)} or be as many as one axis of it is long"
            )

    def infer_dtype(self, t: DTypes) -> None:
        promote_numbers(self, t)

    def forward(self, a: Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if weights is not None:
            a, weights = to_common_dtype(a, weights)
        axes, dtype = reduced_axes(self.axis, a.ndim), a.dtype
        a = widen(a)
        if weights is None:
            count = a.new_full((), _count(a, axes))
            return _quotient(_total(a, axes, False, a.dtype), count).to(dtype), count.to(dtype)
        weights = widen(weights)
        if weights.shape == a.shape:
            weight = _total(weights, axes, False, a.dtype)
        else:
            weight = weights.sum(dtype=a.dtype)
            weights = restored(weights, a, tuple(i for i in range(a.ndim) if i not in axes))
        mean = _quotient(_total(a * weights, axes, False, a.dtype), weight)
        return mean.to(dtype), weight.detach().to(dtype)
