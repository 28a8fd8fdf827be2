# SPDX-License-Identifier: Apache-2.0
"""Activation functions."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.errors import MXNetError
from ...base.shapes import shape_text
from ...kernels.activation import relu, softsign, with_slope_at_nan
from ...runtime import torch_api
from ..declaration import elementwise_shape, function_operator, operator
from ..infer import Shapes
from ..schema import Op
from ..traits import Activation

_FUNCTIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": relu,
    "sigmoid": torch.sigmoid,
    "softrelu": F.softplus,
    "softsign": softsign,
    "tanh": torch.tanh,
}


@function_operator(
    "Activation",
    "_npx_activation",
    shape=elementwise_shape,
    choose=lambda op: _FUNCTIONS[op.act_type],
    activation=lambda op: Activation(op.act_type),
    pointwise=True,
)
def activation(
    data: Tensor, *, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]
) -> Tensor:
    """An activation function of each element.

    Args:
        data: floats of any shape.
        act_type: relu ``max(x, 0)``, sigmoid ``1 / (1 + exp(-x))``, softrelu
            ``log(1 + exp(x))``, softsign ``x / (1 + |x|)`` or tanh.
    """
    return _FUNCTIONS[act_type](data)


@operator("LeakyReLU", "_npx_leaky_relu")
class LeakyReLU(Op):
    """``x`` where it is positive, something small elsewhere.

    leaky: ``slope * x``; prelu: ``gamma * x``; elu: ``slope * (exp(x) - 1)``; selu: elu with the
    constants that keep mean 0 and variance 1; gelu: ``x`` times its normal distribution function;
    rrelu: ``mask * x``, the mask random in training passes and the middle of its range otherwise.

    Args:
        data: floats of any shape, channels along axis 1.
        gamma: slopes of prelu: one for all, or one for each channel.
        act_type: the function.
        slope: slope of leaky, scale of elu.
        lower_bound: lower bound of the random slopes.
        upper_bound: upper bound of the random slopes.
    """

    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky"
    slope: float = 0.25
    lower_bound: float = 0.125
    upper_bound: float = 0.334

    initializers = {"gamma": '["Constant", {"value": 0.25}]'}  # noqa: RUF012 - a constant

    @property
    def pointwise(self) -> bool:  # type: ignore[override]
        """But with slopes of their own, or random ones."""
        return self.activation is not None

    @property
    def activation(self) -> Activation | None:
        if self.act_type in ("prelu", "rrelu"):  # which have slopes of their own
            return None
        scaled = self.act_type in ("elu", "leaky")
        return Activation(self.act_type, (self.slope,) if scaled else ())

    @property
    def draws(self) -> bool:
        return self.act_type == "rrelu"

    def inputs(self) -> tuple[str, ...]:
        return ("data", "gamma") if self.act_type == "prelu" else ("data",)

    def outputs(self) -> tuple[str, ...]:
        return ("output", "mask") if self.act_type == "rrelu" else ("output",)

    def infer_shape(self, s: Shapes) -> None:
        for name in s.outputs:
            s[name] = s.data  # one way only: no output tells the shape of data
        if self.act_type != "prelu":
            return
        if s.known("gamma") is None:
            if len(s.data) < 2:
                raise s.fail(f"data has shape {shape_text(s.data)}: it needs a channel axis")
            s.gamma = (s.data[1],)
        _over(s.full("gamma"), s.full("data"))

    def forward(
        self,
        data: Tensor,
        gamma: Tensor | None = None,
        *,
        train: bool,
        rng: torch.Generator | None,
    ) -> Tensor | tuple[Tensor, Tensor]:
        if gamma is not None:
            return _prelu(data, gamma)
        if self.act_type == "rrelu":
            return self._randomized(data, train, rng)
        if self.act_type == "gelu":
            return F.gelu(data)
        if self.act_type == "selu":
            return with_slope_at_nan(_Selu.apply, data)
        function = F.elu if self.act_type == "elu" else F.leaky_relu
        return with_slope_at_nan(lambda x: function(x, self.slope), data)

    def _randomized(
        self, data: Tensor, train: bool, rng: torch.Generator | None
    ) -> tuple[Tensor, Tensor]:
        if not train:
            middle = (self.lower_bound + self.upper_bound) / 2
            return F.leaky_relu(data, middle), torch.zeros_like(data)
        mask = torch.empty_like(data).uniform_(self.lower_bound, self.upper_bound, generator=rng)
        return torch.where(data > 0, data, mask * data), mask


def _prelu(data: Tensor, gamma: Tensor) -> Tensor:
    """Slopes along axes 0 and 1; by ATen's kernel where it has one.

    `where` branches for each number: of 270,000 random ones in 1.0 ms instead of 22 µs.
    """
    over = _over(gamma.shape, data.shape)
    along_channels = prod(over) == 1 or (data.dim() > 1 and over[0] == 1)
    if along_channels and data.is_floating_point() and gamma.dtype is data.dtype:
        return torch.prelu(data, gamma.reshape(-1))
    return torch.where(data > 0, data, gamma.reshape(over) * data)


class _Selu(torch.autograd.Function):
    """selu with MXNet's gradient, which below 0 is ``scale * (alpha + y)``: not the derivative."""

    SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772

    @staticmethod
    def forward(ctx: Any, data: Tensor) -> Tensor:
        output = F.selu(data)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> Tensor:
        (output,) = ctx.saved_tensors
        return torch_api.elu_backward(d_outputs[0], _Selu.ALPHA / _Selu.SCALE, _Selu.SCALE, output)


def _over(gamma: tuple[int, ...], data: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which gamma meets data: its axes are among the first two of data."""
    shape, left = [1] * len(data), list(gamma)
    for axis in (1, 0):
        if left and axis < len(data) and left[-1] in (1, data[axis]):
            shape[axis] = left.pop()
    if left:
        raise MXNetError(
            f"LeakyReLU: gamma has shape {shape_text(gamma)}, which does not fit the first axes "
            f"of data {shape_text(data)}"
        )
    return tuple(shape)
