# SPDX-License-Identifier: Apache-2.0
"""Choices made by a mask, between arrays and numbers."""

from __future__ import annotations

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import Double, StructuralDouble
from ...base.shapes import shape_text
from ..declaration import elementwise_shape, function_operator
from ..families.rules import in_type_of
from ..infer import DTypes, Shapes
from ..promotion import promote, to_common_dtype
from ..schema import Op
from .binary import broadcast_inputs

__all__: list[str] = []


# Where --------------------------------------------------------------------------------------------


def _type_of_choices(op: Op, t: DTypes) -> None:
    """All but the mask have one type; that of the mask does not matter."""
    t.same(*(n for n in t.inputs if n not in ("condition", "mask")), "output")


def _type_beside_number(op: Op, t: DTypes) -> None:
    """The type of the array; float64 for integers beside a fraction, which they cannot hold."""
    array = next(n for n in t.inputs if n != "condition")
    dtype = t.known(array)
    is_cut = dtype is not None and not dtype.is_floating_point and op.attr("scalar") % 1 != 0
    if is_cut:
        t.output = torch.float64
    else:
        t.same(array, "output")


def _beside_number(array: Tensor, scalar: float) -> tuple[Tensor, Tensor]:
    """Return the array and the number in the dtype of `_type_beside_number`."""
    if not array.is_floating_point() and scalar % 1 != 0:
        array = array.double()
    return array, in_type_of(array, scalar)


def _promote_choices(op: Op, t: DTypes) -> None:
    promote(op, t, ("x", "y"))


@function_operator("_npi_where", shape=broadcast_inputs, dtype=_promote_choices)
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Elements of x where condition is not 0, elsewhere those of y; axes of length 1 repeat.

    Args:
        condition: of any shape and type.
        x: of any shape.
        y: of any shape.
    """
    x, y = to_common_dtype(x, y)
    return torch.where(condition != 0, x, y)


# MXNet's gradients of the next two go to the elements that were not chosen.
def _lscalar_backward(
    d_output: Tensor, condition: Tensor, x: Tensor, *, scalar: float
) -> tuple[None, Tensor]:
    return None, (d_output * (condition != 0)).sum_to_size(x.shape)


def _rscalar_backward(
    d_output: Tensor, condition: Tensor, y: Tensor, *, scalar: float
) -> tuple[None, Tensor]:
    return None, (d_output * (condition == 0)).sum_to_size(y.shape)


@function_operator(
    "_npi_where_lscalar",
    shape=broadcast_inputs,
    dtype=_type_beside_number,
    backward=_lscalar_backward,
)
def where_lscalar(condition: Tensor, x: Tensor, *, scalar: StructuralDouble = 0.0) -> Tensor:
    """A number where condition is not 0, elsewhere elements of x; axes of length 1 repeat.

    Args:
        condition: of any shape and type.
        x: of any shape.
        scalar: the number, converted to the type of x; integers beside a fraction give float64.
    """
    x, number = _beside_number(x, scalar)
    return torch.where(condition != 0, number, x)


@function_operator(
    "_npi_where_rscalar",
    shape=broadcast_inputs,
    dtype=_type_beside_number,
    backward=_rscalar_backward,
)
def where_rscalar(condition: Tensor, y: Tensor, *, scalar: StructuralDouble = 0.0) -> Tensor:
    """Elements of y where condition is not 0, elsewhere a number; axes of length 1 repeat.

    Args:
        condition: of any shape and type.
        y: of any shape.
        scalar: the number, converted to the type of y; integers beside a fraction give float64.
    """
    y, number = _beside_number(y, scalar)
    return torch.where(condition != 0, y, number)


def _float32_output(op: Op, t: DTypes) -> None:
    t.output = torch.float32


@function_operator(
    "_npi_where_scalar2", shape=elementwise_shape, dtype=_float32_output, differentiable=False
)
def where_scalar2(condition: Tensor, *, x: Double = 0.0, y: Double = 0.0) -> Tensor:
    """One number where condition is not 0, another one elsewhere, as float32.

    Args:
        condition: of any shape and type.
        x: the number where it is not 0.
        y: the number where it is 0.
    """
    zero = torch.zeros((), device=condition.device, dtype=torch.float32)
    return torch.where(condition != 0, in_type_of(zero, x), in_type_of(zero, y))


# Assignment ---------------------------------------------------------------------------------------


def _assigned_shape(op: Op, s: Shapes) -> None:
    data, mask = s.full("data"), s.full("mask")
    start = op.attr("start_axis")
    if start < 0 or data[start : start + len(mask)] != mask:
        raise s.fail(
            f"mask {shape_text(mask)} does not fit the axes of data {shape_text(data)} "
            f"from start_axis={start} on"
        )
    s.output = data


@function_operator(
    "_npi_boolean_mask_assign_scalar",
    shape=_assigned_shape,
    dtype=_type_of_choices,
    differentiable=False,
)
def boolean_mask_assign_scalar(
    data: Tensor, mask: Tensor, *, value: float, start_axis: int
) -> Tensor:
    """Its input with a number in every place that a mask chooses.

    Args:
        data: of any shape.
        mask: of the shape of some successive axes of data, of any type; chooses where not 0.
        value: the number, converted to the type of data.
        start_axis: the first of these axes, not negative.
    """
    n_after = data.ndim - start_axis - mask.ndim
    chosen = (mask != 0).reshape((*mask.shape, *[1] * n_after))
    return torch.where(chosen, in_type_of(data, value), data)


@function_operator(
    "_npi_boolean_mask_assign_tensor",
    shape=_assigned_shape,
    dtype=_type_of_choices,
    differentiable=False,
)
def boolean_mask_assign_tensor(
    data: Tensor, mask: Tensor, value: Tensor, *, start_axis: int
) -> Tensor:
    """Its input with an array's elements in the places that a mask chooses.

    Args:
        data: of any shape.
        mask: of the shape of some successive axes of data, of any type; chooses where not 0.
        value: of the type of data; of a shape that can be broadcast to that of data with the axes
            of the mask replaced by one, as long as the number of chosen places. Where it has one
            axis too few, it is that one.
        start_axis: the first of these axes, not negative.

    Raises:
        MXNetError: value does not fit the number of chosen places.
    """
    if value.ndim == data.ndim - mask.ndim:
        value = value.unsqueeze(start_axis)
    output = data.clone()
    try:
        output[(slice(None),) * start_axis + (mask != 0,)] = value
    except RuntimeError as error:
        raise MXNetError(f"_npi_boolean_mask_assign_tensor: {error}") from None
    return output
