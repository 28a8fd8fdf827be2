# SPDX-License-Identifier: Apache-2.0
"""Reductions along axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from ...base.params import Shape
from ...base.shapes import UNKNOWN, Dim, shape_text
from ...kernels import vectorized
from ...kernels.norms import vector_norm
from ...kernels.wide_sums import widen
from ..declaration import DTypeRule, function_operator, register_function, same_dtype
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..schema import Op
from .binary import truth
from .rules import numbers_only

__all__ = ["reduction"]

equal = truth(torch.eq)

Axes = tuple[int, ...]
Function = Callable[[Tensor, Axes, bool], Tensor]

_AXIS_DOC = """
    axis: the axes that vanish, negative ones counted from the last; all of them when there is none.
    keepdims: keep them with length 1. Without it, an array reduced along all axes has shape (1,).
    exclude: reduce along all axes but these.
"""


@functools.lru_cache(maxsize=1024)
def reduced_axes(axis: Axes | None, rank: int, exclude: bool = False) -> Axes:
    """The axes to reduce, ascending; whether they exist is for the shape rule to say."""
    if not axis:
        return tuple(range(rank))
    chosen = {a % rank for a in axis}
    return tuple(a for a in range(rank) if (a in chosen) is not exclude)


def reduced_shape(
    s: Shapes, axis: Axes | None, keepdims: bool, exclude: bool = False
) -> tuple[Dim, ...]:
    """Return the shape of data after the reduction."""
    data = s.data
    chosen = [s.axis("data", a) for a in axis or ()]
    if len(set(chosen)) < len(chosen):
        raise s.fail(f"axis={shape_text(axis)}: an axis of data {shape_text(data)} is given twice")
    gone = reduced_axes(axis, len(data), exclude)
    if keepdims:
        return tuple(1 if a in gone else d for a, d in enumerate(data))
    return tuple(d for a, d in enumerate(data) if a not in gone) or (1,)


def _shape(op: Op, s: Shapes) -> None:
    s.output = reduced_shape(s, op.attr("axis"), op.attr("keepdims"), op.attr("exclude"))


def _shape_of_nonempty(op: Op, s: Shapes) -> None:
    _shape(op, s)
    if any(d is not UNKNOWN and d == 0 for d in s.data):
        raise s.fail(f"data {shape_text(s.data)} has no elements")


def reduce(data: Tensor, function: Function, axes: Axes, keepdims: bool) -> Tensor:
    """Apply `function` along `axes`; the shape is (1,) where ATen returns a scalar."""
    if not axes:
        data, axes, keepdims = data.unsqueeze(-1), (-1,), False
    output = function(data, axes, keepdims)
    return output if output.ndim else _with_axis(output)


def _with_axis(number: Tensor) -> Tensor:
    # In place is quicker, but no view that a backward pass could see the number through.
    return number[None] if number.requires_grad else number.unsqueeze_(0)


def reduction(
    names: str,
    function: Function,
    *,
    doc: str,
    dtype: DTypeRule = same_dtype,
    whole: Callable[[Tensor], Tensor] | None = None,
    **rules: Any,
) -> None:
    """Registers ``output = function(data, axes, keepdims)``.

    Args:
        names: canonical name and aliases, separated by blanks.
        function: of a tensor, one axis or more, and whether to keep them.
        doc: what the output is.
        dtype: the type rule.
        whole: the same of all real numbers, as a scalar which no gradient reads: without axes,
            which cost a third of a small sum.
        rules: further fields of `Rules`.
    """

    def forward(
        data: Tensor, *, axis: Shape | None = None, keepdims: bool = False, exclude: bool = False
    ) -> Tensor:
        return reduce(data, function, reduced_axes(axis, data.ndim, exclude), keepdims)

    forward.__doc__ = f"{doc}\n\nArgs:\n    data: of any shape.{_AXIS_DOC}"
    choose = None if whole is None else functools.partial(_chosen, forward, whole)
    register_function(
        names.split(), forward, dtype=dtype, choose=choose, **{"shape": _shape, **rules}
    )


def _chosen(
    forward: Callable[..., Tensor], whole: Callable[[Tensor], Tensor], op: Op
) -> Callable[[Tensor], Tensor]:
    """The forward for an operator's parameters: by `whole` without axes to go along or keep."""
    general = functools.partial(forward, **op.values)
    if op.values["axis"] or op.values["keepdims"]:
        return general

    def all_together(data: Tensor) -> Tensor:
        return _with_axis(whole(data)) if data.is_floating_point() else general(data)

    all_together.of_floats = lambda data: _with_axis(whole(data))  # type: ignore[attr-defined]
    return all_together


def restored(reduced: Tensor, data: Tensor, axes: Axes) -> Tensor:
    """`reduced` with its reduced axes back as axes of length 1, so that it broadcasts to `data`."""
    return reduced.reshape([1 if a in axes else d for a, d in enumerate(data.shape)])


# The reductions -----------------------------------------------------------------------------------


def _sum(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return torch.sum(data, axes, keepdim=keepdims, dtype=data.dtype)


def _mean(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    if data.is_floating_point():
        return torch.mean(data, axes, keepdim=keepdims)
    total = torch.sum(data, axes, keepdim=keepdims, dtype=data.dtype)
    if data.dtype is torch.bool:
        return total
    count = math.prod(data.shape[a] for a in axes)
    return torch.div(total, count, rounding_mode="trunc").to(data.dtype)


def _prod(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    if len(axes) == data.ndim and data.is_floating_point() and not keepdims:
        return data.prod()
    for axis in sorted(axes, reverse=True):
        data = torch.prod(data, axis, keepdim=keepdims, dtype=data.dtype)
    return data


def _nansum(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return torch.nansum(data, axes, keepdim=keepdims, dtype=data.dtype)


def _nanprod(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return _prod(data.masked_fill(torch.isnan(data), 1), axes, keepdims)


def _max(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return torch.amax(data, axes, keepdim=keepdims)


def _min(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return torch.amin(data, axes, keepdim=keepdims)


def _square_sum(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return _sum(torch.square(data), axes, keepdims)


# Where several elements are the extreme one, MXNet gives each the whole gradient, ATen its share.
def _extreme_backward(
    d_output: Tensor,
    data: Tensor,
    output: Tensor,
    *,
    axis: Axes | None,
    keepdims: bool,
    exclude: bool,
) -> Tensor:
    axes = reduced_axes(axis, data.ndim, exclude)
    is_extreme: Tensor = equal(data.detach(), restored(output.detach(), data, axes))
    return is_extreme * restored(d_output, data, axes)


reduction(
    "sum _sparse_sum sum_axis", _sum, whole=torch.sum, doc="Sum of the elements.", method=True
)
reduction(
    "mean _sparse_mean",
    _mean,
    whole=torch.mean,
    doc="Mean of the elements; of integers cut toward zero.",
    method=True,
)
reduction("prod", _prod, doc="Product of the elements.", method=True)
reduction("nansum", _nansum, doc="Sum of the elements, NaN counting as 0.", method=True)
reduction("nanprod", _nanprod, doc="Product of the elements, NaN counting as 1.", method=True)
reduction(
    "max max_axis",
    _max,
    shape=_shape_of_nonempty,
    backward=_extreme_backward,
    doc="Largest element.",
    method=True,
)
reduction(
    "min min_axis",
    _min,
    shape=_shape_of_nonempty,
    backward=_extreme_backward,
    doc="Smallest element.",
    method=True,
)


def _square_sum_gradient_stypes(
    op: Op, heads: Sequence[str], stypes: Sequence[str]
) -> tuple[str, ...]:
    return ("row_sparse" if stypes[0] == "row_sparse" else "default",)


reduction(
    "_square_sum",
    _square_sum,
    gradient_stypes=_square_sum_gradient_stypes,
    doc="Sum of the squares of the elements.",
)


# Norm and moments ---------------------------------------------------------------------------------


def _norm_shape(op: Op, s: Shapes) -> None:
    if op.attr("ord") not in (1, 2):
        raise s.fail(f"ord={op.attr('ord')}: must be 1 or 2")
    s.full("data")
    s.output = reduced_shape(s, op.attr("axis"), op.attr("keepdims"))


def _norm_dtype(op: Op, t: DTypes) -> None:
    if op.attr("out_dtype") is None:
        t.same("data", "output")
    else:
        t.output = torch_dtype(op.attr("out_dtype"))


@function_operator("norm", "_sparse_norm", shape=_norm_shape, dtype=_norm_dtype, method=True)
def norm(
    data: Tensor,
    *,
    ord: int = 2,
    axis: Shape | None = None,
    out_dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None,
    keepdims: bool = False,
) -> Tensor:
    """Return Σ|data| or √Σdata² along axes, without overflow or underflow of the squares.

    Args:
        data: of any shape.
        ord: 1 for the sum of magnitudes, 2 for the Euclidean norm.
        axis: the axes that vanish; all of them when there is none.
        out_dtype: type of the output, that of data when there is none.
        keepdims: keep the axes with length 1.
    """
    dtype = data.dtype if out_dtype is None else torch_dtype(out_dtype)
    if not data.is_floating_point():
        data = data.double()
    magnitudes = _sum_of_magnitudes if ord == 1 else _euclidean
    return reduce(data, magnitudes, reduced_axes(axis, data.ndim), keepdims).to(dtype)


def _sum_of_magnitudes(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return _sum(data.abs(), axes, keepdims)


def _euclidean(data: Tensor, axes: Axes, keepdims: bool) -> Tensor:
    return vector_norm(data, 2, axes, keepdims)


def _moments_shape(op: Op, s: Shapes) -> None:
    if not op.attr("axes"):
        raise s.fail("axes: at least one axis must be given")
    s.output0 = s.output1 = reduced_shape(s, op.attr("axes"), op.attr("keepdims"))


@function_operator(
    "moments", outputs=("output0", "output1"), shape=_moments_shape, dtype=numbers_only
)
def moments(
    data: Tensor, *, axes: Shape | None = None, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Mean and variance along axes; the variance is the mean square of the deviations.

    Args:
        data: of any shape.
        axes: the axes that vanish, at least one.
        keepdims: keep them with length 1.
    """
    chosen, wide = reduced_axes(axes, data.ndim), widen(data)
    mean = _mean(wide, chosen, True)
    variance = reduce(torch.square(wide - mean), _mean, chosen, keepdims)
    mean = mean if keepdims else reduce(wide, _mean, chosen, False)
    return mean.to(data.dtype), variance.to(data.dtype)


# Positions of extremes ----------------------------------------------------------------------------


def _position_shape(op: Op, s: Shapes) -> None:
    axis, data = op.attr("axis"), s.full("data")
    s.output = reduced_shape(s, None if axis is None else (axis,), op.attr("keepdims"))
    if 0 in (data if axis is None else (data[axis],)):
        raise s.fail(f"data {shape_text(data)} has no elements along axis={axis}")


def _position(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def forward(data: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        output = function(data, axis, keepdims).to(data.dtype)
        return output if output.ndim else output.reshape(1)

    return forward


for _name, _function, _kind in (
    ("argmax", vectorized.argmax, "largest"),
    ("argmin", vectorized.argmin, "smallest"),
):
    _forward = _position(_function)
    _forward.__doc__ = f"""Position of the {_kind} element along an axis, in the type of data.

Of equal elements it is the first one's.

Args:
    data: of any shape.
    axis: the axis that is searched, or None for the array laid out flat.
    keepdims: keep the axis with length 1.
"""
    register_function(
        [_name],
        _forward,
        shape=_position_shape,
        dtype=numbers_only,
        differentiable=False,
        method=True,
    )


def _channel_shape(op: Op, s: Shapes) -> None:
    s.full("data")
    s.axis("data", 1)
    s.output = (*s.data[:1], *s.data[2:])


@function_operator(
    "argmax_channel",
    shape=_channel_shape,
    dtype=numbers_only,
    differentiable=None,
    method=True,
)
def argmax_channel(data: Tensor) -> Tensor:
    """Position of the largest element along the second axis, in the type of data.

    Args:
        data: (batch, channel, …).
    """
    return vectorized.argmax(data, 1).to(data.dtype)
