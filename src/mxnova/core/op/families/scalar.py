# SPDX-License-Identifier: Apache-2.0
"""Functions of an array and a number, element by element.

On an integer array the number is cut to its type, unless it was given as a fraction (`is_int` is
False), which makes the output float64. A bool array counts as int64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ...base.params import Double
from ...kernels.activation import has_nan
from ..constants import divided
from ..declaration import elementwise_shape, register_function
from ..dtypes import saturated
from ..gradient_stypes import as_head
from ..infer import DTypes
from ..schema import Op
from ..traits import Arithmetic, Form
from .binary import LOGIC, divide, hypot, modulo, power, truth
from .rules import as_integer, in_type_of, through_float

__all__ = ["modulo_by_number", "on_tensors", "power_by_number", "reverse_modulo_backward", "scalar"]


def scalar_dtype(op: Op, t: DTypes) -> None:
    """The output is of the type of data, of int64 for bool; of float64 next to a fraction."""
    data = t.known("data")
    if data is None:
        t.data = t.output
    elif data.is_floating_point:
        t.output = data
    elif not op.attr("is_int"):
        t.output = torch.float64
    else:
        t.output = torch.int64 if data is torch.bool else data


Function = Callable[[Tensor, Any], Tensor]


def scalar(
    names: str,
    function: Function,
    integers: Function | None = None,
    *,
    means: str = "",
    form: Form = Form.SCALAR,
    doc: str,
    **rules: Any,
) -> None:
    """Registers ``output = function(data, scalar)``.

    Args:
        names: canonical name and aliases, separated by blanks.
        function: of a tensor and a number.
        integers: the same for integer tensors, if that needs another function.
        means: the function's name, for `Op.arithmetic`.
        form: the form, for `Op.arithmetic`.
        doc: what the output is.
        rules: further fields of `Rules`.
    """
    of_integers = integers or function

    def forward(data: Tensor, *, scalar: Double = 1.0, is_int: bool = True) -> Tensor:
        if data.is_floating_point():
            return function(data, scalar)
        if not is_int:
            return function(data.double(), scalar)
        if data.dtype is torch.bool:
            data = data.long()
        return of_integers(data, as_integer(scalar, data.dtype))

    forward.__doc__ = (
        f"{doc}\n\nArgs:\n"
        "    data: of any shape.\n"
        "    scalar: the number.\n"
        "    is_int: whether the number was written without a fraction."
    )
    register_function(
        names.split(),
        forward,
        shape=elementwise_shape,
        arithmetic=Arithmetic(means, form) if means else None,
        pointwise=True,
        **{"dtype": scalar_dtype, "cuts_slopes": True, **rules},
    )


def on_tensors(function: Callable[[Tensor, Tensor], Tensor], reverse: bool = False) -> Function:
    """`function`, which takes tensors only, with a number for one of them."""

    def forward(data: Tensor, number: Any) -> Tensor:
        other = in_type_of(data, number)
        return function(other, data) if reverse else function(data, other)

    return forward


def modulo_by_number(data: Tensor, number: Any) -> Tensor:
    """Remainder of the sign of the number; 0 for the number 0."""
    return torch.remainder(data, number) if number else torch.zeros_like(data)


def power_by_number(data: Tensor, number: Any) -> Tensor:
    """Return `data` to the power of a number."""
    result = torch.pow(data, saturated(number, data.dtype))
    # ATen takes square roots instead, which are NaN at -infinity, where powers are not.
    if abs(number) == 0.5 and has_nan(result):
        return torch.pow(data, in_type_of(data, number))
    return result


def reverse_modulo_backward(
    d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool
) -> Tensor:
    """The gradient of ``scalar % data``."""
    return -d_output * torch.floor(in_type_of(data, scalar) / data)


def _at_least(data: Tensor, number: Any) -> Tensor:
    return torch.clamp(data, min=saturated(number, data.dtype))


def _at_most(data: Tensor, number: Any) -> Tensor:
    return torch.clamp(data, max=saturated(number, data.dtype))


# NaN lets nothing through.
def _at_least_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return truth(torch.ge)(data, saturated(scalar, data.dtype)) * d_output


def _at_most_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return truth(torch.le)(data, saturated(scalar, data.dtype)) * d_output


@through_float
def _smooth_l1(data: Tensor, sigma: float) -> Tensor:
    knee = 1 / sigma**2 if sigma else math.inf
    zero = data.new_zeros(()).expand_as(data)
    return F.smooth_l1_loss(data, zero, reduction="none", beta=knee)


# ATen's derivative of a selection is NaN at infinity.
def _smooth_l1_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output * torch.clamp(scalar**2 * data, -1, 1)


# fmt: off
scalar("_plus_scalar _PlusScalar", torch.add, means="add",
       doc="data + scalar.", gradient_stypes=as_head)
scalar("_minus_scalar _MinusScalar", torch.sub, means="subtract",
       doc="data - scalar.", gradient_stypes=as_head)
scalar("_rminus_scalar _RMinusScalar", torch.rsub, means="subtract", form=Form.REFLECTED,
       doc="scalar - data.")
scalar("_mul_scalar _MulScalar", torch.mul, means="multiply",
       doc="data · scalar.", gradient_stypes=as_head)
scalar("_div_scalar _DivScalar", divided, on_tensors(divide),
       means="divide", doc="data / scalar; integers are cut toward zero.", gradient_stypes=as_head,
       cuts_slopes=False)  # MXNet divides gradients of integers, and cuts then
scalar("_rdiv_scalar _RDivScalar", on_tensors(divide, reverse=True),
       means="divide", form=Form.REFLECTED, doc="scalar / data; integers are cut toward zero.")
scalar("_mod_scalar _ModScalar", modulo_by_number, on_tensors(modulo),
       means="modulo", doc="Remainder of data / scalar with the sign of scalar; 0 when that is 0.")
scalar("_rmod_scalar _RModScalar", on_tensors(modulo, reverse=True),
       backward=reverse_modulo_backward,
       means="modulo", form=Form.REFLECTED,
       doc="Remainder of scalar / data with the sign of data; 0 where that is 0.")
scalar("_power_scalar _PowerScalar", power_by_number, power, means="power",
       doc="data to the power of scalar.")
scalar("_rpower_scalar _RPowerScalar", on_tensors(power, reverse=True),
       means="power", form=Form.REFLECTED, doc="scalar to the power of data.")
scalar("_hypot_scalar _HypotScalar _npi_hypot_scalar", on_tensors(hypot),
       means="hypot", doc="√(data² + scalar²).")
scalar("_maximum_scalar _MaximumScalar _npi_maximum_scalar", _at_least,
       backward=_at_least_backward,
       means="maximum", doc="The larger one of data and scalar.")
scalar("_minimum_scalar _MinimumScalar _npi_minimum_scalar", _at_most,
       backward=_at_most_backward,
       means="minimum", doc="The smaller one of data and scalar.")
scalar("smooth_l1 _npx_smooth_l1", _smooth_l1, by_name_only=("is_int",),
       backward=_smooth_l1_backward,
       doc="(scalar · data)² / 2 where |data| < 1 / scalar², else |data| - 1 / (2 · scalar²).")
scalar("_scatter_plus_scalar", torch.add,
       doc="data + scalar, on the stored elements of a sparse array.", gradient_stypes=as_head)
scalar("_scatter_minus_scalar", torch.sub,
       doc="data - scalar, on the stored elements of a sparse array.", gradient_stypes=as_head)
# fmt: on

for _name, (_function, _condition) in LOGIC.items():
    _takes_tensors = _name.startswith("logical")
    scalar(
        f"_{_name}_scalar _{_name.title().replace('_', '')}Scalar",
        on_tensors(truth(_function)) if _takes_tensors else truth(_function),
        means=_name.replace("lesser", "less"),
        differentiable=False,
        doc=f"1 where {_condition}, 0 elsewhere; of data and scalar.",
    )
