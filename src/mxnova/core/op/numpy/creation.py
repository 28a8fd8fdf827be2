# SPDX-License-Identifier: Apache-2.0
"""Arrays that the NumPy front end makes from parameters alone, or from the shape of another."""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
from torch import Tensor

from ...base.errors import told_as
from ...base.parameter_types import IntKind, Kind
from ...base.params import Double, Long, Shape
from ...base.shapes import shape_text
from ..declaration import function_operator, register_function
from ..dtypes import torch_dtype
from ..families.creation import (
    Number,
    NumberOrBool,
    arange,
    constant,
    filled,
    given_dtype,
    linspace,
    linspace_shape,
    ones,
    zeros,
)
from ..infer import DTypes, Shapes
from ..schema import Op


class _LengthKind(Kind):
    """A length or None, a type that MXNet prints without a name."""

    label = ""
    _item = IntKind("long", -(2**63), 2**63 - 1)

    def parse(self, value: Any) -> int | None:
        return None if value in (None, "None") else self._item.parse(value)


Length = Annotated[int | None, _LengthKind()]

constant("_npi_zeros")(zeros)
constant("_npi_ones")(ones)


# Sequences ----------------------------------------------------------------------------------------


def _arange_shape(op: Op, s: Shapes) -> None:
    start, stop, step = op.attr("start"), op.attr("stop"), op.attr("step")
    if step == 0:
        raise s.fail("step=0: the step must not be zero")
    if op.attr("repeat") != 1:
        raise s.fail(f"repeat={op.attr('repeat')}: must be 1")
    if op.attr("infer_range"):
        raise s.fail("infer_range=True: the end must be given")
    length = start if stop is None else stop - start
    if not math.isfinite(length / step):
        raise s.fail(f"start={start:g}, stop={stop}, step={step:g}: no number of steps")
    s.output = (max(math.ceil(length / step), 0),)


register_function(
    ["_npi_arange"], arange, shape=_arange_shape, dtype=given_dtype, differentiable=False
)


@function_operator("_npi_logspace", shape=linspace_shape, dtype=given_dtype, differentiable=False)
def logspace(
    *,
    start: Double,
    stop: Double,
    num: int,
    endpoint: bool = True,
    base: Double = 10.0,
    ctx: str = "",
    dtype: Number = "float32",
) -> Tensor:
    """base**start … base**stop, each number the same multiple of the one before.

    Args:
        start: exponent of the first number.
        stop: exponent of the last number, or of the one behind it.
        num: how many.
        endpoint: whether base**stop is among them.
        base: what is raised to the exponents.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type; integers are cut.
    """
    exponents = linspace(start=start, stop=stop, num=num, endpoint=endpoint, dtype="float64")
    return torch.pow(base, exponents).to(torch_dtype(dtype))


# Windows ------------------------------------------------------------------------------------------


def _window_shape(op: Op, s: Shapes) -> None:
    if op.attr("M") is None:
        raise s.fail("M=None: the number of points must be given")
    s.output = (max(op.attr("M"), 0),)


def _window(name: str, weights: tuple[float, ...], doc: str) -> None:
    """Registers a window that is a sum of cosines: weights[k] · cos(2 π k n / (M - 1))."""

    def window(*, M: Length = None, ctx: str = "", dtype: Number = "float32") -> Tensor:  # noqa: N803
        points, kind = M or 0, torch_dtype(dtype)
        if points <= 1:
            return torch.ones(max(points, 0), dtype=kind)
        if not kind.is_floating_point:  # MXNet cuts the weights to integers, which leaves nothing
            return torch.zeros(points, dtype=kind)
        turns = torch.arange(points, dtype=torch.float64) / (points - 1)
        angle = (turns * (2 * _PI)).to(kind)
        terms = (weight * torch.cos(k * angle) for k, weight in enumerate(weights) if k)
        return sum(terms, torch.full_like(angle, weights[0]))

    window.__doc__ = f"""{doc}

    Args:
        M: number of points; one point is 1, and none is an empty array.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type; integers are 0.
    """
    register_function([name], window, shape=_window_shape, dtype=given_dtype, differentiable=False)


_PI = 3.1415927410125732  # in float32, which is what MXNet computes with for every type

# fmt: off
_window("_npi_hanning", (0.5, -0.5), "Hann window: 0.5 - 0.5 cos(2 π n / (M - 1)).")
_window("_npi_hamming", (0.54, -0.46), "Hamming window: 0.54 - 0.46 cos(2 π n / (M - 1)).")
_window("_npi_blackman", (0.42, -0.5, 0.08),
        "Blackman window: 0.42 - 0.5 cos(2 π n / (M - 1)) + 0.08 cos(4 π n / (M - 1)).")
# fmt: on


# Matrices and indices -----------------------------------------------------------------------------


def _eye_shape(op: Op, s: Shapes) -> None:
    rows, columns = op.attr("N"), op.attr("M")
    shape = (rows, rows if columns is None else columns)
    if min(shape) < 0:
        raise s.fail(f"N={rows}, M={columns}: must be >= 0")
    s.output = shape


@function_operator("_npi_eye", shape=_eye_shape, dtype=given_dtype, differentiable=False)
def eye(
    *,
    N: Long,  # noqa: N803
    M: Length = None,  # noqa: N803
    k: Long = 0,
    ctx: str = "",
    dtype: Number = "float32",
) -> Tensor:
    """A matrix with ones on one diagonal and zeros elsewhere.

    Args:
        N: number of rows.
        M: number of columns; None for as many as rows.
        k: the diagonal: 0 the main one, above it positive, below it negative.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
    """
    columns = N if M is None else M
    output = torch.zeros((N, columns), dtype=torch_dtype(dtype))
    if -N < k < columns:
        output.diagonal(k).fill_(1)
    return output


def _identity_shape(op: Op, s: Shapes) -> None:
    shape = op.attr("shape")
    if len(shape) != 2 or shape[0] != shape[1]:
        raise s.fail(f"shape={shape_text(shape)}: must be that of a square matrix")
    s.output = shape


@function_operator("_npi_identity", shape=_identity_shape, dtype=given_dtype, differentiable=False)
def identity(*, shape: Shape = (), ctx: str = "", dtype: NumberOrBool = "float32") -> Tensor:
    """A square matrix with ones on the main diagonal and zeros elsewhere.

    Args:
        shape: (n, n).
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
    """
    return torch.eye(shape[0], dtype=torch_dtype(dtype))


def _indices_shape(op: Op, s: Shapes) -> None:
    dimensions = op.attr("dimensions")
    if min(dimensions, default=0) < 0:
        raise s.fail(f"dimensions={shape_text(dimensions)}: must not be negative")
    s.output = (len(dimensions), *dimensions)


@function_operator("_npi_indices", shape=_indices_shape, dtype=given_dtype, differentiable=False)
def indices(*, dimensions: Shape, dtype: Number = "int32", ctx: str = "") -> Tensor:
    """For each axis of a grid, the position along it of every point: (rank, *dimensions).

    Args:
        dimensions: shape of the grid.
        dtype: element type.
        ctx: device of the output, such as ``gpu(0)``.
    """
    rank = len(dimensions)
    output = torch.empty((rank, *dimensions), dtype=torch_dtype(dtype))
    for axis, size in enumerate(dimensions):
        output[axis] = torch.arange(size).reshape((-1,) + (1,) * (rank - 1 - axis))
    return output


def _diagonal_shape(op: Op, s: Shapes) -> None:
    data = s.full("data")
    if len(data) < 2 or len(set(data)) > 1:
        reason = f"data {shape_text(data)}: must have two axes or more, all of one length"
        raise told_as("ValueError", s.fail(reason))
    s.output = (len(data), data[0])


def _int64(op: Op, t: DTypes) -> None:
    t.output = torch.int64


@function_operator(
    "_npi_diag_indices_from", shape=_diagonal_shape, dtype=_int64, differentiable=False
)
def diag_indices_from(data: Tensor) -> Tensor:
    """The positions of the main diagonal of data: int64 (rank, n).

    Args:
        data: (n, n, …); only its shape and device count.
    """
    return torch.arange(len(data), device=data.device).repeat(data.ndim, 1)


def _same_shape(op: Op, s: Shapes) -> None:
    s.output = s.a


def _dtype_like(op: Op, t: DTypes) -> None:
    chosen = op.attr("dtype")
    t.output = t.a if chosen is None else torch_dtype(chosen)


@function_operator("_npi_full_like", shape=_same_shape, dtype=_dtype_like, differentiable=False)
def full_like(
    a: Tensor, *, fill_value: Double, ctx: str = "", dtype: NumberOrBool | None = None
) -> Tensor:
    """An array of one value, of the shape of a.

    Args:
        a: only its shape, type and device count.
        fill_value: of each element; cut for integers, 0 or not for bool.
        ctx: ignored; the output is where a is.
        dtype: element type; None for that of a.
    """
    kind = a.dtype if dtype is None else torch_dtype(dtype)
    return filled(tuple(a.shape), fill_value, kind, a.device)
