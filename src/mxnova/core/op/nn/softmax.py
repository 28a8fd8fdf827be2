# SPDX-License-Identifier: Apache-2.0
"""Softmax along one axis, its logarithm, its mirror image, and the layer that applies it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from torch import Tensor

from ...base.errors import MXNetError, argument_error
from ...base.params import Double
from ...base.shapes import shape_text
from ...kernels import vectorized
from ..declaration import function_operator, operator
from ..dtypes import dtype_name, torch_dtype
from ..infer import DTypes, Shapes
from ..schema import Op
from ..traits import batch_apart

FloatName: TypeAlias = Literal["float16", "float32", "float64"]


def _names(op: Op) -> tuple[str, ...]:
    return ("data", "length") if op.attr("use_length") else ("data",)


def _check_axis(op: Op, s: Shapes) -> None:
    if s.rank("data"):  # a scalar is its own softmax
        s.axis("data", op.attr("axis"))


def _softmax_shape(op: Op, s: Shapes) -> None:
    s.output = s.data  # unlike its relatives, never from the output to the data
    _check_axis(op, s)
    if "length" in s:
        axis = op.attr("axis") % len(s.data)
        s.length = (*s.data[:axis], *s.data[axis + 1 :])


def _shape(op: Op, s: Shapes) -> None:
    s.same("data", "output")
    _check_axis(op, s)


def _dtype(op: Op, t: DTypes) -> None:
    wanted = op.attr("dtype")
    if wanted is None:
        t.output = t.data
        return
    t.output = torch_dtype(wanted)
    if t.known("data") is None:
        t.data = t.output


def _softmax_dtype(op: Op, t: DTypes) -> None:
    _dtype(op, t)
    if "length" in t and t.known("length") not in (None, torch.int32, torch.int64):
        raise MXNetError(
            f"{op.name}: length has type {dtype_name(t.length)}: it must be int32 or int64"
        )


def _dtype_without_length(op: Op, t: DTypes) -> None:
    if op.attr("use_length"):
        raise argument_error(op.name, "use_length", True, "only softmax reads lengths")
    _dtype(op, t)


def _scaled(
    data: Tensor,
    axis: int,
    temperature: float | None,
    dtype: FloatName | None,
    outside: Tensor | None = None,
) -> Tensor:
    """`data` divided by the temperature, in the wider of its type and the result's.

    What changes no result is subtracted first: the greatest number, so that quotients stay finite.
    Elements that are `outside` are infinitely small.
    """
    if dtype is not None:
        data = data.to(torch.promote_types(data.dtype, torch_dtype(dtype)))
    if temperature is not None and temperature < 0:
        data, temperature = -data, -temperature
    if outside is not None:
        data = data.masked_fill(outside, float("-inf"))
    if temperature is None or temperature == 1.0 or not data.numel():
        return data
    return (data - data.detach().amax(axis, keepdim=True)) / temperature


def _cast(result: Tensor, dtype: FloatName | None) -> Tensor:
    return result if dtype is None else result.to(torch_dtype(dtype))


@function_operator(
    "softmax",
    "_npx_softmax",
    inputs=_names,
    shape=_softmax_shape,
    dtype=_softmax_dtype,
    method=True,
)
def softmax(
    data: Tensor,
    length: Tensor | None = None,
    *,
    axis: int = -1,
    temperature: Double | None = None,
    dtype: FloatName | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """``exp(data / temperature, dtype)`` divided by its sum along one axis.

    Args:
        data: floats of any shape.
        length: with `use_length`, the shape of `data` without `axis`, int32 or int64: how many
            elements along `axis` count; the rest gets 0.
        axis: the axis that sums to 1.
        temperature: divisor of `data`; higher is flatter.
        dtype: element type of the result; that of `data` by default.
        use_length: whether `length` is there.
    """
    if length is None:
        return _cast(vectorized.softmax(_scaled(data, axis, temperature, dtype), axis), dtype)
    positions = torch.arange(data.shape[axis], device=data.device)
    outside = (positions >= length.unsqueeze(-1)).movedim(-1, axis)
    probabilities = vectorized.softmax(_scaled(data, axis, temperature, dtype, outside), axis)
    return _cast(probabilities.masked_fill(outside, 0.0), dtype)


@function_operator("softmin", shape=_shape, dtype=_dtype_without_length, method=True)
def softmin(
    data: Tensor,
    *,
    axis: int = -1,
    temperature: Double | None = None,
    dtype: FloatName | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """``softmax(-data)``.

    Args:
        data: floats of any shape.
        axis: the axis that sums to 1.
        temperature: divisor of `data`; higher is flatter.
        dtype: element type of the result; that of `data` by default.
        use_length: must be false.
    """
    return _cast(vectorized.softmax(_scaled(-data, axis, temperature, dtype), axis), dtype)


@function_operator(
    "log_softmax",
    "_npx_log_softmax",
    shape=_shape,
    dtype=_dtype_without_length,
    method=True,
)
def log_softmax(
    data: Tensor,
    *,
    axis: int = -1,
    temperature: Double | None = None,
    dtype: FloatName | None = None,
    use_length: bool | None = False,
) -> Tensor:
    """``log(softmax(data))``, computed without leaving the logarithm.

    Args:
        data: floats of any shape.
        axis: the axis whose exponentials sum to 1.
        temperature: divisor of `data`; higher is flatter.
        dtype: element type of the result; that of `data` by default.
        use_length: must be false.
    """
    logarithms = vectorized.softmax(
        _scaled(data, axis, temperature, dtype), axis, torch.log_softmax
    )
    return _cast(logarithms, dtype)


@operator("SoftmaxActivation")
class SoftmaxActivation(Op):
    """Softmax over the last axis, or over the channels at every position.

    Args:
        data: (batch, channel, …).
        mode: ``instance``: over the last axis; ``channel``: over the second axis.
    """

    mode: Literal["channel", "instance"] = "instance"
    item_axis = batch_apart

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")
        least = 3 if self.mode == "channel" else 2
        if s.rank("data") < least:
            raise s.fail(f"mode={self.mode}: data {shape_text(s.data)} needs {least} axes or more")

    def forward(self, data: Tensor) -> Tensor:
        return vectorized.softmax(data, 1 if self.mode == "channel" else -1)

    # MXNet's gradient goes over the second axis in both modes, which is forward's axis in mode
    # instance only for data with two axes.
    def backward(self, d_output: Tensor, output: Tensor) -> Tensor:
        return output * (d_output - (d_output * output).sum(1, keepdim=True))
