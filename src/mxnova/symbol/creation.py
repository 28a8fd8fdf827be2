# SPDX-License-Identifier: Apache-2.0
"""Symbols of constants, and arithmetic on symbols and numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ..base import numeric_types
from ..core.base.doors import door
from ..core.base.errors import ArgumentError, ArgumentTypeError
from ..core.graph.functions import function_of
from ..core.graph.symbol import Symbol
from ..core.op import arithmetic as operators

__all__ = [
    "arange",
    "eye",
    "full",
    "histogram",
    "hypot",
    "linspace",
    "maximum",
    "minimum",
    "ones",
    "pow",
    "power",
    "split_v2",
    "zeros",
]


@door
def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Zeros."""
    return _made("_zeros", shape=shape, dtype=dtype or "float32", **kwargs)


@door
def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Ones."""
    return _made("_ones", shape=shape, dtype=dtype or "float32", **kwargs)


@door
def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Symbol:
    """`val` everywhere."""
    return _made("_full", shape=shape, dtype=dtype or "float32", value=float(val), **kwargs)


@door
def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """Numbers from `start` to before `stop` (or 0 to before `start`), each `repeat` times."""
    return _made(
        "_arange",
        start=start,
        stop=stop,
        step=step,
        repeat=repeat,
        infer_range=infer_range,
        name=name,
        dtype=dtype or "float32",
    )


@door
def eye(
    N: int,  # noqa: N803 - MXNet's names
    M: int = 0,  # noqa: N803
    k: int = 0,
    dtype: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Ones on diagonal `k` of N rows and M columns (0: N), zeros elsewhere."""
    return _made("_eye", N=N, M=M, k=k, dtype=dtype or "float32", **kwargs)


@door
def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """`num` evenly spaced numbers from `start` to `stop`, without the last with `endpoint` off."""
    return _made(
        "_linspace",
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        name=name,
        dtype=dtype or "float32",
    )


@door
def histogram(
    a: Symbol,
    bins: int | Symbol = 10,
    range: tuple[float, float] | None = None,
    **kwargs: Any,
) -> Symbol:
    """Return the number of elements in each bin, and the bin edges.

    Args:
        a: the elements.
        bins: number of bins of equal size, or their edges.
        range: the least and the greatest edge, where `bins` is a number.
        kwargs: name= of the node.
    """
    if isinstance(bins, Symbol):
        return _made("_histogram", data=a, bins=bins, **kwargs)
    if range is None:
        raise ArgumentError("histogram: range=None: with a number of bins it must be given")
    return _made("_histogram", data=a, bin_cnt=bins, range=range, **kwargs)


def _made(op: str, **arguments: Any) -> Symbol:
    result: Symbol = function_of(op)(**arguments)
    return result


def _function(name: str, python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    symbols, scalar, reflected = operators.symbol_names(name)

    def function(left: Any, right: Any) -> Any:
        first, second = isinstance(left, Symbol), isinstance(right, Symbol)
        if first and second:
            return function_of(symbols)(left, right)
        if isinstance(right if first else left, numeric_types):
            if first:
                return function_of(scalar)(left, scalar=right)
            if second:
                return function_of(reflected)(right, scalar=left)
            if isinstance(right, numeric_types):
                return python(left, right)
        kinds = f"{type(left).__name__} and {type(right).__name__}"
        raise ArgumentTypeError(f"{name}: its arguments must be symbols or numbers, not {kinds}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Operator `{symbols}` on two symbols, `{scalar}` on a symbol and a number; "
        "on two numbers, Python's."
    )
    return function


maximum = _function("maximum", max)
minimum = _function("minimum", min)
hypot = _function("hypot", math.hypot)
_power = _function("power", operator.pow)


@door
def power(base: Any, exp: Any) -> Any:
    """`base` to the power of `exp`, symbols or numbers."""
    return _power(base, exp)


pow = power


@door
def split_v2(
    ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Split along `axis` into equal sections, or before each of the given indices."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)
