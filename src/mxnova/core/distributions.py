# SPDX-License-Identifier: Apache-2.0
"""Random distributions as functions, written once for arrays and symbols: ``random.normal``.

Numbers as parameters draw from one distribution (operator ``_random_x``), arrays or symbols from
one for each of their elements (``_sample_x``), with numbers beside them the same for all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .base.array_hints import Array
from .base.doors import leave
from .base.errors import ArgumentError, ArgumentTypeError, AssertedTypeError, argument_error
from .base.parameter_types import NOT_GIVEN
from .base.shapes import sizes_of

__all__ = ["DISTRIBUTIONS", "sampler"]

Number = (int, float, np.generic)
_EMPTY: Any = inspect.Parameter.empty


class _Distribution(NamedTuple):
    """A distribution: its parameters with their defaults, and what they are."""

    doc: str
    parameters: Mapping[str, Any]
    meaning: Mapping[str, str]


DISTRIBUTIONS = {
    "uniform": _Distribution(
        "Numbers spread evenly over ``[low, high)``.",
        {"low": 0, "high": 1},
        {"low": "the least of them.", "high": "what all of them are below."},
    ),
    "normal": _Distribution(
        "Normally distributed numbers.",
        {"loc": 0, "scale": 1},
        {"loc": "their mean.", "scale": "their standard deviation."},
    ),
    "poisson": _Distribution(
        "Poisson distributed numbers, as floating point.",
        {"lam": 1},
        {"lam": "their mean."},
    ),
    "exponential": _Distribution(
        "Exponentially distributed numbers.",
        {"scale": 1},
        {"scale": "their mean."},
    ),
    "gamma": _Distribution(
        "Gamma distributed numbers.",
        {"alpha": 1, "beta": 1},
        {"alpha": "the shape of the distribution.", "beta": "its scale."},
    ),
    "negative_binomial": _Distribution(
        "Numbers of failures before the `k`-th success, as floating point.",
        {"k": 1, "p": 1},
        {"k": "the number of successes.", "p": "the probability of a success."},
    ),
    "generalized_negative_binomial": _Distribution(
        "Negative binomially distributed numbers, by mean and dispersion, as floating point.",
        {"mu": 1, "alpha": 1},
        {"mu": "their mean.", "alpha": "their dispersion; 0: a Poisson distribution."},
    ),
    "randint": _Distribution(
        "Integers spread evenly over ``[low, high)``.",
        {"low": _EMPTY, "high": _EMPTY},
        {"low": "the least of them.", "high": "what all of them are below."},
    ),
}
_COMMON = {
    "shape": "size or sizes of the result; with arrays or symbols, of what each element draws.",
    "dtype": "element type of the result.",
}
_EXTRAS = {
    "ctx": "where to draw; default: the current context.",
    "out": "array to write the result into.",
}


def sampler(
    name: str, function_of: Callable[[str], Callable[..., Any]], array: type, *extras: str
) -> Callable[..., Any]:
    """The function that draws from distribution `name`.

    Args:
        name: a key of `DISTRIBUTIONS`.
        function_of: gives the function of an operator.
        array: what stands for an array: NDArray or Symbol.
        extras: arguments after `shape` and `dtype`.
    """
    distribution = DISTRIBUTIONS[name]
    signature = _signature(distribution.parameters, extras)
    names = (*distribution.parameters, *_COMMON, *extras)
    required = {n for n, default in distribution.parameters.items() if default is _EMPTY}

    def draw(*args: Any, **kwargs: Any) -> Array:
        try:
            given = dict(zip(names, args, strict=False))
            given.update(kwargs)
            if len(given) != len(args) + len(kwargs) or not required <= given.keys():
                signature.bind(*args, **kwargs)  # raises
            given = {n: v for n, v in given.items() if v is not NOT_GIVEN}
            values = [given.pop(n, default) for n, default in distribution.parameters.items()]
            values = [v[()] if isinstance(v, np.ndarray) else v for v in values]
            if isinstance(given.get("shape"), np.ndarray):
                given["shape"] = sizes_of(name, given["shape"])
            kind = _kind(name, values, array)
            if kind == "sample":
                given.pop("ctx", None)  # arrays tell where
                values = _spread(values, array)
            elif "out" in extras and given.get("out") is None:
                given.setdefault("shape", 1)
            if "ctx" in extras and given.get("ctx", NOT_GIVEN) is None:
                del given["ctx"]
            function = function_of(f"_{kind}_{name}")
            if name == "exponential":
                return function(_rate(values[0]), **given)
            if kind == "sample":
                return function(*values, **given)
            return function(**dict(zip(distribution.parameters, values, strict=True)), **given)
        except Exception as error:
            leave(error)
            raise

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = _doc(distribution, extras)
    draw.__signature__ = signature  # type: ignore[attr-defined]
    return draw


def _kind(name: str, values: Sequence[Any], array: type) -> str:
    """Whether numbers (random) or arrays (sample) are the parameters `values`."""
    if all(isinstance(v, Number) for v in values):
        return "random"
    kinds = ", ".join(type(v).__name__ for v in values)
    if name == "randint":
        raise AssertedTypeError(f"randint: low and high must be numbers, not {kinds}")
    if not isinstance(values[0], (array, *Number)):
        raise ArgumentError(f"{name}: a {kinds} is neither a number nor a {array.__name__}")
    if not all(isinstance(v, (array, *Number)) for v in values):
        raise ArgumentTypeError(
            f"{name}: its parameters must be numbers or {array.__name__}s, not {kinds}"
        )
    return "sample"


def _spread(values: Sequence[Any], array: type) -> list[Any]:
    """Numbers among arrays as arrays of the first one's shape."""
    first: Any = next(v for v in values if isinstance(v, array))
    return [v if isinstance(v, array) else first.ones_like() * v for v in values]


def _rate(scale: Any) -> Any:
    """The rate of an exponential distribution, whose scale is its mean."""
    if isinstance(scale, Number) and not float(scale) > 0:
        raise argument_error("exponential", "scale", scale, "must be > 0")
    return 1.0 / scale


def _signature(parameters: Mapping[str, Any], extras: Sequence[str]) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = {**parameters, "shape": NOT_GIVEN, "dtype": NOT_GIVEN, **dict.fromkeys(extras)}
    return inspect.Signature(
        [
            *(inspect.Parameter(n, kind, default=d) for n, d in defaults.items()),
            inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
        ]
    )


def _doc(distribution: _Distribution, extras: Sequence[str]) -> str:
    arguments = {**distribution.meaning, **_COMMON, **{n: _EXTRAS[n] for n in extras}}
    lines = (f"    {name}: {text}" for name, text in arguments.items())
    return "\n".join([distribution.doc, "", "Args:", *lines])
