# SPDX-License-Identifier: Apache-2.0
"""Element by element: functions of one array, of two, and of an array and a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from .site import Site, converter

# fmt: off
_SAME = ("abs", "negative", "sign", "relu", "exp", "log", "sqrt", "sin", "cos", "tan", "sinh",
         "cosh", "tanh", "sigmoid", "softsign", "erf", "floor")
# By the words for them; of one array, or of two.
_FUNCTIONS = {
    **{name: name for name in _SAME},
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "ceil": "ceiling",
    "elemwise_add": "add", "broadcast_add": "add", "_npi_add": "add", "_grad_add": "add",
    "elemwise_sub": "subtract", "broadcast_sub": "subtract", "_npi_subtract": "subtract",
    "elemwise_mul": "multiply", "broadcast_mul": "multiply", "_npi_multiply": "multiply",
    "elemwise_div": "divide", "broadcast_div": "divide", "_npi_true_divide": "divide",
    "_maximum": "maximum", "broadcast_maximum": "maximum",
    "_minimum": "minimum", "broadcast_minimum": "minimum",
    "_power": "power", "broadcast_power": "power", "_npi_power": "power",
}
_WITH_NUMBER = {"plus": "add", "minus": "subtract", "mul": "multiply", "div": "divide",
                "power": "power", "maximum": "maximum", "minimum": "minimum"}
_FROM_NUMBER = {"rminus": "subtract", "rdiv": "divide", "rpower": "power"}
_COMPARISONS = {
    "equal": "equal", "not_equal": "not_equal", "greater": "greater",
    "greater_equal": "greater_equal", "lesser": "less", "lesser_equal": "less_equal",
}
_NUMPY_SCALAR = {"plus": "add", "minus": "subtract", "rminus": "rsubtract", "mul": "multiply",
                 "div": "true_divide", "rdiv": "rtrue_divide", "power": "power", "rpower": "rpower"}
_FACTORS = {"log2": ("log", 1 / math.log(2)), "log10": ("log", 1 / math.log(10)),
            "degrees": ("", 180 / math.pi), "radians": ("", math.pi / 180)}
# fmt: on


def _applied(word: str) -> Callable[[Site], Any]:
    return lambda site: site.ops.elementwise(word, *site.inputs)


def _with_number(word: str) -> Callable[[Site], Any]:
    return lambda site: site.ops.elementwise(word, site.x, site.ops.floats(site.scalar))


def _from_number(word: str) -> Callable[[Site], Any]:
    return lambda site: site.ops.elementwise(word, site.ops.floats(site.scalar), site.x)


def _as_floats(condition: Callable[[Site], Any]) -> Callable[[Site], Any]:
    return lambda site: site.ops.as_floats(condition(site))


def _multiplied(word: str, factor: float) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        x = site.ops.elementwise(word, site.x) if word else site.x
        return site.ops.elementwise("multiply", x, site.ops.floats(factor))

    return build


for _name, _word in _FUNCTIONS.items():
    converter(_name)(_applied(_word))
for _name, (_word, _factor) in _FACTORS.items():
    converter(_name)(_multiplied(_word, _factor))
for _table, _maker in ((_WITH_NUMBER, _with_number), (_FROM_NUMBER, _from_number)):
    for _name, _word in _table.items():
        converter(f"_{_name}_scalar")(_maker(_word))
        if _name in _NUMPY_SCALAR:
            converter(f"_npi_{_NUMPY_SCALAR[_name]}_scalar")(_maker(_word))
for _name, _word in _COMPARISONS.items():
    converter(f"_{_name} broadcast_{_name}")(_as_floats(_applied(_word)))
    converter(f"_{_name}_scalar")(_as_floats(_with_number(_word)))


@converter("square")
def _square(site: Site) -> Any:
    return site.ops.elementwise("multiply", site.x, site.x)


@converter("reciprocal")
def _reciprocal(site: Site) -> Any:
    return site.ops.elementwise("divide", site.ops.floats(1), site.x)


@converter("rsqrt")
def _rsqrt(site: Site) -> Any:
    o = site.ops
    return o.elementwise("divide", o.floats(1), o.elementwise("sqrt", site.x))


@converter("round")
def _round(site: Site) -> Any:
    """Halves go away from zero; OpenVINO's own takes the number before a half for one."""
    o = site.ops
    below_half = o.floats(0.5 - 2.0**-25)
    size = o.elementwise("floor", o.elementwise("add", o.elementwise("abs", site.x), below_half))
    return o.elementwise("multiply", o.elementwise("sign", site.x), size)


@converter("add_n")
def _sum(site: Site) -> Any:
    return reduce(lambda x, y: site.ops.elementwise("add", x, y), site.inputs)


@converter("clip", lambda site: "bounds crossed" if site.a_min > site.a_max else None)
def _clip(site: Site) -> Any:
    return site.ops.clip(site.x, site.a_min, site.a_max)


@converter("where", lambda site: None if len({*site.shapes}) == 1 else "its shapes differ")
def _where(site: Site) -> Any:
    o = site.ops
    condition, chosen, other = site.inputs
    holds = o.elementwise("not_equal", condition, o.floats(0))
    return o.elementwise("select", holds, chosen, other)


@converter("smooth_l1")
def _smooth_l1(site: Site) -> Any:
    o = site.ops
    square = site.scalar**2
    size = o.elementwise("abs", site.x)
    squared = o.elementwise("multiply", site.x, site.x)
    near = o.elementwise("multiply", squared, o.floats(square / 2))
    far = o.elementwise("subtract", size, o.floats(0.5 / square if square else 0))
    is_near = o.elementwise("less", size, o.floats(1 / square if square else math.inf))
    return o.elementwise("select", is_near, near, far)


_ACTIVATIONS = {
    **{name: name for name in ("relu", "sigmoid", "tanh", "softsign")},
    "softrelu": "softplus",
}


@converter("Activation")
def _activation(site: Site) -> Any:
    return site.ops.elementwise(_ACTIVATIONS[site.act_type], site.x)


def _leaky_refusal(site: Site) -> str | None:
    kind = site.act_type
    if kind == "rrelu":
        return "act_type=rrelu"
    if len(site.shapes) < 2 or site.shapes[1] == (1,) or site.shapes[1] == site.shapes[0][1:2]:
        return None
    return "slopes that are not one for each channel"


@converter("LeakyReLU", _leaky_refusal)
def _leaky(site: Site) -> Any:
    o, kind = site.ops, site.act_type
    if kind == "prelu":
        return o.prelu(site.x, site.inputs[1], site.rank)
    if kind == "elu":
        return o.elu(site.x, float(site.slope))
    if kind == "selu":
        return o.selu(site.x, 1.6732632423543772, 1.0507009873554805)
    if kind == "gelu":
        return o.gelu(site.x)
    return o.leaky_relu(site.x, float(site.slope))
