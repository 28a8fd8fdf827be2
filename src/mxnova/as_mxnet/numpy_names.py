# SPDX-License-Identifier: Apache-2.0
"""The names that NumPy dropped since MXNet's time (1.16 to 1.23), for programs that use them.

Only names that NumPy lacks are added; what it has under such a name (``np.bool`` and ``np.long``
since 2.0) stays.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .watch import when_imported

__all__ = ["add_names", "add_when_imported"]

_BUILTINS = {  # name -> what it was another name of
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "int": "int",
    "long": "int",
    "object": "object",
    "str": "str",
    "unicode": "str",
}
_RENAMED = {  # name -> NumPy's name today
    "alltrue": "all",
    "bool8": "bool_",
    "bytes0": "bytes_",
    "cfloat": "complex128",
    "clongfloat": "clongdouble",
    "complex_": "complex128",
    "cumproduct": "cumprod",
    "float_": "float64",
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "int0": "intp",
    "longcomplex": "clongdouble",
    "longfloat": "longdouble",
    "mat": "asmatrix",
    "NaN": "nan",
    "object0": "object_",
    "product": "prod",
    "round_": "round",
    "row_stack": "vstack",
    "singlecomplex": "complex64",
    "sometrue": "any",
    "str0": "str_",
    "string_": "bytes_",
    "trapz": "trapezoid",
    "uint0": "uintp",
    "unicode_": "str_",
    "void0": "void",
}
_NUMBERS = {"NINF": float("-inf"), "NZERO": -0.0, "PINF": float("inf"), "PZERO": 0.0}


def add_names(numpy: ModuleType) -> None:
    """Gives `numpy` the names of the tables that it lacks."""
    lost: dict[str, Any] = {name: getattr(builtins, now) for name, now in _BUILTINS.items()}
    lost |= {n: getattr(numpy, now) for n, now in _RENAMED.items() if hasattr(numpy, now)}
    lost |= _NUMBERS | _functions(numpy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # asking for some of them warns
        for name in [name for name in lost if not hasattr(numpy, name)]:
            setattr(numpy, name, lost[name])


def _functions(numpy: ModuleType) -> dict[str, Callable[..., Any]]:
    """Functions of one line that NumPy had."""

    def asscalar(a: Any) -> Any:
        return a.item()

    def asfarray(a: Any, dtype: Any = numpy.float64) -> Any:
        inexact = numpy.issubdtype(dtype, numpy.inexact)
        return numpy.asarray(a, dtype if inexact else numpy.float64)

    def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
        return numpy.isin(numpy.ravel(ar1), ar2, assume_unique, invert)

    def msort(a: Any) -> Any:
        return numpy.sort(a, axis=0)

    return {f.__name__: f for f in (asscalar, asfarray, in1d, msort)}


def add_when_imported() -> None:
    """Adds the names now, or as soon as NumPy is imported: a program may set it up before."""
    when_imported("numpy", add_names)
