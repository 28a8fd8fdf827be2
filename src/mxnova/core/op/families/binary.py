# SPDX-License-Identifier: Apache-2.0
"""Functions of two arrays, element by element, in a strict and a broadcasting form.

The strict form (`elemwise_add`, `_maximum`) wants equal shapes and learns either from the other;
the broadcasting form repeats axes of length 1. Several dtypes are refused, except by maximum and
minimum, which the NumPy front end shares.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ...base.params import Count
from ...kernels.activation import has_nan
from ...kernels.wide_sums import widen
from ...runtime.torch_api import is_traced
from ..constants import divisor
from ..declaration import elementwise_shape, function_operator, register_function
from ..gradient_stypes import as_head
from ..promotion import promote_numbers
from ..traits import Arithmetic, Form
from .rules import broadcast_shape, known_positive, numbers_only, through_float

__all__ = ["LOGIC", "binary", "divide", "hypot", "modulo", "power", "truth"]


def binary(
    function: Callable[[Tensor, Tensor], Tensor],
    *,
    elemwise: str = "",
    broadcast: str = "",
    means: str = "",
    doc: str,
    **rules: Any,
) -> None:
    """Registers ``output = function(lhs, rhs)``.

    Args:
        function: of two tensors of one type that broadcast against each other.
        elemwise: names of the form for equal shapes, separated by blanks, canonical first.
        broadcast: names of the broadcasting form.
        means: the function's name, for `Op.arithmetic`.
        doc: what the output is.
        rules: further fields of `Rules`.
    """
    for names, form, shape, rhs_doc in (
        (
            elemwise,
            Form.ELEMENTWISE,
            elementwise_shape,
            "second operand, of the shape and type of lhs.",
        ),
        (
            broadcast,
            Form.BROADCAST,
            broadcast_shape,
            "second operand, of the type of lhs; axes of length 1 repeat.",
        ),
    ):
        if names:
            register_function(
                names.split(),
                function,
                declaration=_declaration(
                    f"{doc}\n\nArgs:\n    lhs: first operand, of any shape.\n    rhs: {rhs_doc}"
                ),
                shape=shape,
                pointwise=True,
                cuts_slopes=True,
                arithmetic=Arithmetic(means, form) if means else None,
                **{"dtype": numbers_only, **rules},
            )


def _declaration(doc: str) -> Callable[..., Tensor]:
    def declaration(lhs: Tensor, rhs: Tensor) -> Tensor:
        raise NotImplementedError

    declaration.__doc__ = doc
    return declaration


# Arithmetic ---------------------------------------------------------------------------------------


def divide(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Quotient; that of integers is cut toward zero."""
    if lhs.is_floating_point():
        return torch.div(lhs, rhs)
    if known_positive(rhs):
        return torch.div(lhs, rhs, rounding_mode="trunc")
    return torch.where(
        _is_minus_one(rhs), -lhs, torch.div(lhs, _safe_divisor(rhs), rounding_mode="trunc")
    )


def _divide_in_place(data: Tensor, by: Tensor | float) -> Tensor:
    return data.div_(by if isinstance(by, Tensor) else divisor(data, by))


def modulo(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Remainder with the sign of the divisor, and 0 where that is 0."""
    if lhs.is_floating_point():
        return _remainder(lhs, rhs).masked_fill(rhs == 0, 0)
    if known_positive(rhs):
        return torch.remainder(lhs, rhs)
    return torch.remainder(lhs, _safe_divisor(rhs).masked_fill(rhs == 0, 1))


def _remainder(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Return ``torch.remainder`` without NaN where quotients of float32 overflow in its vectors."""
    result = torch.remainder(lhs, rhs)
    if has_nan(result):
        return torch.remainder(lhs.double(), rhs.double()).to(result.dtype)
    return result


def _is_minus_one(divisor: Tensor) -> Tensor:
    if divisor.dtype.is_signed:
        return divisor == -1
    return torch.zeros_like(divisor, dtype=torch.bool)


def _safe_divisor(divisor: Tensor) -> Tensor:
    """`divisor` with 1 for -1: a CPU stops the process on the lowest integer divided by -1."""
    return divisor.masked_fill(_is_minus_one(divisor), 1)


def _modulo_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    d_rhs = -d_output * torch.floor(lhs / rhs)
    return d_output.sum_to_size(lhs.shape), d_rhs.sum_to_size(rhs.shape)


# At a base of 0 MXNet gives the formula's infinities and NaNs, ATen puts zeros there.
def _power_backward(
    d_output: Tensor, lhs: Tensor, rhs: Tensor, output: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = torch.promote_types(lhs.dtype, torch.float32)  # Powers overflow in float16.
    base = lhs.to(dtype)
    d_lhs = (d_output * rhs * torch.pow(base, (rhs - 1).to(dtype))).to(lhs.dtype)
    d_rhs = (d_output * output * torch.log(base)).to(rhs.dtype)
    return d_lhs.sum_to_size(lhs.shape), d_rhs.sum_to_size(rhs.shape)


# ATen gives half the gradient to each of two equal elements, MXNet all of it to lhs.
def _maximum_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    return _divided(d_output, lhs, rhs, torch.ge, torch.lt)


def _minimum_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    return _divided(d_output, lhs, rhs, torch.le, torch.gt)


def _divided(
    d_output: Tensor,
    lhs: Tensor,
    rhs: Tensor,
    is_lhs: Callable[..., Tensor],
    is_rhs: Callable[..., Tensor],
) -> tuple[Tensor, Tensor]:
    lhs, rhs = lhs.detach(), rhs.detach()
    to_lhs, to_rhs = truth(is_lhs)(lhs, rhs), truth(is_rhs)(lhs, rhs)
    return (to_lhs * d_output).sum_to_size(lhs.shape), (to_rhs * d_output).sum_to_size(rhs.shape)


power = through_float(torch.pow)


def _hypot(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Compute in float32 for float16: the gradient divides by the result, which may overflow."""
    return torch.hypot(widen(lhs), widen(rhs)).to(lhs.dtype)


hypot = through_float(_hypot)

# fmt: off
binary(torch.add, means="add", elemwise="elemwise_add _Plus _add _plus _sparse_elemwise_add",
       gradient_stypes=as_head, doc="lhs + rhs.")
binary(torch.add, means="add", doc="lhs + rhs.", in_place=Tensor.add_,
       broadcast="broadcast_add _sparse_broadcast_add _sparse_broadcast_plus broadcast_plus")
binary(torch.add, means="add", elemwise="_grad_add", gradient_stypes=as_head,
       doc="lhs + rhs, as gradients are summed.")
binary(torch.sub, means="subtract", elemwise="elemwise_sub _Minus _minus _sparse_elemwise_sub _sub",
       gradient_stypes=as_head, doc="lhs - rhs.")
binary(torch.sub, means="subtract", doc="lhs - rhs.", in_place=Tensor.sub_,
       broadcast="broadcast_sub _sparse_broadcast_minus _sparse_broadcast_sub broadcast_minus")
binary(torch.mul, means="multiply", elemwise="elemwise_mul _Mul _mul _sparse_elemwise_mul",
       broadcast="broadcast_mul _sparse_broadcast_mul", doc="lhs · rhs.",
       in_place=Tensor.mul_)
binary(divide, means="divide", elemwise="elemwise_div _Div _div _sparse_elemwise_div",
       broadcast="broadcast_div _sparse_broadcast_div",
       doc="lhs / rhs; integers are cut toward zero.", in_place=_divide_in_place)
binary(divide, elemwise="_scatter_elemwise_div",
       doc="lhs / rhs, on the stored rows of a sparse lhs only.")
binary(modulo, means="modulo", elemwise="_mod _Mod",
       broadcast="broadcast_mod", backward=_modulo_backward,
       doc="Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0.")
binary(power, means="power", elemwise="_power _Power",
       broadcast="broadcast_power", backward=_power_backward,
       doc="lhs to the power of rhs.")
binary(hypot, means="hypot", elemwise="_hypot _Hypot", broadcast="broadcast_hypot",
       doc="√(lhs² + rhs²).")
binary(torch.maximum, means="maximum", elemwise="_maximum _Maximum",
       backward=_maximum_backward, doc="The larger one.")
binary(torch.maximum, means="maximum", broadcast="broadcast_maximum _npi_maximum",
       dtype=promote_numbers, promotes=True, backward=_maximum_backward, doc="The larger one.")
binary(torch.minimum, means="minimum", elemwise="_minimum _Minimum",
       backward=_minimum_backward, doc="The smaller one.")
binary(torch.minimum, means="minimum", broadcast="broadcast_minimum _npi_minimum",
       dtype=promote_numbers, promotes=True, backward=_minimum_backward, doc="The smaller one.")
# fmt: on


# Comparison and logic: 1 and 0 in the type of the operands ----------------------------------------


def truth(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, with its booleans as 1 and 0 in the type of its first argument."""
    if function in _OF_BOOLEANS:
        return _through_bytes(function)

    def forward(lhs: Tensor, rhs: Any) -> Tensor:
        if is_traced():
            return function(lhs, rhs).to(lhs.dtype)
        # ATen's vectors hold no booleans: with them a million numbers take 0.9 ms instead of 0.23.
        made: Tensor = function(lhs, rhs, out=lhs.new_empty(0))
        return made

    return forward


_OF_BOOLEANS = (torch.logical_and, torch.logical_or, torch.logical_xor)


def _through_bytes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`truth` of a function that ATen has no vectors for; booleans it converts slowly."""

    def forward(lhs: Tensor, rhs: Any) -> Tensor:
        return function(lhs, rhs).view(torch.uint8).to(lhs.dtype)

    return forward


# fmt: off
LOGIC: dict[str, tuple[Callable[..., Tensor], str]] = {
    "equal": (torch.eq, "both are equal"),
    "not_equal": (torch.ne, "they differ"),
    "greater": (torch.gt, "the first is greater"),
    "greater_equal": (torch.ge, "the first is not less"),
    "lesser": (torch.lt, "the first is less"),
    "lesser_equal": (torch.le, "the first is not greater"),
    "logical_and": (torch.logical_and, "neither is 0"),
    "logical_or": (torch.logical_or, "at least one is not 0"),
    "logical_xor": (torch.logical_xor, "exactly one is not 0"),
}
# fmt: on

for _name, (_function, _condition) in LOGIC.items():
    binary(
        truth(_function),
        elemwise=f"_{_name} _{_name.title()}",
        broadcast=f"broadcast_{_name}",
        means=_name.replace("lesser", "less"),
        differentiable=False,
        doc=f"1 where {_condition}, 0 elsewhere.",
    )


# Any number of arrays -----------------------------------------------------------------------------


@function_operator(
    "add_n",
    "ElementWiseSum",
    "_sparse_ElementWiseSum",
    "_sparse_add_n",
    shape=elementwise_shape,
    dtype=numbers_only,
    gradient_stypes=as_head,
    pointwise=True,
)
def add_n(*args: Tensor, num_args: Count) -> Tensor:
    """Sum of its inputs.

    Args:
        args: arrays of one shape and type.
        num_args: how many there are.
    """
    return functools.reduce(torch.add, args) if num_args > 1 else args[0].clone()
