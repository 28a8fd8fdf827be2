# SPDX-License-Identifier: Apache-2.0
"""Functions of one array, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...kernels.activation import softsign
from ...kernels.wide_sums import widen
from ...runtime.torch_api import is_traced
from ..declaration import DTypeRule, elementwise_shape, register_function
from ..gradient_stypes import as_equal_head, as_head, as_input
from ..traits import RELU, Activation
from .rules import known_positive, numbers_only, through_float

__all__ = ["round_half_away", "unary"]


def unary(
    names: str,
    function: Callable[..., Tensor],
    *,
    doc: str,
    dtype: DTypeRule | None = numbers_only,
    **rules: Any,
) -> None:
    """Registers ``output = function(data)``.

    Args:
        names: canonical name and aliases, separated by blanks.
        function: of one tensor, to a tensor of the same type.
        doc: what the output is.
        dtype: the type rule; None admits every type.
        rules: further fields of `Rules`.
    """

    def declaration(data: Tensor) -> Tensor:
        raise NotImplementedError

    declaration.__doc__ = f"{doc}\n\nArgs:\n    data: the input, of any shape."
    register_function(
        names.split(),
        function,
        declaration=declaration,
        shape=elementwise_shape,
        dtype=dtype,
        **{"pointwise": True, "cuts_slopes": True, **rules},
    )


def _of_floats(names: str, function: Callable[..., Tensor], *, doc: str, **rules: Any) -> None:
    """A row whose function ATen has for floating-point types only."""
    unary(names, through_float(function, torch.float64), doc=doc, **rules)


def whole(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """`function`, which leaves integers as they are."""

    def forward(data: Tensor) -> Tensor:
        return function(data) if data.is_floating_point() else data.clone()

    return forward


def _rint(data: Tensor) -> Tensor:
    below = torch.floor(data)
    return below.add_(data - below > 0.5).copysign_(data)


def round_half_away(data: Tensor) -> Tensor:
    """Round to the nearest integer; halves are rounded away from zero."""
    below_half = 0.5 - torch.finfo(data.dtype).eps / 4  # 0.5 itself would round some others up
    return data.abs().add_(below_half).floor_().copysign_(data)


def _trunc(data: Tensor) -> Tensor:
    return data.abs().floor_().copysign_(data)  # a million in 0.4 ms; ATen's trunc takes 3 to 5


def _cbrt(data: Tensor) -> Tensor:
    return data.abs().pow(1 / 3).copysign(data)


def _rcbrt(data: Tensor) -> Tensor:
    return _cbrt(data).reciprocal()


def _no_slope(d_output: Tensor) -> Tensor:
    return torch.zeros_like(d_output)


def _relu_backward(d_output: Tensor, output: Tensor) -> Tensor:
    return output.detach().clamp(0, 1).ceil_().mul_(d_output)  # 0, 1, or NaN where data is


# ATen's derivative of a power is NaN at 0 and infinity, MXNet's is the limit.
def _cbrt_backward(d_output: Tensor, output: Tensor) -> Tensor:
    return d_output / (3 * output * output)


def _rcbrt_backward(d_output: Tensor, data: Tensor, output: Tensor) -> Tensor:
    return -d_output * output / (3 * data)


# ATen squares the data, which overflows from 1e19 on.
def _arcsinh_backward(d_output: Tensor, data: Tensor) -> Tensor:
    return (d_output / torch.hypot(widen(data), data.new_ones(()))).to(data.dtype)


def _arccosh_backward(d_output: Tensor, data: Tensor) -> Tensor:
    size = widen(data).abs()
    return (d_output * (size - 1).rsqrt() * (size + 1).rsqrt()).to(data.dtype)


def _gamma(data: Tensor) -> Tensor:
    """Γ from its logarithm, in float64 because exp magnifies the rounding error."""
    x = data.double()
    if known_positive(x):
        return torch.exp(torch.lgamma(x)).to(data.dtype)
    below = torch.floor(x)
    negative = torch.signbit(x) & ((x == 0) | (torch.remainder(below, 2) != 0))
    value = torch.where(negative, -1.0, 1.0) * torch.exp(torch.lgamma(x))
    return value.masked_fill((x < 0) & (x == below), math.nan).to(data.dtype)


def _psi(x: Tensor) -> Tensor:
    """The derivative of the logarithm of Γ, infinite at its poles as in MXNet."""
    return torch.where((x <= 0) & (x == torch.floor(x)), math.inf, torch.digamma(x))


def _gamma_backward(d_output: Tensor, data: Tensor, output: Tensor) -> Tensor:
    return d_output * output * _psi(data)


def _gammaln_backward(d_output: Tensor, data: Tensor) -> Tensor:
    return d_output * _psi(data)


def _logical_not(data: Tensor) -> Tensor:
    if is_traced():
        return torch.eq(data, 0).to(data.dtype)
    return torch.eq(data, 0, out=torch.empty_like(data))


# fmt: off
unary("negative _sparse_negative", torch.neg, doc="-data.", gradient_stypes=as_head)
unary("abs _sparse_abs", torch.abs,
      doc="Absolute value.", method=True, gradient_stypes=as_equal_head)
unary("sign _sparse_sign", torch.sign,
      doc="-1, 0 or 1: the sign.", method=True, gradient_stypes=as_input)
unary("square _sparse_square", torch.square,
      doc="data².", method=True, gradient_stypes=as_equal_head)
unary("relu _sparse_relu", torch.relu,
      doc="max(data, 0).", method=True, gradient_stypes=as_equal_head, backward=_relu_backward,
      activation=RELU, keeps_precision=True)

unary("round _sparse_round", whole(round_half_away), differentiable=False,
      doc="Nearest whole number; halves go away from zero.", method=True, gradient_stypes=as_input)
unary("rint _sparse_rint", whole(_rint), differentiable=False,
      doc="Nearest whole number; halves go down.", method=True, gradient_stypes=as_input)
unary("ceil _sparse_ceil", whole(torch.ceil), differentiable=False,
      doc="Smallest whole number that is not below.", method=True, gradient_stypes=as_input)
unary("floor _sparse_floor", whole(torch.floor), differentiable=False,
      doc="Largest whole number that is not above.", method=True, gradient_stypes=as_input)
unary("trunc _sparse_trunc", whole(_trunc), differentiable=False,
      doc="Whole part, toward zero.", method=True, gradient_stypes=as_input)
unary("fix _sparse_fix", whole(_trunc), differentiable=False,
      doc="Nearest whole number that is not farther from zero.",
      method=True, gradient_stypes=as_input)

_of_floats("sqrt _sparse_sqrt", torch.sqrt, doc="Square root.", method=True)
_of_floats("rsqrt _sparse_rsqrt", torch.rsqrt, doc="1 / √data.", method=True)
_of_floats("cbrt _sparse_cbrt", _cbrt, backward=_cbrt_backward, doc="Cube root.", method=True)
_of_floats("rcbrt", _rcbrt, backward=_rcbrt_backward, doc="1 / ∛data.", method=True)
_of_floats("reciprocal", torch.reciprocal, doc="1 / data.", method=True)
_of_floats("exp _sparse_exp", torch.exp,
           doc="e to the power of data.", method=True, gradient_stypes=as_head)
_of_floats("expm1 _sparse_expm1", torch.expm1, doc="exp(data) - 1, exact near 0.", method=True)
_of_floats("log _sparse_log", torch.log, doc="Natural logarithm.", method=True)
_of_floats("log10 _sparse_log10", torch.log10, doc="Logarithm to base 10.", method=True)
_of_floats("log2 _sparse_log2", torch.log2, doc="Logarithm to base 2.", method=True)
_of_floats("log1p _sparse_log1p", torch.log1p, doc="log(1 + data), exact near 0.", method=True)

_of_floats("sin _sparse_sin", torch.sin, doc="Sine of an angle in radians.", method=True)
_of_floats("cos _sparse_cos", torch.cos, doc="Cosine of an angle in radians.", method=True)
_of_floats("tan _sparse_tan", torch.tan, doc="Tangent of an angle in radians.", method=True)
_of_floats("arcsin _sparse_arcsin", torch.arcsin,
           doc="Angle in [-π/2, π/2] whose sine is data.", method=True)
_of_floats("arccos _sparse_arccos", torch.arccos,
           doc="Angle in [0, π] whose cosine is data.", method=True)
_of_floats("arctan _sparse_arctan", torch.arctan,
           doc="Angle in [-π/2, π/2] whose tangent is data.", method=True)
_of_floats("degrees _sparse_degrees", torch.rad2deg,
           doc="Degrees of an angle in radians.", method=True)
_of_floats("radians _sparse_radians", torch.deg2rad,
           doc="Radians of an angle in degrees.", method=True)
_of_floats("sinh _sparse_sinh", torch.sinh, doc="Hyperbolic sine.", method=True)
_of_floats("cosh _sparse_cosh", torch.cosh, doc="Hyperbolic cosine.", method=True)
_of_floats("tanh _sparse_tanh", torch.tanh, doc="Hyperbolic tangent.", method=True,
           activation=Activation("tanh"))
_of_floats("arcsinh _sparse_arcsinh", torch.arcsinh, backward=_arcsinh_backward,
           doc="Inverse hyperbolic sine.", method=True)
_of_floats("arccosh _sparse_arccosh", torch.arccosh, backward=_arccosh_backward,
           doc="Inverse hyperbolic cosine.", method=True)
_of_floats("arctanh _sparse_arctanh", torch.arctanh, doc="Inverse hyperbolic tangent.", method=True)

_of_floats("sigmoid _sparse_sigmoid", torch.sigmoid, doc="1 / (1 + exp(-data)).", method=True,
           activation=Activation("sigmoid"))
_of_floats("softsign", softsign,
           doc="data / (1 + |data|).", activation=Activation("softsign"))
_of_floats("erf _npx_erf", torch.erf, doc="Error function.")
_of_floats("erfinv _npx_erfinv", torch.erfinv, doc="Inverse of the error function.")
_of_floats("gamma _npx_gamma _sparse_gamma", _gamma, doc="Gamma function.",
           backward=_gamma_backward)
_of_floats("gammaln _npx_gammaln _sparse_gammaln", torch.lgamma, doc="Logarithm of |Γ(data)|.",
           backward=_gammaln_backward)
unary("logical_not", _logical_not, differentiable=False, doc="1 where data is 0, 0 elsewhere.")
# fmt: on
