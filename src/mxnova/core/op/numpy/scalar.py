# SPDX-License-Identifier: Apache-2.0
"""Functions of an array and a number, element by element, under NumPy's names.

Arithmetic treats the number as the classic family does. Division makes integers float32, a
comparison gives bool, and bits are taken from the number as converted to the type of the array.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from ...base.params import Double
from ...kernels import vectorized
from ..declaration import DTypeRule, elementwise_shape, register_function
from ..families.binary import LOGIC, modulo, power
from ..families.rules import in_type_of
from ..families.scalar import (
    Function,
    modulo_by_number,
    on_tensors,
    power_by_number,
    reverse_modulo_backward,
    scalar,
)
from ..infer import DTypes
from ..schema import Op
from ..traits import Arithmetic, Form
from .binary import COMPARISONS, arctan2, copysign, lcm, ldexp
from .unary import integers_only, truth_dtype

__all__: list[str] = []

# Arithmetic ---------------------------------------------------------------------------------------


def _reverse(function: Callable[[Tensor, Tensor], Tensor]) -> Function:
    return on_tensors(function, reverse=True)


def _mod_backward(d_output: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output  # also next to 0, where the output is constant


# At 0 to the power of 0 MXNet gives the formulas' NaNs and infinities, ATen puts zeros there.
def _power_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output * scalar * power_by_number(data, scalar - 1)


def _rpower_backward(d_output: Tensor, output: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output * output * in_type_of(output, scalar).log()


# ATen's gradient is 0 at the origin, MXNet's NaN.
def _arctan2_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return d_output * scalar / (data * data + scalar * scalar)


# The derivative would be -scalar / …: MXNet takes the wrong operand.
def _rarctan2_backward(d_output: Tensor, data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    return -d_output * data / (data * data + scalar * scalar)


# fmt: off
scalar("_npi_add_scalar", torch.add, means="add", form=Form.NUMPY_SCALAR, doc="data + scalar.")
scalar("_npi_subtract_scalar", torch.sub, means="subtract", form=Form.NUMPY_SCALAR,
       doc="data - scalar.")
scalar("_npi_rsubtract_scalar", torch.rsub, means="subtract", form=Form.NUMPY_REFLECTED,
       doc="scalar - data.")
scalar("_npi_multiply_scalar", torch.mul, means="multiply", form=Form.NUMPY_SCALAR,
       doc="data · scalar.")
scalar("_npi_mod_scalar", modulo_by_number, on_tensors(modulo), backward=_mod_backward,
       means="modulo", form=Form.NUMPY_SCALAR,
       doc="Remainder of data / scalar with the sign of scalar; 0 when that is 0.")
scalar("_npi_rmod_scalar", _reverse(modulo), backward=reverse_modulo_backward,
       means="modulo", form=Form.NUMPY_REFLECTED,
       doc="Remainder of scalar / data with the sign of data; 0 where that is 0.")
scalar("_npi_power_scalar", power_by_number, power, backward=_power_backward,
       means="power", form=Form.NUMPY_SCALAR, doc="data to the power of scalar.")
scalar("_npi_rpower_scalar", _reverse(power), backward=_rpower_backward,
       means="power", form=Form.NUMPY_REFLECTED, doc="scalar to the power of data.")
scalar("_npi_arctan2_scalar", on_tensors(arctan2), backward=_arctan2_backward,
       doc="Angle in [-π, π] of the point (scalar, data), in radians.")
scalar("_npi_rarctan2_scalar", _reverse(arctan2), backward=_rarctan2_backward,
       doc="Angle in [-π, π] of the point (data, scalar), in radians.")
scalar("_npi_ldexp_scalar", on_tensors(ldexp), doc="data · 2 to the power of scalar.")
scalar("_npi_rldexp_scalar", _reverse(ldexp), doc="scalar · 2 to the power of data.")
scalar("_npi_copysign_scalar", on_tensors(copysign), doc="|data| with the sign of scalar.")
scalar("_npi_rcopysign_scalar", _reverse(copysign), doc="|scalar| with the sign of data.")
# fmt: on


# Division, comparison, bits -----------------------------------------------------------------------


def _quotient(op: Op, t: DTypes) -> None:
    """The output is of the type of data, of float32 for integers and bool."""
    t.output = t.data if t.data.is_floating_point else torch.float32


def _in_floats(data: Tensor, is_int: bool) -> Tensor:
    return data if data.is_floating_point() else data.float()


def _in_doubles_if_fraction(data: Tensor, is_int: bool) -> Tensor:
    # A bool array stays one, next to which every number but 0 is true.
    whole = is_int or data.is_floating_point() or data.dtype is torch.bool
    return data if whole else data.double()


def _unconverted(data: Tensor, is_int: bool) -> Tensor:
    return data


def _row(
    name: str,
    function: Callable[[Tensor, Tensor], Tensor],
    converted: Callable[[Tensor, bool], Tensor],
    dtype: DTypeRule,
    doc: str,
    differentiable: bool = False,
    arithmetic: Arithmetic | None = None,
) -> None:
    """Registers ``output = function(converted(data, is_int), scalar)`` under `name`."""

    def forward(data: Tensor, *, scalar: Double = 1.0, is_int: bool = True) -> Tensor:
        data = converted(data, is_int)
        return function(data, in_type_of(data, scalar))

    forward.__doc__ = (
        f"{doc}\n\nArgs:\n"
        "    data: of any shape.\n"
        "    scalar: the number.\n"
        "    is_int: whether the number was written without a fraction."
    )
    register_function(
        [name],
        forward,
        shape=elementwise_shape,
        dtype=dtype,
        differentiable=differentiable,
        pointwise=True,
        cuts_slopes=True,
        arithmetic=arithmetic,
    )


def _reciprocal_quotient(data: Tensor, number: Tensor) -> Tensor:
    return torch.true_divide(number, data)


# fmt: off
_row("_npi_true_divide_scalar", torch.true_divide, _in_floats, _quotient, "data / scalar.", True,
     Arithmetic("divide", Form.NUMPY_SCALAR))
_row("_npi_rtrue_divide_scalar", _reciprocal_quotient, _in_floats, _quotient, "scalar / data.",
     True, Arithmetic("divide", Form.NUMPY_REFLECTED))
# fmt: on

for _name, _known in COMPARISONS.items():
    _function, _condition = LOGIC[_known]
    _doc = f"Whether {_condition}; of data and scalar."
    _compared = vectorized.predicate(_function, getattr(np, _name))
    _row(
        f"_npi_{_name}_scalar",
        _compared,
        _in_doubles_if_fraction,
        truth_dtype,
        _doc,
        arithmetic=Arithmetic(_name, Form.NUMPY_SCALAR),
    )

for _name, _function, _doc in (
    ("bitwise_and", torch.bitwise_and, "The bits set in both data and scalar."),
    ("bitwise_or", torch.bitwise_or, "The bits set in data or scalar."),
    ("bitwise_xor", torch.bitwise_xor, "The bits set in exactly one of data and scalar."),
    ("lcm", lcm, "Least common multiple of data and scalar."),
):
    _row(f"_npi_{_name}_scalar", _function, _unconverted, integers_only, _doc)
