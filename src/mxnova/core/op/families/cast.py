# SPDX-License-Identifier: Apache-2.0
"""Conversion between element types."""

from __future__ import annotations

import functools

import torch
from torch import Tensor

from ..declaration import elementwise_shape, function_operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..record import Op
from .creation import Number, NumberOrBool


def _cast_dtype(op: Op, t: DTypes) -> None:
    t.output = torch_dtype(op.attr("dtype"))


@function_operator(
    "Cast", "_npi_cast", "_npx_cast", "cast", shape=elementwise_shape, dtype=_cast_dtype
)
def cast(data: Tensor, *, dtype: NumberOrBool) -> Tensor:
    """Its input as another element type; numbers become integers by cutting, bool by not being 0.

    Args:
        data: of any shape and type.
        dtype: type of the output.
    """
    return data.to(torch_dtype(dtype), copy=True)


def _amp_cast_dtype(op: Op, t: DTypes) -> None:
    t.output = torch_dtype(op.attr("dtype")) if t.data.is_floating_point else t.data


@function_operator("amp_cast", shape=elementwise_shape, dtype=_amp_cast_dtype)
def amp_cast(data: Tensor, *, dtype: Number) -> Tensor:
    """Its input as another type if it is floating point, else as it is: for mixed precision.

    Args:
        data: of any shape and type.
        dtype: type of the output.
    """
    return data.to(torch_dtype(dtype)) if data.is_floating_point() else data.clone()


def _arrays(op: Op) -> tuple[str, ...]:
    return tuple(f"data_{i}" for i in range(op.attr("num_outputs")))


def _casts(op: Op) -> tuple[str, ...]:
    return tuple(f"output{i}" for i in range(op.attr("num_outputs")))


def _pairwise_shapes(op: Op, s: Shapes) -> None:
    for name, output in zip(s.inputs, s.outputs, strict=True):
        s.same(name, output)


def _common(dtypes: list[torch.dtype], narrow: bool) -> torch.dtype:
    if narrow:
        return min(dtypes, key=lambda d: d.itemsize)
    return functools.reduce(torch.promote_types, dtypes)


def _multicast_dtype(op: Op, t: DTypes) -> None:
    common = _common([t[name] for name in t.inputs], op.attr("cast_narrow"))
    for output in t.outputs:
        t[output] = common


@function_operator(
    "amp_multicast",
    inputs=_arrays,
    outputs=_casts,
    shape=_pairwise_shapes,
    dtype=_multicast_dtype,
)
def amp_multicast(*data: Tensor, num_outputs: int, cast_narrow: bool = False) -> tuple[Tensor, ...]:
    """All arrays in the widest type among them: for mixed precision.

    Args:
        data: floating-point arrays of any shapes.
        num_outputs: how many there are.
        cast_narrow: take the narrowest type instead.
    """
    dtype = _common([x.dtype for x in data], cast_narrow)
    return tuple(x.to(dtype, copy=True) for x in data)
