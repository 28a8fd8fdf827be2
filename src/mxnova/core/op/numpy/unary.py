# SPDX-License-Identifier: Apache-2.0
"""Functions of one array, element by element, under NumPy's names.

Most are the classic operators once more; integers keep their type in them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import ArgumentError, MXNetError, told_as
from ...base.params import Double
from ...kernels import vectorized
from ...runtime.torch_api import is_traced
from ..declaration import elementwise_shape, function_operator, register_function, same_dtype
from ..dtypes import dtype_name
from ..families.rules import numbers_only
from ..families.unary import unary
from ..infer import DTypes, Shapes
from ..schema import Op, find
from ..traits import RELU, Activation

__all__ = ["integers_only", "truth_dtype"]


def integers_only(op: Op, t: DTypes) -> None:
    """All arrays have one type, of integers or bool."""
    t.same(*t.inputs, *t.outputs)
    dtype = t.known(t.inputs[0])
    if dtype is not None and dtype.is_floating_point:
        raise MXNetError(
            f"{op.name}: {t.inputs[0]} has type {dtype_name(dtype)}, "
            "but it must be of an integer type or bool"
        )


def truth_dtype(op: Op, t: DTypes) -> None:
    """The inputs have one type, the output is bool."""
    t.same(*t.inputs)
    if t.known(t.inputs[0]) is not None:
        t.output = torch.bool


def _row(names: str, function: Callable[..., Tensor], *, doc: str, **rules: Any) -> None:
    """Registers ``output = function(x)`` under `names`, separated by blanks."""

    def declaration(x: Tensor) -> Tensor:
        raise NotImplementedError

    declaration.__doc__ = f"{doc}\n\nArgs:\n    x: the input, of any shape."
    register_function(
        names.split(),
        function,
        declaration=declaration,
        shape=elementwise_shape,
        pointwise=True,
        cuts_slopes=True,
        **rules,
    )


def _classic(names: str, known: str) -> None:
    """Register operator `known` under `names`, with `x` as the name of its input."""
    type_ = find(known)
    op = type_.of({})
    doc = type_.doc.splitlines()[0].replace("data", "x")
    _row(
        names,
        op.forward,
        doc=doc,
        dtype=numbers_only,
        backward=_of_x(op.backward),
        activation=op.activation,
    )


def _of_x(known: Callable[..., Tensor] | None) -> Callable[..., Tensor] | None:
    """Return a backward that reads `x` instead of `data`, if it reads any input."""
    if known is None or "data" not in known.__code__.co_varnames:
        return known

    def backward(d_output: Tensor, x: Tensor) -> Tensor:
        return known(d_output, x)

    return backward


_classic("_npi_absolute _npi_abs", "abs")
# fmt: off
for _name in (
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh",
    "degrees", "exp", "expm1", "fix", "floor", "log", "log10", "log1p", "log2", "negative",
    "radians", "reciprocal", "rint", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
    "trunc",
):
    _classic(f"_npi_{_name}", _name)
# fmt: on
unary("_npx_relu", torch.relu, doc="max(data, 0).", activation=RELU, keeps_precision=True)
unary(
    "_npx_sigmoid",
    find("sigmoid").of({}).forward,
    doc="1 / (1 + exp(-data)).",
    activation=Activation("sigmoid"),
)

# fmt: off
_row("_npi_bitwise_not", torch.bitwise_not, dtype=integers_only, differentiable=False,
     doc="Every bit turned around; for bool the other truth.")
_row("_npi_isfinite", vectorized.predicate(torch.isfinite, np.isfinite), dtype=truth_dtype,
     differentiable=False, doc="Whether x is neither infinite nor NaN.")
_row("_npi_isinf", vectorized.predicate(torch.isinf, np.isinf), dtype=truth_dtype,
     differentiable=False, doc="Whether x is an infinity.")
_row("_npi_isnan", vectorized.predicate(torch.isnan, np.isnan), dtype=truth_dtype,
     differentiable=False, doc="Whether x is NaN.")
_row("_npi_isneginf", torch.isneginf, dtype=truth_dtype, differentiable=False,
     doc="Whether x is -∞.")
_row("_npi_isposinf", torch.isposinf, dtype=truth_dtype, differentiable=False,
     doc="Whether x is +∞.")
_row("_npi_logical_not", torch.logical_not, dtype=truth_dtype, differentiable=False,
     doc="Whether x is 0.")
# fmt: on


@function_operator("_np_copy", shape=elementwise_shape, copies=True)
def copy(a: Tensor) -> Tensor:
    """A copy of its input.

    Args:
        a: the input, of any shape and type.
    """
    return a.clone()


def _not_half(op: Op, t: DTypes) -> None:
    numbers_only(op, t)
    if t.known("x") is torch.float16:
        raise MXNetError(f"{op.name}: x has type float16, which it cannot round")


@function_operator("_npi_around", shape=elementwise_shape, dtype=_not_half, differentiable=False)
def around(x: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to the given number of decimals, halves to even; integers are truncated toward zero.

    Args:
        x: the input, of any shape; float16 is refused.
        decimals: digits to keep behind the point; negative ones count before it.
    """
    if x.is_floating_point():
        return torch.round(x, decimals=decimals)
    return x.clone() if decimals >= 0 else _cut(x, -decimals)


def _cut(x: Tensor, digits: int) -> Tensor:
    """Integers with zeros for their last `digits` digits."""
    if digits > 18:  # ten to this power is no int64
        return torch.zeros_like(x)
    unit = 10**digits
    whole: Tensor = torch.div(x.long(), unit, rounding_mode="trunc") * unit
    return whole.to(x.dtype)


@function_operator("_npi_nan_to_num", shape=elementwise_shape, dtype=same_dtype)
def nan_to_num(
    data: Tensor,
    *,
    copy: bool = True,
    nan: Double = 0.0,
    posinf: Double | None = None,
    neginf: Double | None = None,
) -> Tensor:
    """Its input with numbers for NaN and the infinities.

    Args:
        data: the input, of any shape and type.
        copy: without effect: who wants the result in place names data as the output.
        nan: the number for NaN.
        posinf: the number for +∞; None: the largest one of the type.
        neginf: the number for -∞; None: the lowest one of the type.
    """
    return torch.nan_to_num(data, nan, posinf, neginf)


def _check_shape(op: Op, s: Shapes) -> None:
    s.output = ()


def _bool_only(op: Op, t: DTypes) -> None:
    t.input = t.output = torch.bool


@function_operator(
    "_npx_constraint_check", shape=_check_shape, dtype=_bool_only, differentiable=False
)
def constraint_check(input: Tensor, *, msg: str = "Constraint violated.") -> Tensor:
    """True; raises unless all elements are true.

    Args:
        input: of any shape, of type bool.
        msg: text of the error.

    Raises:
        ArgumentError: an element is false.
    """
    holds = input.all()
    if not is_traced() and not holds:
        raise told_as("ValueError", ArgumentError(f"_npx_constraint_check: {msg}"))
    return holds
