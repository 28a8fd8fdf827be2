# SPDX-License-Identifier: Apache-2.0
"""Element by element: functions of one array, of two, and of an array and a number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import torch

from ....op import library  # noqa: F401 - registers the operators
from ....op.schema import REGISTRY, OpType
from ....op.traits import Form
from .site import Site
from .site import converter as declared

converter = partial(declared, is_arithmetic=True)

# fmt: off
_UNARY = {  # word -> operators
    "abs": "abs _npi_absolute", "negative": "negative _npi_negative", "sign": "sign _npi_sign",
    "relu": "relu _npx_relu", "sigmoid": "sigmoid _npx_sigmoid", "softsign": "softsign",
    "erf": "erf", "exp": "exp _npi_exp", "log": "log _npi_log", "sqrt": "sqrt _npi_sqrt",
    "sin": "sin _npi_sin", "cos": "cos _npi_cos", "tan": "tan _npi_tan",
    "sinh": "sinh _npi_sinh", "cosh": "cosh _npi_cosh", "tanh": "tanh _npi_tanh",
    "asin": "arcsin _npi_arcsin", "acos": "arccos _npi_arccos", "atan": "arctan _npi_arctan",
    "asinh": "arcsinh _npi_arcsinh", "acosh": "arccosh _npi_arccosh",
    "atanh": "arctanh _npi_arctanh", "floor": "floor _npi_floor", "ceiling": "ceil _npi_ceil",
    "round": "_npi_rint",
}
_OF_WHOLE_NUMBERS = {"abs", "negative", "relu", "sign"}
# Of two operands; the words are the names that traits have for the functions.
_ARITHMETIC = {"add", "subtract", "multiply", "divide", "power", "maximum", "minimum"}
_COMPARISONS = {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal"}
_FACTORS = {"log2": ("log", 1 / math.log(2)), "log10": ("log", 1 / math.log(10)),
            "degrees": ("", 180 / math.pi), "radians": ("", math.pi / 180)}
# fmt: on


def _whole_numbers(site: Site) -> str | None:
    return None if site.out_dtypes[0].is_floating_point else "a function of whole numbers"


def _incomparable(site: Site) -> str | None:
    if torch.bool in site.dtypes:
        return "arrays of truth values"
    is_whole = not site.dtypes[0].is_floating_point
    if is_whole and "scalar" in site.op.values and site.scalar % 1:
        return f"scalar={site.scalar} beside whole numbers"
    return None


def _wraps(site: Site) -> str | None:
    wraps = site.out_dtypes[0] is torch.uint8 and site.scalar < 0
    return f"scalar={site.scalar} as a number of type uint8" if wraps else None


def _comparison_builder(word: str) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        common = reduce(torch.promote_types, site.dtypes)
        return site.ops.elementwise(word, *site.computed_in(common).inputs)

    return build


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


for _word, _names in _UNARY.items():
    converter(_names, None if _word in _OF_WHOLE_NUMBERS else _whole_numbers)(_applied(_word))
for _name, (_word, _factor) in _FACTORS.items():
    converter(_name)(_multiplied(_word, _factor))


def _declare_arithmetic(type_: OpType) -> None:
    """Makes the converter of an operator that means a function of two operands."""
    meaning = type_.make.arithmetic
    if meaning is None or meaning.function not in _ARITHMETIC | _COMPARISONS:
        return
    function, form = meaning
    is_numpy = form in (Form.NUMPY, Form.NUMPY_SCALAR, Form.NUMPY_REFLECTED)
    build = _applied(function) if form.has_two_arrays else _with_number(function)
    if form.is_reflected:
        build = _from_number(function)
    if function in _ARITHMETIC:
        converter(type_.name, None if is_numpy or form.has_two_arrays else _wraps)(build)
    elif is_numpy:  # whose results are conditions
        build = _comparison_builder(function) if form.has_two_arrays else build
        declared(type_.name, _incomparable, only_onnx=True)(build)
    else:
        converter(type_.name)(_as_floats(build))


for _type in {id(REGISTRY[name]): REGISTRY[name] for name in REGISTRY}.values():
    _declare_arithmetic(_type)


@converter("square _npi_square")
def _square(site: Site) -> Any:
    return site.ops.elementwise("multiply", site.x, site.x)


@converter("reciprocal _npi_reciprocal")
def _reciprocal(site: Site) -> Any:
    return site.ops.elementwise("divide", site.ops.floats(1), site.x)


@converter("log1p _npi_log1p", _whole_numbers)
def _log1p(site: Site) -> Any:
    """``log(u) · x / (u - 1)`` for ``u = 1 + x``, in which the rounding of the sum cancels out."""
    o, x, one = site.ops, site.x, site.ops.floats(1)
    u = o.elementwise("add", x, one)
    added = o.elementwise("subtract", u, one)
    is_small = o.elementwise("equal", added, o.floats(0))
    divisor = o.elementwise("select", is_small, one, added)
    slope = o.elementwise("divide", o.elementwise("log", u), divisor)
    return o.elementwise("select", is_small, x, o.elementwise("multiply", slope, x))


@converter("expm1 _npi_expm1", _whole_numbers)
def _expm1(site: Site) -> Any:
    """``tanh(x / 2) · (exp(x) + 1)``, which keeps small numbers; the limits are those of `exp`."""
    o, x, one = site.ops, site.x, site.ops.floats(1)
    power = o.elementwise("exp", x)
    half = o.elementwise("tanh", o.elementwise("multiply", x, o.floats(0.5)))
    near = o.elementwise("multiply", half, o.elementwise("add", power, one))
    is_near = o.elementwise("less", o.elementwise("abs", x), one)
    return o.elementwise("select", is_near, near, o.elementwise("subtract", power, one))


def _cube_root(site: Site) -> Any:
    o = site.ops
    size = o.elementwise("power", o.elementwise("abs", site.x), o.floats(1 / 3))
    return o.elementwise("multiply", o.elementwise("sign", site.x), size)


@converter("cbrt _npi_cbrt", _whole_numbers)
def _cbrt(site: Site) -> Any:
    return _cube_root(site)


@converter("rcbrt", _whole_numbers)
def _rcbrt(site: Site) -> Any:
    return site.ops.elementwise("divide", site.ops.floats(1), _cube_root(site))


@converter("trunc fix _npi_trunc _npi_fix", _whole_numbers)
def _trunc(site: Site) -> Any:
    o = site.ops
    size = o.elementwise("floor", o.elementwise("abs", site.x))
    return o.elementwise("multiply", o.elementwise("sign", site.x), size)


@converter("_hypot broadcast_hypot _npi_hypot", _whole_numbers)
def _hypot(site: Site) -> Any:
    o = site.ops
    larger = o.elementwise("maximum", *(o.elementwise("abs", x) for x in site.inputs))
    scale = o.clip(larger, 1e-37, 3e38)  # Squares of numbers beyond 1e19 overflow.
    parts = [o.elementwise("divide", x, scale) for x in site.inputs]
    squares = [o.elementwise("multiply", x, x) for x in parts]
    root = o.elementwise("sqrt", o.elementwise("add", *squares))
    return o.elementwise("multiply", root, scale)


@converter("_contrib_quadratic")
def _quadratic(site: Site) -> Any:
    o, x = site.ops, site.x
    slope = o.elementwise("add", o.elementwise("multiply", x, o.floats(site.a)), o.floats(site.b))
    return o.elementwise("add", o.elementwise("multiply", slope, x), o.floats(site.c))


@converter("hard_sigmoid")
def _hard_sigmoid(site: Site) -> Any:
    o = site.ops
    line = o.elementwise("multiply", site.x, o.floats(site.alpha))
    return o.clip(o.elementwise("add", line, o.floats(site.beta)), 0, 1)


@converter("_contrib_div_sqrt_dim")
def _div_sqrt_dim(site: Site) -> Any:
    root = site.ops.elementwise("sqrt", site.ops.size(site.shapes[0][-1]))
    return site.ops.elementwise("divide", site.x, root)


# Truth --------------------------------------------------------------------------------------------


def _truth(site: Site, x: Any) -> Any:
    return site.ops.as_floats(site.ops.elementwise("not_equal", x, site.ops.floats(0)))


@converter("logical_not")
def _logical_not(site: Site) -> Any:
    return site.ops.as_floats(site.ops.elementwise("equal", site.x, site.ops.floats(0)))


def _logical(word: str) -> Callable[[Site], Any]:
    def build(site: Site) -> Any:
        given = site.inputs if len(site.inputs) == 2 else [site.x, site.ops.floats(site.scalar)]
        one, other = (_truth(site, x) for x in given)
        found = site.ops.elementwise(word, one, other)
        return site.ops.as_floats(found) if word == "not_equal" else found

    return build


for _name, _word in (("and", "minimum"), ("or", "maximum"), ("xor", "not_equal")):
    _forms = f"_logical_{_name} broadcast_logical_{_name} _logical_{_name}_scalar"
    converter(_forms)(_logical(_word))


@converter("_mod broadcast_mod _npi_mod", only_onnx=True)
def _mod(site: Site) -> Any:
    return _remainder(site, *site.inputs)


@converter("_mod_scalar _npi_mod_scalar", only_onnx=True)
def _mod_scalar(site: Site) -> Any:
    return _remainder(site, site.x, site.ops.floats(site.scalar))


@converter("_rmod_scalar _npi_rmod_scalar", only_onnx=True)
def _rmod_scalar(site: Site) -> Any:
    return _remainder(site, site.ops.floats(site.scalar), site.x)


def _remainder(site: Site, x: Any, y: Any) -> Any:
    """With the divisor's sign; 0 where that is 0."""
    o, zero = site.ops, site.ops.floats(0)
    is_zero = o.elementwise("equal", y, zero)
    y = o.elementwise("select", is_zero, o.floats(1), y)
    found = o.truncated_remainder(x, y)
    other_sign = o.elementwise("less", o.elementwise("multiply", found, y), zero)
    found = o.elementwise("select", other_sign, o.elementwise("add", found, y), found)
    return o.elementwise("select", is_zero, zero, found)


@converter("rsqrt")
def _rsqrt(site: Site) -> Any:
    o = site.ops
    return o.elementwise("divide", o.floats(1), o.elementwise("sqrt", site.x))


@converter("rint")
def _rint(site: Site) -> Any:
    """Halves go down."""
    o = site.ops
    below = o.elementwise("floor", site.x)
    is_nearer = o.elementwise("greater", o.elementwise("subtract", site.x, below), o.floats(0.5))
    above = o.elementwise("add", below, o.floats(1))
    return o.elementwise("select", is_nearer, above, below)


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


@converter("clip")
def _clip(site: Site) -> Any:
    o, least, most = site.ops, site.a_min, site.a_max
    if least <= most:
        return o.clip(site.x, least, most)
    is_more = o.elementwise("greater", site.x, o.floats(most))
    return o.elementwise("select", is_more, o.floats(most), o.floats(least))


def _where_refusal(site: Site) -> str | None:
    return None if site.shapes[1] == site.shapes[2] else "its shapes differ"


@declared("where _npi_where", _where_refusal)
def _where(site: Site) -> Any:
    o = site.ops
    condition, *choices = site.inputs
    kind = site.out_dtypes[0]
    pairs = zip(choices, site.dtypes[1:], strict=True)
    chosen, other = (x if known is kind else o.cast(x, kind) for x, known in pairs)
    if len(site.shapes[0]) < len(site.out[0]) and site.op.name == "where":  # rows are chosen
        condition = o.reshape(condition, site.shapes[0] + (1,) * (len(site.out[0]) - 1))
    holds = o.elementwise("not_equal", condition, o.floats(0))
    return o.elementwise("select", holds, chosen, other)


@converter("smooth_l1", _whole_numbers)
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
    "relu": "rectifier",  # 0 at NaN, unlike the operator relu
    **{name: name for name in ("sigmoid", "tanh", "softsign")},
    "softrelu": "softplus",
}


@converter("Activation")
def _activation(site: Site) -> Any:
    return site.ops.elementwise(_ACTIVATIONS[site.act_type], site.x)


def _leaky_refusal(site: Site) -> str | None:
    if site.act_type != "prelu":
        return None
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
    mean = (site.lower_bound + site.upper_bound) / 2
    return o.leaky_relu(site.x, float(mean if kind == "rrelu" else site.slope))
