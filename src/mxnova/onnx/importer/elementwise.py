# SPDX-License-Identifier: Apache-2.0
"""ONNX's operators that work element by element."""

from __future__ import annotations

from functools import partial, reduce
from math import inf, sqrt

import numpy as np

from ...core.op.arithmetic import of_arrays, with_number
from ...core.op.traits import Form
from .element_types import element_type
from .reshaping import reshaped
from .site import REQUIRED, RefusalError, Site, translator
from .values import Value, broadcast_shape, has_open

__all__ = ["binary", "broadcast", "cast", "rounded", "truth_of"]

_UNARY = {
    "Abs": "abs", "Acos": "arccos", "Acosh": "arccosh", "Asin": "arcsin", "Asinh": "arcsinh",
    "Atan": "arctan", "Atanh": "arctanh", "Ceil": "ceil", "Cos": "cos", "Cosh": "cosh",
    "Erf": "erf", "Exp": "exp", "Floor": "floor", "Identity": "_copy", "Log": "log",
    "Neg": "negative", "Reciprocal": "reciprocal", "Relu": "relu",
    "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Softsign": "softsign",
    "Sqrt": "sqrt", "Tan": "tan", "Tanh": "tanh",
}  # fmt: skip
_BINARY = {  # what they compute, as `core.op.arithmetic` calls it
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Pow": "power",
    "Max": "maximum", "Min": "minimum", "Equal": "equal", "Greater": "greater",
    "GreaterOrEqual": "greater_equal", "Less": "less", "LessOrEqual": "less_equal",
    "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
}  # fmt: skip
_STRICT = ("Add", "Sub", "Mul", "Div")  # operators of two arrays of one shape
_COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor")
_EXACT = 1 << 53  # integers beyond are none of the numbers that operators have as parameters


@translator(" ".join(_UNARY))
def _unary(site: Site) -> Value:
    return _like(site.op(_UNARY[site.kind], site.x), site.x)


def _like(value: Value, *inputs: Value) -> Value:
    """A result that has no axes where no input has any."""
    return value if any(x.rank for x in inputs) else value.as_scalar()


@translator("Round")
def _round(site: Site) -> Value:
    return _like(rounded(site, site.x), site.x)


def rounded(site: Site, x: Value) -> Value:
    """Rounded to the nearest integer; of two that are as near, MXNet's rint takes the lower."""
    above = site.op("floor", site.op("_plus_scalar", x, scalar=0.5))
    is_tie = site.op("_equal_scalar", site.op("elemwise_sub", above, x), scalar=0.5)
    is_odd = site.op("_mod_scalar", above, scalar=2)
    return site.op("elemwise_sub", above, site.op("elemwise_mul", is_tie, is_odd))


# Two arrays


def binary(site: Site, kind: str, x: Value, y: Value) -> Value:
    """An operator of ONNX's on two arrays that are broadcast to one shape."""
    function = _BINARY[kind]
    if kind in _COMPARISONS:
        x, y = _of_one_type(site, x, y)
    number = _number(y, x)
    if number is not None:
        found = site.op(with_number(function).name, x, scalar=number)
    elif (number := _number(x, y)) is not None:
        found = site.op(with_number(function, reflected=True).name, y, scalar=number)
    else:
        same = x.shape == y.shape and x.array is None and y.array is None
        form = Form.ELEMENTWISE if same and kind in _STRICT else Form.BROADCAST
        found = site.op(of_arrays(function, form).name, x, y)
    return _like(found.as_truth() if kind in _COMPARISONS else found, x, y)


def _number(value: Value, other: Value) -> float | int | None:
    """A constant without axes, as a parameter of an operator on the other array."""
    if value.array is None or value.rank or value.is_truth or other.array is not None:
        return None
    number: float | int = value.array.item()
    if has_open(value.array) or (isinstance(number, int) and abs(number) >= _EXACT):
        return None
    return number


def _of_one_type(site: Site, x: Value, y: Value) -> tuple[Value, Value]:
    """Truth values, that may be numbers of different types, as those of one."""
    if not (x.is_truth and y.is_truth):
        return x, y
    x, y = truth_of(site, x), truth_of(site, y)
    return x, cast(site, y, x.dtype)


@translator("Add Sub Mul Equal Greater GreaterOrEqual Less LessOrEqual And Or Xor")
def _binary(site: Site) -> Value:
    return binary(site, site.kind, site.x, _second(site))


def _second(site: Site) -> Value:
    """The second array, which before version 7 is broadcast from an axis on that is named."""
    x, y = site.x, site.input(1)
    if site.version >= 7 or not site.attribute("broadcast", 0):
        return y
    axis = site.axis(site.attribute("axis", x.rank - y.rank))
    behind = x.rank - axis - y.rank
    return reshaped(site, y, [*y.shape, *[1] * behind]) if behind and y.rank else y


@translator("Div")
def _div(site: Site) -> Value:
    x, y = site.x, _second(site)
    if x.is_float:
        return binary(site, "Div", x, y)
    # ONNX rounds toward zero, which the quotient of real numbers does exactly up to 2**53
    whole = site.op("trunc", binary(site, "Div", _double(site, x), _double(site, y)))
    return _like(cast(site, whole, x.dtype), x, y)


def _double(site: Site, value: Value) -> Value:
    return cast(site, value, np.dtype("float64"))


@translator("Mod")
def _mod(site: Site) -> Value:
    x, y = site.x, site.input(1)
    if not site.attribute("fmod", 0):
        return _like(site.op("broadcast_mod", x, y), x, y)
    size = site.op("broadcast_mod", site.op("abs", x), site.op("abs", y))
    return _like(site.op("broadcast_mul", size, site.op("sign", x)), x, y)


@translator("Pow")
def _pow(site: Site) -> Value:
    x, y = site.x, _second(site)
    if x.dtype == y.dtype:
        return binary(site, "Pow", x, y)
    if y.array is not None and not y.rank:
        return _like(site.op("_power_scalar", x, scalar=y.array.item()), x)
    wider = x.dtype if x.is_float or not y.is_float else y.dtype
    found = binary(site, "Pow", cast(site, x, wider), cast(site, y, wider))
    return cast(site, found, x.dtype)


@translator("Max Min")
def _extremes(site: Site) -> Value:
    return reduce(lambda x, y: binary(site, site.kind, x, y), site.given)


def _total(site: Site) -> Value:
    given = site.given
    if len(given) > 2 and len({value.shape for value in given}) == 1:
        return _like(site.op("add_n", *given), *given)
    return reduce(partial(binary, site, "Add"), given)


@translator("Sum")
def _sum(site: Site) -> Value:
    return _total(site)


@translator("Mean")
def _mean(site: Site) -> Value:
    return _like(site.op("_div_scalar", _total(site), scalar=len(site.inputs)), *site.given)


# Truth values


@translator("Not")
def _not(site: Site) -> Value:
    return _like(site.op("logical_not", truth_of(site, site.x)).as_truth(), site.x)


@translator("IsNaN")
def _is_nan(site: Site) -> Value:
    return _like(site.op("_not_equal", site.x, site.x).as_truth(), site.x)


@translator("IsInf")
def _is_inf(site: Site) -> Value:
    signs = (site.attribute("detect_negative", 1), site.attribute("detect_positive", 1))
    x = site.x if all(signs) else site.op("negative", site.x) if signs[0] else site.x
    x = site.op("abs", x) if all(signs) else x
    return _like(site.op("_equal_scalar", x, scalar=inf if any(signs) else 0.5).as_truth(), site.x)


@translator("Where")
def _where(site: Site) -> Value:
    condition, x, y = truth_of(site, site.x), site.input(1), site.input(2)
    is_truth = x.is_truth
    x, y = _of_one_type(site, x, y)
    shape = broadcast_shape(condition.shape, x.shape, y.shape)
    parts = [broadcast(site, value, shape) for value in (condition, x, y)]
    found = site.op("where", *parts)
    found.is_truth = is_truth
    return _like(found, condition, x, y)


def truth_of(site: Site, value: Value) -> Value:
    """Truth values as numbers, which MXNet's operators want."""
    return cast(site, value, np.dtype("float32")) if value.dtype == np.bool_ else value


def broadcast(site: Site, value: Value, shape: tuple[int, ...]) -> Value:
    """A value repeated along axes, to a shape that may have open sizes."""
    if value.shape == tuple(shape) or not shape:
        return value
    if not has_open(np.array(shape, object)):
        return site.op("broadcast_to", _with_axes(site, value, len(shape)), shape=tuple(shape))
    zeros = site.builder.zeros(shape, value.dtype)
    found = site.op("broadcast_add", zeros, value)
    found.is_truth = value.is_truth
    return found


def _with_axes(site: Site, value: Value, rank: int) -> Value:
    """A value with axes of one item in front."""
    for _ in range(rank - max(value.rank, 1)):
        value = site.op("expand_dims", value, axis=0)
    return value


# Types


def cast(site: Site, value: Value, dtype: np.dtype[np.generic]) -> Value:
    """A value of another type."""
    if value.dtype == dtype:
        return value
    return _like(site.op("Cast", value, dtype=dtype.name), value)


@translator("Cast")
def _cast(site: Site) -> Value:
    site.ignore("saturate", "round_mode")  # of types of 8 bits, which are refused
    to = site.attribute("to", REQUIRED)
    return _cast_to(site, element_type(to))


@translator("CastLike")
def _cast_like(site: Site) -> Value:
    site.ignore("saturate", "round_mode")
    other = site.input(1)
    return _cast_to(site, np.dtype(bool) if other.is_truth else other.dtype)


def _cast_to(site: Site, dtype: np.dtype[np.generic]) -> Value:
    x = site.x
    if dtype != np.bool_:
        found = cast(site, x, dtype)
        found = site.op("_copy", x) if found is x else found
        found.is_truth = False
        return _like(found, x)
    found = site.op("_copy", x) if x.is_truth else site.op("_not_equal_scalar", x, scalar=0)
    return _like(found.as_truth(), x)


# Activations


@translator("LeakyRelu")
def _leaky_relu(site: Site) -> Value:
    return site.op("LeakyReLU", site.x, act_type="leaky", slope=site.attribute("alpha", 0.01))


@translator("Elu")
def _elu(site: Site) -> Value:
    return site.op("LeakyReLU", site.x, act_type="elu", slope=site.attribute("alpha", 1.0))


_SELU = (1.6732632423543772, 1.0507009873554805)


@translator("Selu")
def _selu(site: Site) -> Value:
    alpha, gamma = site.attribute("alpha", _SELU[0]), site.attribute("gamma", _SELU[1])
    if np.allclose((alpha, gamma), _SELU, rtol=1e-6):
        return site.op("LeakyReLU", site.x, act_type="selu")
    found = site.op("LeakyReLU", site.x, act_type="elu", slope=alpha)
    return site.op("_mul_scalar", found, scalar=gamma)


@translator("Celu")
def _celu(site: Site) -> Value:
    alpha = site.attribute("alpha", 1.0)
    found = site.op("_div_scalar", site.x, scalar=alpha)
    found = site.op("LeakyReLU", found, act_type="elu", slope=1.0)
    return site.op("_mul_scalar", found, scalar=alpha)


@translator("PRelu")
def _prelu(site: Site) -> Value:
    x, slope = site.x, site.input(1)
    channels = x.shape[1] if x.rank > 1 else 1
    along = (channels, *[1] * (x.rank - 2))
    if site.version < 7 and slope.shape == (channels,):  # not of the last axis
        slope = reshaped(site, slope, along)
    if slope.array is not None and slope.shape in {(1,) * slope.rank, (1, *along), along}:
        slopes = Value.constant(slope.name, slope.array.reshape(-1))
        return site.op("LeakyReLU", x, slopes, act_type="prelu")
    above = site.op("relu", x)
    below = site.op("_minimum_scalar", x, scalar=0)
    return binary(site, "Add", above, binary(site, "Mul", below, slope))


@translator("HardSigmoid")
def _hard_sigmoid(site: Site) -> Value:
    alpha, beta = site.attribute("alpha", 0.2), site.attribute("beta", 0.5)
    return site.op("hard_sigmoid", site.x, alpha=alpha, beta=beta)


@translator("HardSwish")
def _hard_swish(site: Site) -> Value:
    gate = site.op("hard_sigmoid", site.x, alpha=1 / 6, beta=0.5)
    return site.op("elemwise_mul", site.x, gate)


@translator("Swish")
def _swish(site: Site) -> Value:
    scaled = site.op("_mul_scalar", site.x, scalar=site.attribute("alpha", 1.0))
    return site.op("elemwise_mul", site.x, site.op("sigmoid", scaled))


@translator("Mish")
def _mish(site: Site) -> Value:
    softplus = site.op("Activation", site.x, act_type="softrelu")
    return site.op("elemwise_mul", site.x, site.op("tanh", softplus))


@translator("Softplus")
def _softplus(site: Site) -> Value:
    return site.op("Activation", site.x, act_type="softrelu")


@translator("Gelu")
def _gelu(site: Site) -> Value:
    x = site.x
    if site.only("approximate", "none", "tanh") == "none":
        return site.op("LeakyReLU", x, act_type="gelu")
    cube = site.op("_mul_scalar", site.op("_power_scalar", x, scalar=3), scalar=0.044715)
    inner = site.op("_mul_scalar", site.op("elemwise_add", x, cube), scalar=sqrt(2 / np.pi))
    outer = site.op("_plus_scalar", site.op("tanh", inner), scalar=1)
    return site.op("_mul_scalar", site.op("elemwise_mul", x, outer), scalar=0.5)


@translator("ThresholdedRelu")
def _thresholded_relu(site: Site) -> Value:
    passes = site.op("_greater_scalar", site.x, scalar=site.attribute("alpha", 1.0))
    return site.op("elemwise_mul", site.x, passes)


@translator("Shrink")
def _shrink(site: Site) -> Value:
    x, bias, limit = site.x, site.attribute("bias", 0.0), site.attribute("lambd", 0.5)
    above = site.op("_greater_scalar", x, scalar=limit)
    below = site.op("_lesser_scalar", x, scalar=-limit)
    high = site.op("elemwise_mul", site.op("_minus_scalar", x, scalar=bias), above)
    low = site.op("elemwise_mul", site.op("_plus_scalar", x, scalar=bias), below)
    return site.op("elemwise_add", high, low)


@translator("Clip")
def _clip(site: Site) -> Value:
    x = site.x
    if site.version < 11:
        return _clipped(site, x, site.attribute("min", -inf), site.attribute("max", inf))
    bounds = [site.optional(1), site.optional(2)]
    if all(b is None or (b.array is not None and b.array.size == 1) for b in bounds):
        least, most = site.scalar(1, "min", -inf), site.scalar(2, "max", inf)
        return _clipped(site, x, least, most)
    for kind, bound in zip(("Max", "Min"), bounds, strict=True):
        x = x if bound is None else binary(site, kind, x, bound)
    return x


def _clipped(site: Site, x: Value, least: float, most: float) -> Value:
    if least == -inf and most == inf:
        return site.op("_copy", x)
    if least == -inf:
        return _like(site.op("_minimum_scalar", x, scalar=most), x)
    if least == 0 and most == inf:
        return _like(site.op("relu", x), x)
    if most == inf:
        return _like(site.op("_maximum_scalar", x, scalar=least), x)
    return _like(site.op("clip", x, a_min=least, a_max=most), x)


@translator("Dropout")
def _dropout(site: Site) -> Value | list[Value]:
    site.ignore("seed", "is_test")
    ratio = site.attribute("ratio", 0.5) if site.version < 12 else site.scalar(1, "ratio", 0.5)
    is_always = site.version >= 12 and bool(site.scalar(2, "training_mode", 0))
    found = site.op("Dropout", site.x, p=ratio, mode="always" if is_always else "training")
    if site.n_outputs == 1:
        return found
    return [found, site.op("ones_like", site.x).as_truth()]


@translator("BitwiseAnd BitwiseOr BitwiseXor")
def _bitwise(site: Site) -> Value:
    x, y = site.x, site.input(1)
    return _like(site.op(f"_npi_bitwise_{site.kind[7:].lower()}", x, y), x, y)


@translator("BitwiseNot")
def _bitwise_not(site: Site) -> Value:
    if site.x.dtype.kind == "u":  # ~x is the rest up to the largest number
        return site.op("_rminus_scalar", site.x, scalar=np.iinfo(site.x.dtype).max)
    return site.op("_rminus_scalar", site.x, scalar=-1)


@translator("Constant")
def _constant(site: Site) -> Value:
    kinds = {
        "value": None, "value_float": "float32", "value_floats": "float32", "value_int": "int64",
        "value_ints": "int64",
    }  # fmt: skip
    for name, dtype in kinds.items():
        if site.is_set(name):
            return Value.constant("", np.asarray(site.attribute(name), dtype))
    raise RefusalError("it has no attribute value that is an array of numbers")
