# SPDX-License-Identifier: Apache-2.0
"""Element by element: functions of one array, of two, and of an array and a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from openvino import opset13 as ov

from .site import Site, converter, floats

Function = Callable[..., Any]


def _by_constant(function: Function, number: float) -> Function:
    return lambda x: function(x, floats(number))


def _reciprocal(x: Any) -> Any:
    return ov.divide(floats(1), x)


def _base(number: float) -> Function:
    return lambda x: ov.multiply(ov.log(x), floats(1 / math.log(number)))


def _rounded(x: Any) -> Any:
    """Halves go away from zero; OpenVINO's own takes the number before a half for one."""
    below_half = 0.5 - 2.0**-25
    return ov.multiply(ov.sign(x), ov.floor(ov.add(ov.abs(x), floats(below_half))))


# fmt: off
_UNARY: dict[str, Function] = {
    "abs": ov.abs, "negative": ov.negative, "sign": ov.sign, "relu": ov.relu, "exp": ov.exp,
    "log": ov.log, "sqrt": ov.sqrt, "sin": ov.sin, "cos": ov.cos, "tan": ov.tan,
    "arcsin": ov.asin, "arccos": ov.acos, "arctan": ov.atan, "sinh": ov.sinh, "cosh": ov.cosh,
    "tanh": ov.tanh, "arcsinh": ov.asinh, "arccosh": ov.acosh, "arctanh": ov.atanh,
    "sigmoid": ov.sigmoid, "softsign": ov.softsign, "erf": ov.erf, "floor": ov.floor,
    "ceil": ov.ceiling,
    "round": _rounded,
    "square": lambda x: ov.multiply(x, x),
    "rsqrt": lambda x: _reciprocal(ov.sqrt(x)), "reciprocal": _reciprocal,
    "log2": _base(2), "log10": _base(10),
    "degrees": _by_constant(ov.multiply, 180 / math.pi),
    "radians": _by_constant(ov.multiply, math.pi / 180),
}
_BINARY: dict[str, Function] = {
    "elemwise_add": ov.add, "broadcast_add": ov.add, "_npi_add": ov.add, "_grad_add": ov.add,
    "elemwise_sub": ov.subtract, "broadcast_sub": ov.subtract, "_npi_subtract": ov.subtract,
    "elemwise_mul": ov.multiply, "broadcast_mul": ov.multiply, "_npi_multiply": ov.multiply,
    "elemwise_div": ov.divide, "broadcast_div": ov.divide, "_npi_true_divide": ov.divide,
    "_maximum": ov.maximum, "broadcast_maximum": ov.maximum,
    "_minimum": ov.minimum, "broadcast_minimum": ov.minimum,
    "_power": ov.power, "broadcast_power": ov.power, "_npi_power": ov.power,
}
_SCALAR: dict[str, Function] = {
    "plus": ov.add, "minus": ov.subtract, "mul": ov.multiply, "div": ov.divide,
    "power": ov.power, "maximum": ov.maximum, "minimum": ov.minimum,
    "rminus": lambda x, s: ov.subtract(s, x), "rdiv": lambda x, s: ov.divide(s, x),
    "rpower": lambda x, s: ov.power(s, x),
}
_COMPARISON: dict[str, Function] = {
    "equal": ov.equal, "not_equal": ov.not_equal, "greater": ov.greater,
    "greater_equal": ov.greater_equal, "lesser": ov.less, "lesser_equal": ov.less_equal,
}
_NUMPY_SCALAR = {"plus": "add", "minus": "subtract", "rminus": "rsubtract", "mul": "multiply",
                 "div": "true_divide", "rdiv": "rtrue_divide", "power": "power", "rpower": "rpower"}
# fmt: on


def _applied(function: Function) -> Callable[[Site], Any]:
    return lambda site: function(*site.inputs)


def _with_number(function: Function) -> Callable[[Site], Any]:
    return lambda site: function(site.x, floats(site.scalar))


def _as_number(function: Function) -> Function:
    return lambda *inputs: ov.convert(function(*inputs), "f32")


for _name, _function in {**_UNARY, **_BINARY}.items():
    converter(_name)(_applied(_function))
for _name, _function in _SCALAR.items():
    converter(f"_{_name}_scalar")(_with_number(_function))
    if _name in _NUMPY_SCALAR:
        converter(f"_npi_{_NUMPY_SCALAR[_name]}_scalar")(_with_number(_function))
for _name, _function in _COMPARISON.items():
    converter(f"_{_name} broadcast_{_name}")(_applied(_as_number(_function)))
    converter(f"_{_name}_scalar")(_with_number(_as_number(_function)))


@converter("add_n")
def _sum(site: Site) -> Any:
    return reduce(ov.add, site.inputs)


@converter("clip", lambda site: "bounds crossed" if site.a_min > site.a_max else None)
def _clip(site: Site) -> Any:
    return ov.minimum(ov.maximum(site.x, floats(site.a_min)), floats(site.a_max))


@converter("where", lambda site: None if len({*site.shapes}) == 1 else "its shapes differ")
def _where(site: Site) -> Any:
    condition, chosen, other = site.inputs
    return ov.select(ov.not_equal(condition, floats(0)), chosen, other)


@converter("smooth_l1")
def _smooth_l1(site: Site) -> Any:
    square = site.scalar**2
    size = ov.abs(site.x)
    near = ov.multiply(ov.multiply(site.x, site.x), floats(square / 2))
    far = ov.subtract(size, floats(0.5 / square if square else 0))
    return ov.select(ov.less(size, floats(1 / square if square else math.inf)), near, far)


_ACTIVATIONS: dict[str, Function] = {
    "relu": ov.relu,
    "sigmoid": ov.sigmoid,
    "tanh": ov.tanh,
    "softsign": ov.softsign,
    "softrelu": ov.softplus,
}


@converter("Activation")
def _activation(site: Site) -> Any:
    return _ACTIVATIONS[site.act_type](site.x)


def _leaky_refusal(site: Site) -> str | None:
    kind = site.act_type
    if kind == "rrelu":
        return "act_type=rrelu"
    if len(site.shapes) < 2 or site.shapes[1] == (1,) or site.shapes[1] == site.shapes[0][1:2]:
        return None
    return "slopes that are not one for each channel"


@converter("LeakyReLU", _leaky_refusal)
def _leaky(site: Site) -> Any:
    kind = site.act_type
    if kind == "prelu":
        return ov.prelu(site.x, site.inputs[1])
    if kind == "elu":
        return ov.elu(site.x, float(site.slope))
    if kind == "selu":
        return ov.selu(site.x, floats(1.6732632423543772), floats(1.0507009873554805))
    if kind == "gelu":
        return ov.gelu(site.x, "ERF")
    return ov.prelu(site.x, floats([site.slope]))
