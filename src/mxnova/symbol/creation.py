# SPDX-License-Identifier: Apache-2.0
"""Symbols of constants, and arithmetic on symbols and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.base.errors import ArgumentTypeError
from ..core.graph.functions import function_of
from ..core.graph.symbol import Symbol

__all__ = [
    "arange",
    "eye",
    "full",
    "hypot",
    "maximum",
    "minimum",
    "ones",
    "pow",
    "power",
    "split_v2",
    "zeros",
]


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Zeros."""
    return _made("_zeros", shape=shape, dtype=dtype or "float32", **kwargs)


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Ones."""
    return _made("_ones", shape=shape, dtype=dtype or "float32", **kwargs)


def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Symbol:
    """`val` everywhere."""
    return _made("_full", shape=shape, dtype=dtype or "float32", value=float(val), **kwargs)


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


def eye(
    N: int,  # noqa: N803 - MXNet's names
    M: int = 0,  # noqa: N803
    k: int = 0,
    dtype: Any = None,
    **kwargs: Any,
) -> Symbol:
    """Ones on diagonal `k` of N rows and M columns (0: N), zeros elsewhere."""
    return _made("_eye", N=N, M=M, k=k, dtype=dtype or "float32", **kwargs)


def _made(op: str, **attrs: Any) -> Symbol:
    result: Symbol = function_of(op)(**attrs)
    return result


def _function(name: str, symbols: str, scalar: str, reflected: str) -> Callable[[Any, Any], Symbol]:
    def function(left: Any, right: Any) -> Symbol:
        if isinstance(left, Symbol) and isinstance(right, Symbol):
            return function_of(symbols)(left, right)
        if isinstance(left, Symbol):
            return function_of(scalar)(left, scalar=right)
        if isinstance(right, Symbol):
            return function_of(reflected)(right, scalar=left)
        raise ArgumentTypeError(f"{name}: one argument must be a Symbol")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Operator `{symbols}` on symbols, `{scalar}` on a symbol and a number."
    return function


maximum = _function("maximum", "_Maximum", "_MaximumScalar", "_MaximumScalar")
minimum = _function("minimum", "_Minimum", "_MinimumScalar", "_MinimumScalar")
power = _function("power", "_Power", "_PowerScalar", "_RPowerScalar")
pow = power
hypot = _function("hypot", "_Hypot", "_HypotScalar", "_HypotScalar")


def split_v2(
    ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False
) -> Any:
    """Parts along `axis`: so many of equal size, or cut before each of the given indices."""
    return ary.split_v2(indices_or_sections, axis, squeeze_axis)
