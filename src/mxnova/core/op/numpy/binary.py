# SPDX-License-Identifier: Apache-2.0
"""Functions of two arrays, element by element, with NumPy's mixture of element types.

All of them repeat axes of length 1. Arithmetic is done in the wider of the two types, a
floating-point type being wider than an integer type.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.shapes import UNKNOWN, Dim, shape_text
from ...kernels import vectorized
from ..declaration import function_operator, register_function
from ..dtypes import dtype_name
from ..families.binary import LOGIC, modulo, power
from ..families.rules import UNEQUAL, floats_only, numbers_only, through_float
from ..infer import DTypes, Shapes
from ..schema import Op, find
from ..traits import Arithmetic, Form
from .unary import integers_only, truth_dtype

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


def _mixture(op: Op, t: DTypes) -> tuple[torch.dtype, torch.dtype] | None:
    """The types of both inputs when they differ; when they do not, they are the output's too."""
    lhs, rhs = t.known("lhs"), t.known("rhs")
    if lhs is None or rhs is None or lhs is rhs:
        t.same("lhs", "rhs", "output")
        return None
    return lhs, rhs


def _refusal(op: Op, lhs: torch.dtype, rhs: torch.dtype) -> MXNetError:
    types = f"lhs of type {dtype_name(lhs)} and rhs of type {dtype_name(rhs)}"
    return MXNetError(f"{op.name}: {types} cannot be combined: convert one of them")


def _wider(op: Op, t: DTypes) -> None:
    """The output is of the wider type."""
    if mixture := _mixture(op, t):
        wider = torch.promote_types(*mixture)
        if wider is torch.int16:  # what int8 and uint8 would need
            raise _refusal(op, *mixture)
        t.output = wider


def _wider_number(op: Op, t: DTypes) -> None:
    """As `_wider`; two bools are refused."""
    _wider(op, t)
    if t.known("lhs") is t.known("rhs"):
        numbers_only(op, t)


def _quotient(op: Op, t: DTypes) -> None:
    """The output is of the floating-point type that occurs, of float32 if none does."""
    lhs, rhs = t.lhs, t.rhs
    if lhs is not rhs and lhs.is_floating_point == rhs.is_floating_point:
        raise _refusal(op, lhs, rhs)
    wider = torch.promote_types(lhs, rhs)
    t.output = wider if wider.is_floating_point else torch.float32


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
        arithmetic=Arithmetic(means, Form.NUMPY) if means else None,
        **rules,
    )


def _in_wider_type(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def forward(lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.dtype is not rhs.dtype:  # ATen itself would not count a 0-d array
            wider = torch.promote_types(lhs.dtype, rhs.dtype)
            lhs, rhs = lhs.to(wider), rhs.to(wider)
        return function(lhs, rhs)

    return forward


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
    scaled = d_output / (x1 * x1 + x2 * x2)
    return (scaled * x2).sum_to_size(x1.shape), (-scaled * x1).sum_to_size(x2.shape)


_classic_mod_backward: Any = find("broadcast_mod").of({}).backward
_classic_power_backward: Any = find("broadcast_power").of({}).backward


def _mod_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor) -> Any:
    wide = d_output.dtype
    return _classic_mod_backward(d_output, lhs.to(wide), rhs.to(wide))


def _power_backward(d_output: Tensor, lhs: Tensor, rhs: Tensor, output: Tensor) -> Any:
    wide = d_output.dtype
    return _classic_power_backward(d_output, lhs.to(wide), rhs.to(wide), output)


# fmt: off
_binary("_npi_add", _in_wider_type(torch.add), dtype=_wider, means="add",
        doc="lhs + rhs; of bools, lhs or rhs.")
_binary("_npi_subtract", _in_wider_type(torch.sub), dtype=_wider_number, means="subtract",
        doc="lhs - rhs.")
_binary("_npi_multiply", _in_wider_type(torch.mul), dtype=_wider,
        means="multiply", doc="lhs · rhs; of bools, lhs and rhs.")
_binary("_npi_true_divide", _in_wider_type(torch.true_divide), dtype=_quotient, means="divide",
        doc="lhs / rhs.")
_binary("_npi_mod", _in_wider_type(modulo), dtype=_wider_number,
        backward=_mod_backward,
        means="modulo", doc="Remainder of lhs / rhs with the sign of rhs; 0 where rhs is 0.")
_binary("_npi_power", _in_wider_type(power), dtype=_wider,
        backward=_power_backward, means="power", doc="lhs to the power of rhs.")
_binary("_npi_copysign", copysign, dtype=numbers_only, doc="|lhs| with the sign of rhs.")
_binary("_npi_ldexp", ldexp, dtype=numbers_only, doc="lhs · 2 to the power of rhs.")
_binary("_npi_lcm", lcm, dtype=integers_only, differentiable=False, doc="Least common multiple.")
_binary("_npi_bitwise_and", torch.bitwise_and, dtype=integers_only, differentiable=False,
        doc="The bits set in both.")
_binary("_npi_bitwise_or", torch.bitwise_or, dtype=integers_only, differentiable=False,
        doc="The bits set in either.")
_binary("_npi_bitwise_xor", torch.bitwise_xor, dtype=integers_only, differentiable=False,
        doc="The bits set in exactly one.")
# fmt: on


@function_operator(
    "_npi_arctan2", shape=broadcast_inputs, dtype=floats_only, backward=_arctan2_backward
)
def _arctan2(x1: Tensor, x2: Tensor) -> Tensor:
    """Angle in [-π, π] of the point (x2, x1), in radians.

    Args:
        x1: ordinates, of a floating-point type.
        x2: abscissas, of the type of x1; axes of length 1 repeat in both.
    """
    return torch.arctan2(x1, x2)


@function_operator("_npi_hypot", shape=broadcast_inputs, dtype=floats_only)
def _hypot(x1: Tensor, x2: Tensor) -> Tensor:
    """√(x1² + x2²).

    Args:
        x1: first leg, of a floating-point type.
        x2: second leg, of the type of x1; axes of length 1 repeat in both.
    """
    return torch.hypot(x1, x2)


# Comparison ---------------------------------------------------------------------------------------

COMPARISONS = {  # MXNet's NumPy name -> the classic one
    "equal": "equal",
    "not_equal": "not_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "less": "lesser",
    "less_equal": "lesser_equal",
}

for _name, _known in COMPARISONS.items():
    _function, _condition = LOGIC[_known]
    _binary(
        f"_npi_{_name}",
        vectorized.predicate(_function, getattr(np, _name)),
        means=_name,
        dtype=truth_dtype,
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
