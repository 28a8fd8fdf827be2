# SPDX-License-Identifier: Apache-2.0
"""Functions of two arrays, element by element, with NumPy's mixture of element types.

All of them repeat axes of length 1, and compute in the common dtype of both arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.shapes import UNKNOWN, Dim, shape_text
from ...kernels import vectorized
from ..declaration import function_operator, register_function
from ..families.binary import LOGIC, hypot, modulo, power
from ..families.rules import UNEQUAL, through_float
from ..infer import DTypes, Shapes
from ..promotion import (
    common_dtype,
    promote,
    promote_integers,
    promote_numbers,
    promote_to_float,
)
from ..schema import Op, find
from ..traits import Arithmetic, Form

__all__ = ["COMPARISONS", "arctan2", "broadcast_inputs", "copysign", "ldexp"]


# Rules --------------------------------------------------------------------------------------------


def broadcast_inputs(op: Op, s: Shapes) -> None:
    """The output's axes, counted from the last, are as long as the longest of all inputs'."""

    def length(dims: tuple[Dim, ...]) -> Dim:
        if any(d is UNKNOWN for d in dims):
            return UNKNOWN
        longer = {d for d in dims if d != 1}
        if len(longer) > 1:
            shapes = ", ".join(f"{n} {shape_text(s[n])}" for n in s.inputs)
            raise s.fail(f"{shapes} {UNEQUAL}")
        return longer.pop() if longer else 1

    axes = zip_longest(*(reversed(s[n]) for n in s.inputs), fillvalue=1)
    s.output = tuple(map(length, axes))[::-1]


# Arithmetic ---------------------------------------------------------------------------------------


def _binary(
    name: str,
    function: Callable[[Tensor, Tensor], Tensor],
    *,
    means: str = "",
    doc: str,
    **rules: Any,
) -> None:
    """Registers ``output = function(lhs, rhs)`` under `name`."""

    def declaration(lhs: Tensor, rhs: Tensor) -> Tensor:
        raise NotImplementedError

    declaration.__doc__ = (
        f"{doc}\n\nArgs:\n"
        "    lhs: first operand, of any shape.\n"
        "    rhs: second operand; axes of length 1 repeat in both."
    )
    register_function(
        [name],
        function,
        declaration=declaration,
        shape=broadcast_inputs,
        pointwise=True,
        cuts_slopes=True,
        promotes=True,
        arithmetic=Arithmetic(means, Form.NUMPY) if means else None,
        **rules,
    )


def lcm(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Least common multiple of whole numbers; of bools, whether both are true."""
    if lhs.dtype is torch.bool:
        return lhs & rhs
    # ATen's own divides the least integer by -1, which ends the process, as its division does.
    common = torch.gcd(lhs, rhs).abs()  # that of the least integer may be -1
    return (lhs // common.masked_fill(common == 0, 1) * rhs).abs()


arctan2 = through_float(torch.arctan2)


def copysign(lhs: Tensor, rhs: Tensor) -> Tensor:
    """|lhs| with the sign of rhs; a zero counts as positive, NaN as of the other sign."""
    alike = ((lhs >= 0) & (rhs >= 0)) | ((lhs < 0) & (rhs < 0))
    return torch.where(alike, lhs, -lhs)


def ldexp(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Product of lhs and 2 to the power of rhs; in float64, unless they are float32."""
    wide = torch.float32 if lhs.dtype is torch.float32 else torch.float64
    return torch.ldexp(lhs.to(wide), rhs.to(wide)).to(lhs.dtype)


# ATen's gradient is 0 at the origin, MXNet's NaN.
def _arctan2_backward(d_output: Tensor, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(d_output.dtype, torch.float32)
    rise, run = x1.to(wide), x2.to(wide)
    length = torch.hypot(rise, run)  # Its square overflows, or is 0.
    scaled = d_output / length
    d_x1, d_x2 = scaled * (run / length), -scaled * (rise / length)
    d_x1, d_x2 = d_x1.to(d_output.dtype), d_x2.to(d_output.dtype)
    return d_x1.sum_to_size(x1.shape), d_x2.sum_to_size(x2.shape)


_classic_mod_backward: Any = find("broadcast_mod").of({}).backward
_classic_power_backward: Any = find("broadcast_power").of({}).backward


def _mod_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor) -> Any:
    wide = d_output.dtype
    return _classic_mod_backward(d_output, lhs.to(wide), rhs.to(wide))


def _power_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor, output: Tensor) -> Any:
    wide = d_output.dtype
    return _classic_power_backward(d_output, lhs.to(wide), rhs.to(wide), output)


# fmt: off
_binary("_npi_add", torch.add, dtype=promote, means="add",
        doc="lhs + rhs; of bools, lhs or rhs.")
_binary("_npi_subtract", torch.sub, dtype=promote_numbers, means="subtract",
        doc="lhs - rhs.")
_binary("_npi_multiply", torch.mul, dtype=promote,
        means="multiply", doc="lhs · rhs; of bools, lhs and rhs.")
_binary("_npi_true_divide", torch.true_divide, dtype=promote_to_float, means="divide",
        doc="lhs / rhs.")
_binary("_npi_mod", modulo, dtype=promote_numbers,
        backward=_mod_backward,
        means="modulo", doc="Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0.")
_binary("_npi_power", power, dtype=promote,
        backward=_power_backward, means="power", doc="lhs to the power of rhs.")
_binary("_npi_copysign", copysign, dtype=promote_numbers, doc="|lhs| with the sign of rhs.")
_binary("_npi_ldexp", ldexp, dtype=promote_numbers, doc="lhs · 2 to the power of rhs.")
_binary("_npi_lcm", lcm, dtype=promote_integers, differentiable=False,
        doc="Least common multiple.")
_binary("_npi_bitwise_and", torch.bitwise_and, dtype=promote_integers, differentiable=False,
        doc="The bits set in both.")
_binary("_npi_bitwise_or", torch.bitwise_or, dtype=promote_integers, differentiable=False,
        doc="The bits set in either.")
_binary("_npi_bitwise_xor", torch.bitwise_xor, dtype=promote_integers, differentiable=False,
        doc="The bits set in exactly one.")
# fmt: on


def _floats(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    return (x1, x2) if x1.is_floating_point() else (x1.float(), x2.float())


@function_operator(
    "_npi_arctan2",
    shape=broadcast_inputs,
    dtype=promote_to_float,
    backward=_arctan2_backward,
    promotes=True,
)
def _arctan2(x1: Tensor, x2: Tensor) -> Tensor:
    """Angle in [-π, π] of the point (x2, x1), in radians.

    Args:
        x1: ordinates.
        x2: abscissas; axes of length 1 repeat in both.
    """
    return torch.arctan2(*_floats(x1, x2))


@function_operator("_npi_hypot", shape=broadcast_inputs, dtype=promote_to_float, promotes=True)
def _hypot(x1: Tensor, x2: Tensor) -> Tensor:
    """√(x1² + x2²).

    Args:
        x1: first leg.
        x2: second leg; axes of length 1 repeat in both.
    """
    return hypot(*_floats(x1, x2))


# Comparison ---------------------------------------------------------------------------------------

COMPARISONS = {  # MXNet's NumPy name -> the classic one
    "equal": "equal",
    "not_equal": "not_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "less": "lesser",
    "less_equal": "lesser_equal",
}


def _truth(op: Op, t: DTypes) -> None:
    """The output is bool, for inputs of any dtypes."""
    if common_dtype(t, t.inputs) is not None:
        t.output = torch.bool


for _name, _known in COMPARISONS.items():
    _function, _condition = LOGIC[_known]
    _binary(
        f"_npi_{_name}",
        vectorized.predicate(_function, getattr(np, _name)),
        means=_name,
        dtype=_truth,
        differentiable=False,
        doc=f"Whether {_condition}.",
    )


# Memory -------------------------------------------------------------------------------------------


def _scalar_shape(op: Op, s: Shapes) -> None:
    s.output = ()


def _bool_output(op: Op, t: DTypes) -> None:
    t.output = torch.bool


@function_operator(
    "_npi_share_memory", shape=_scalar_shape, dtype=_bool_output, differentiable=None
)
def share_memory(a: Tensor, b: Tensor) -> Tensor:
    """Whether two arrays share memory; each must be contiguous.

    Args:
        a: of any shape and type.
        b: of any shape and type.
    """
    start, other = a.data_ptr(), b.data_ptr()
    is_shared = start < other + b.nbytes and other < start + a.nbytes
    is_shared = is_shared and a.numel() > 0 and b.numel() > 0
    return torch.full((), is_shared, dtype=torch.bool, device=a.device)
