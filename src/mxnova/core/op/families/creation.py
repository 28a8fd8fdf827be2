# SPDX-License-Identifier: Apache-2.0
"""Arrays made from parameters alone, or from the shape of another array.

A shape may be given in part (a dimension of 0 in legacy mode, of -1 under NumPy semantics); the
rest is then inferred from the output's readers, and an operator of the full shape is what runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

import torch
from torch import Tensor

from ...base.dtypes import dtype_of_flag
from ...base.errors import argument_error
from ...base.parameter_types import ShapeKind
from ...base.params import Double, Long, Shape, StructuralDouble
from ...base.shapes import from_user
from ...runtime.torch_api import is_traced
from .. import constants
from ..declaration import function_operator
from ..dtypes import mx_dtype, torch_dtype
from ..gradient_stypes import as_input
from ..infer import DTypes, Shapes
from ..schema import Op
from .rules import as_element, numbers_only
from .unary import unary

# fmt: off
Number: TypeAlias = Literal[
    "bfloat16", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
]
NumberOrBool: TypeAlias = Literal[
    "bfloat16", "bool", "float16", "float32", "float64", "int32", "int64", "int8", "uint8"
]
# fmt: on
PartialShape: TypeAlias = Annotated[tuple[int, ...] | None, ShapeKind()]
F = TypeVar("F", bound=Callable[..., Tensor])


def _given_shape(op: Op, s: Shapes) -> None:
    s.output = from_user(op.attr("shape"))


def given_dtype(op: Op, t: DTypes) -> None:
    """The output has the type that parameter `dtype` names."""
    t.output = torch_dtype(op.attr("dtype"))


def _settle_shape(op: Op, shape: tuple[int, ...], dtype: torch.dtype) -> dict[str, Any]:
    return {} if op.attr("shape") == shape else {"shape": shape}


def constant(*names: str) -> Callable[[F], F]:
    """Declares an operator that makes an array of a given shape and type."""
    return function_operator(
        *names, shape=_given_shape, dtype=given_dtype, settle=_settle_shape, differentiable=False
    )


@constant("_zeros")
def zeros(*, shape: Shape = (), ctx: str = "", dtype: NumberOrBool = "float32") -> Tensor:
    """Zeros.

    Args:
        shape: shape of the output.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
    """
    return torch.zeros(shape, dtype=torch_dtype(dtype))


@constant("_ones")
def ones(*, shape: Shape = (), ctx: str = "", dtype: NumberOrBool = "float32") -> Tensor:
    """Ones.

    Args:
        shape: shape of the output.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
    """
    return torch.ones(shape, dtype=torch_dtype(dtype))


@constant("_full", "_npi_full")
def full(
    *, shape: PartialShape = None, ctx: str = "", dtype: NumberOrBool = "float32", value: Double
) -> Tensor:
    """An array of one value.

    Args:
        shape: shape of the output.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
        value: of each element; cut for integers, 0 or not for bool.
    """
    return filled(shape or (), value, torch_dtype(dtype))


def filled(
    shape: tuple[int, ...], value: float, dtype: torch.dtype, device: torch.device | None = None
) -> Tensor:
    """An array of one value, converted as C does."""
    return torch.full(shape, as_element(value, dtype), dtype=dtype, device=device)


def _flag_dtype(op: Op, t: DTypes) -> None:
    """The type of that flag; -1 leaves it to the output's readers."""
    if op.attr("dtype") == -1:
        return
    dtype = dtype_of_flag(op.attr("dtype"))
    if dtype is None:
        raise argument_error(op.name, "dtype", op.attr("dtype"), "no element type has this flag")
    t.output = torch_dtype(dtype.name)


def _settle_type_too(op: Op, shape: tuple[int, ...], dtype: torch.dtype) -> dict[str, Any]:
    changes = _settle_shape(op, shape, dtype)
    if op.attr("dtype") == -1:
        changes["dtype"] = mx_dtype(dtype).flag
    return changes


@function_operator(
    "_zeros_without_dtype",
    shape=_given_shape,
    dtype=_flag_dtype,
    settle=_settle_type_too,
    differentiable=False,
)
def zeros_without_dtype(*, shape: PartialShape = None, ctx: str = "", dtype: int = -1) -> Tensor:
    """Zeros of a type that may be left open.

    Args:
        shape: shape of the output.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: MXNet's flag of the element type; -1 stands for what is inferred, else float32.
    """
    flagged = dtype_of_flag(dtype)
    return torch.zeros(shape or (), dtype=torch_dtype(flagged.name if flagged else "float32"))


# fmt: off
unary("zeros_like _sparse_zeros_like", torch.zeros_like, dtype=None, differentiable=False,
      doc="Zeros of the shape and type of data.", method=True, gradient_stypes=as_input)
unary("ones_like", torch.ones_like, dtype=None, differentiable=False,
      doc="Ones of the shape and type of data.", method=True, gradient_stypes=as_input)
# fmt: on


# Sequences ----------------------------------------------------------------------------------------


def _arange_span(start: float, stop: float | None) -> tuple[float, float]:
    return (0.0, start) if stop is None else (start, stop)


def _arange_shape(op: Op, s: Shapes) -> None:
    step, repeat = op.attr("step"), op.attr("repeat")
    start, stop = _arange_span(op.attr("start"), op.attr("stop"))
    if step == 0:
        raise s.fail("step=0: the step must not be zero")
    if repeat <= 0:
        raise s.fail(f"repeat={repeat}: must be >= 1")
    if op.attr("infer_range") and op.attr("stop") is None:
        return
    if not math.isfinite((stop - start) / step):
        raise s.fail(f"start={start:g}, stop={stop:g}, step={step:g}: no number of steps")
    if (stop - start) / step <= 0:
        raise s.fail(
            f"start={start:g}, stop={stop:g}: no step={step:g} leads from one to the other"
        )
    s.output = (math.ceil((stop - start) / step) * repeat,)


def _settle_stop(op: Op, shape: tuple[int, ...], dtype: torch.dtype) -> dict[str, Any]:
    if not (op.attr("infer_range") and op.attr("stop") is None):
        return {}
    length = op.attr("step") * (shape[0] // op.attr("repeat"))
    return {"stop": op.attr("start") + length, "infer_range": False}


@function_operator(
    "_arange",
    shape=_arange_shape,
    dtype=given_dtype,
    settle=_settle_stop,
    differentiable=False,
)
def arange(
    *,
    start: StructuralDouble,
    stop: StructuralDouble | None = None,
    step: StructuralDouble = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    ctx: str = "",
    dtype: Number = "float32",
) -> Tensor:
    """start, start + step, … up to but without stop.

    Args:
        start: first number; the end, with a start of 0, if stop is None.
        stop: where the sequence ends.
        step: difference of neighbors; not 0.
        repeat: how often each number stands.
        infer_range: without stop, go on for as long as the output's readers need.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type; for integers and float16, start and step are cut to whole numbers.
    """
    first, end = _arange_span(start, stop)
    count = max(math.ceil((end - first) / step), 0) * repeat
    return _sequence(count, first, step, repeat, torch_dtype(dtype), None)


def _sequence(
    count: int,
    start: float,
    step: float,
    repeat: int,
    dtype: torch.dtype,
    device: torch.device | None,
) -> Tensor:
    """`count` numbers, `repeat` of each, computed in their own type."""
    position = torch.arange(count, device=device)
    if repeat != 1:
        position = position.div(repeat, rounding_mode="floor")
    if dtype in (torch.float32, torch.float64):
        return position.to(dtype) * step + start
    return (position * int(step) + int(start)).to(dtype)


def linspace_shape(op: Op, s: Shapes) -> None:
    """A vector of `num` elements."""
    if op.attr("num") < 0:
        raise s.fail(f"num={op.attr('num')}: must be >= 0")
    s.output = (op.attr("num"),)


@function_operator(
    "_linspace", "_npi_linspace", shape=linspace_shape, dtype=given_dtype, differentiable=False
)
def linspace(
    *,
    start: Double,
    stop: Double,
    num: int,
    endpoint: bool = True,
    ctx: str = "",
    dtype: Number = "float32",
) -> Tensor:
    """Numbers from start to stop at equal distances.

    Args:
        start: first number.
        stop: last number, or the one behind it.
        num: how many.
        endpoint: whether stop is among them.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type; integers are cut.
    """
    step = (stop - start) / max(num - endpoint, 1)
    numbers = torch.arange(num, dtype=torch.float64) * step + start
    if endpoint and num > 1:
        numbers[-1].fill_(stop)
    return numbers.to(torch_dtype(dtype))


def _arange_like_shape(op: Op, s: Shapes) -> None:
    axis = op.attr("axis")
    if op.attr("repeat") <= 0:
        raise s.fail(f"repeat={op.attr('repeat')}: must be >= 1")
    s.output = s.full("data") if axis is None else (s.full("data")[s.axis("data", axis)],)


@function_operator(
    "_contrib_arange_like",
    "_npx_arange_like",
    shape=_arange_like_shape,
    dtype=numbers_only,
    differentiable=False,
)
def arange_like(
    data: Tensor,
    *,
    start: Double = 0.0,
    step: Double = 1.0,
    repeat: int = 1,
    ctx: str = "",
    axis: int | None = None,
) -> Tensor:
    """start, start + step, … as many as data has elements, or is long along an axis.

    Args:
        data: only its shape, type and device count.
        start: first number.
        step: difference of neighbors.
        repeat: how often each number stands.
        ctx: ignored; the output is where data is.
        axis: the axis whose length counts; None for an output of the shape of data.
    """
    shape = data.shape if axis is None else (data.shape[axis],)
    count = math.prod(shape)
    return _sequence(count, start, step, repeat, data.dtype, data.device).reshape(shape)


# Matrices and indices -----------------------------------------------------------------------------


def _eye_shape(op: Op, s: Shapes) -> None:
    rows, columns = op.attr("N"), op.attr("M")
    if rows < 0:
        raise s.fail(f"N={rows}: must be >= 0")
    s.output = (rows, columns if columns > 0 else rows)


@function_operator("_eye", shape=_eye_shape, dtype=given_dtype, differentiable=False)
def eye(
    *,
    N: Long,  # noqa: N803
    M: Long = 0,  # noqa: N803
    k: Long = 0,
    ctx: str = "",
    dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8", "uint8"] = "float32",
) -> Tensor:
    """A matrix with ones on one diagonal and zeros elsewhere.

    Args:
        N: number of rows.
        M: number of columns; as many as rows when it is not positive.
        k: the diagonal: 0 the main one, above it positive, below it negative.
        ctx: device of the output, such as ``gpu(0)``.
        dtype: element type.
    """
    columns = M if M > 0 else N
    output = torch.zeros((N, columns), dtype=torch_dtype(dtype))
    if -N < k < columns:
        output.diagonal(k).fill_(1)
    return output


def _int64(op: Op, t: DTypes) -> None:
    t.output = torch.int64


def _index_array_shape(op: Op, s: Shapes) -> None:
    axes = op.attr("axes")
    for axis in axes or ():
        s.axis("data", axis, "axes")
    s.output = (*s.data, len(s.data) if axes is None else len(axes))


@function_operator(
    "_contrib_index_array", shape=_index_array_shape, dtype=_int64, differentiable=False
)
def index_array(data: Tensor, *, axes: Shape | None = None) -> Tensor:
    """The position of each element: int64, of the shape of data and one axis more.

    Args:
        data: only its shape and device count.
        axes: the axes whose positions are wanted; all of them by default.
    """
    chosen = range(data.ndim) if axes is None else axes
    output = torch.empty((*data.shape, len(chosen)), dtype=torch.int64, device=data.device)
    for i, axis in enumerate(chosen):
        along = torch.arange(data.shape[axis], device=data.device)
        output[..., i] = along.reshape((-1,) + (1,) * (data.ndim - 1 - axis % data.ndim))
    return output


def _rank_shape(op: Op, s: Shapes) -> None:
    s.output = (s.rank("data"),)


@function_operator(
    "shape_array",
    "_npx_shape_array",
    shape=_rank_shape,
    dtype=_int64,
    differentiable=False,
    method=True,
)
def shape_array(data: Tensor) -> Tensor:
    """The shape of data, as an int64 vector.

    Args:
        data: of any shape.
    """
    if is_traced():
        sizes = [torch.full((1,), n, dtype=torch.int64, device=data.device) for n in data.shape]
        return torch.cat(sizes) if sizes else torch.empty(0, dtype=torch.int64, device=data.device)
    return constants.constant(tuple(data.shape), torch.int64, data.device).clone()


def _one(op: Op, s: Shapes) -> None:
    s.output = (1,)


@function_operator("size_array", shape=_one, dtype=_int64, differentiable=False, method=True)
def size_array(data: Tensor) -> Tensor:
    """The number of elements of data, as an int64 vector of one.

    Args:
        data: of any shape.
    """
    return torch.full((1,), data.numel(), dtype=torch.int64, device=data.device)
