# SPDX-License-Identifier: Apache-2.0
"""Conversion between element types."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...base.params import AnyCount
from ..declaration import elementwise_shape, function_operator
from ..dtypes import torch_dtype
from ..infer import DTypes, Shapes
from ..outputs import lone, numbered
from ..schema import Op
from .creation import Number, NumberOrBool


def _cast_dtype(op: Op, t: DTypes) -> None:
    t.output = torch_dtype(op.attr("dtype"))


@function_operator(
    "Cast", "_npi_cast", "_npx_cast", "cast", shape=elementwise_shape, dtype=_cast_dtype
)
def cast(data: Tensor, *, dtype: NumberOrBool) -> Tensor:
    """Cast data to another dtype; floats truncate to integers, and nonzero is True for bool.

    Args:
        data: of any shape and type.
        dtype: type of the output.
    """
    return data.to(torch_dtype(dtype), copy=True)


_MIXED = (torch.float16, torch.float32, torch.bfloat16)  # what mixed precision converts between


def _amp_cast_dtype(op: Op, t: DTypes) -> None:
    t.output = torch_dtype(op.attr("dtype")) if t.data in _MIXED else t.data


@function_operator("amp_cast", shape=elementwise_shape, dtype=_amp_cast_dtype)
def amp_cast(data: Tensor, *, dtype: Number) -> Tensor:
    """Its input as another type if it is float16 or float32, else as it is: for mixed precision.

    Args:
        data: of any shape and type.
        dtype: type of the output.
    """
    return data.to(torch_dtype(dtype)) if data.dtype in _MIXED else data.clone()


def _arrays(op: Op) -> tuple[str, ...]:
    return numbered("data_", op.attr("num_outputs"))


def _casts(op: Op) -> tuple[str, ...]:
    return numbered("output", op.attr("num_outputs"))


def _pairwise_shapes(op: Op, s: Shapes) -> None:
    for name, output in zip(s.inputs, s.outputs, strict=True):
        s.same(name, output)


def _multicast(dtypes: list[torch.dtype], narrow: bool) -> list[torch.dtype]:
    """Types of the results: those of float16 and float32 are made equal."""
    wanted = torch.float16 if narrow else torch.float32
    fallback = torch.float32 if narrow else next(filter(_is_floating, dtypes), wanted)
    common = wanted if wanted in dtypes else fallback
    return [common if d in _MIXED else d for d in dtypes]


def _is_floating(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point


def _multicast_dtype(op: Op, t: DTypes) -> None:
    found = _multicast([t[name] for name in t.inputs], op.attr("cast_narrow"))
    for output, dtype in zip(t.outputs, found, strict=True):
        t[output] = dtype


@function_operator(
    "amp_multicast",
    inputs=_arrays,
    outputs=_casts,
    shape=_pairwise_shapes,
    dtype=_multicast_dtype,
)
def amp_multicast(*data: Tensor, num_outputs: AnyCount, cast_narrow: bool = False) -> Any:
    """Those of the arrays that are float16 or float32 in one type: for mixed precision.

    Args:
        data: arrays of any shapes; those of other types stay as they are.
        num_outputs: how many there are.
        cast_narrow: make them float16 where one is; otherwise float32 where one is.
    """
    dtypes = _multicast([x.dtype for x in data], cast_narrow)
    return lone([x.to(d, copy=True) for x, d in zip(data, dtypes, strict=True)])
