# SPDX-License-Identifier: Apache-2.0
"""The names that NumPy dropped since MXNet's time (1.16 to 1.23), for programs that use them.

Only names that NumPy lacks are added; what it has under such a name (``np.bool`` and ``np.long``
since 2.0) stays. `fromstring` alone is replaced, where NumPy refuses (since 2.3) what it had taken.
"""

from __future__ import annotations

import builtins
import math
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..core.base.dropped_numpy_names import BUILTINS, EXCEPTIONS, NUMBERS, RENAMED
from .import_hooks import add_missing, when_imported
from .numpy_modules import add_modules

__all__ = ["add_names", "add_when_imported"]

_KINDS = "buifcSUVOMm"  # of types, which scalars have to be beyond to count


def add_names(numpy: ModuleType) -> None:
    """Gives `numpy` the names of the tables that it lacks."""
    lost: dict[str, Any] = {name: getattr(builtins, now) for name, now in BUILTINS.items()}
    lost |= {n: getattr(numpy, now) for n, now in RENAMED.items() if hasattr(numpy, now)}
    exceptions = numpy.exceptions
    lost |= {n: getattr(exceptions, n) for n in EXCEPTIONS if hasattr(exceptions, n)}
    lost |= NUMBERS | {"math": math, "sctypes": _sctypes(numpy)} | _functions(numpy)
    lost["cast"] = _ByType(lambda kind: lambda x: numpy.asarray(x, kind))
    lost["nbytes"] = _ByType(lambda kind: numpy.dtype(kind).itemsize)
    add_missing(numpy, lost)
    _add_binary_mode(numpy)


def _add_binary_mode(numpy: ModuleType) -> None:
    """Lets `fromstring` read bytes, as it did without a separator."""
    text_mode = numpy.fromstring
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text_mode(b"\0", numpy.uint8)
    except ValueError:
        pass
    else:
        return  # it does

    def fromstring(
        string: str | bytes, dtype: Any = float, count: int = -1, *, sep: str = "", **like: Any
    ) -> Any:
        """A new array of the elements in bytes, or of the numbers in a text."""
        if sep != "" or not isinstance(string, (str, bytes)):
            return text_mode(string, dtype, count, sep=sep, **like)
        content = string.encode() if isinstance(string, str) else string
        if not content and count in (-1, 0):
            return numpy.empty(0, dtype)
        return numpy.frombuffer(content, dtype, count, **like).copy()

    numpy.fromstring = fromstring  # type: ignore[attr-defined]


def _functions(numpy: ModuleType) -> dict[str, Callable[..., Any]]:
    """Functions of one line that NumPy had."""

    def alen(a: Any) -> int:
        return len(numpy.atleast_1d(a))

    def asscalar(a: Any) -> Any:
        return a.item()

    def asfarray(a: Any, dtype: Any = numpy.float64) -> Any:
        inexact = numpy.issubdtype(dtype, numpy.inexact)
        return numpy.asarray(a, dtype if inexact else numpy.float64)

    def find_common_type(array_types: Any, scalar_types: Any) -> Any:
        if not array_types or not scalar_types:
            return numpy.result_type(*array_types, *scalar_types)
        arrays, scalars = numpy.result_type(*array_types), numpy.result_type(*scalar_types)
        is_wider = _KINDS.index(scalars.kind) > _KINDS.index(arrays.kind)
        return numpy.result_type(arrays, scalars) if is_wider else arrays

    def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
        return numpy.isin(numpy.ravel(ar1), ar2, assume_unique, invert)

    def issubclass_(arg1: Any, arg2: Any) -> bool:
        return isinstance(arg1, type) and issubclass(arg1, arg2)

    def issubsctype(arg1: Any, arg2: Any) -> bool:
        return bool(numpy.issubdtype(arg1, arg2))

    def msort(a: Any) -> Any:
        return numpy.sort(a, axis=0)

    def obj2sctype(rep: Any) -> Any:
        return numpy.dtype(rep).type

    def sctype2char(sctype: Any) -> str:
        return str(numpy.dtype(sctype).char)

    functions: tuple[Callable[..., Any], ...] = (
        *(alen, asscalar, asfarray, find_common_type, in1d, issubclass_, issubsctype, msort),
        *(obj2sctype, sctype2char),
    )
    return {f.__name__: f for f in functions}


class _ByType:
    """What a function gives for the type that stands in brackets."""

    def __init__(self, of: Callable[[Any], Any]) -> None:
        self._of = of

    def __getitem__(self, kind: Any) -> Any:
        return self._of(kind)


def _sctypes(numpy: ModuleType) -> dict[str, list[type]]:
    """The types of arrays' elements by kind, as `numpy.sctypes` had them."""
    names = {
        "int": ("int8", "int16", "int32", "int64"),
        "uint": ("uint8", "uint16", "uint32", "uint64"),
        "float": ("float16", "float32", "float64", "longdouble"),
        "complex": ("complex64", "complex128", "clongdouble"),
        "others": ("bool_", "object_", "bytes_", "str_", "void"),
    }
    return {kind: [getattr(numpy, name) for name in of_kind] for kind, of_kind in names.items()}


def add_when_imported() -> None:
    """Adds the names now, or as soon as NumPy is imported: a program may set it up before."""
    when_imported("numpy", _adapt)


def _adapt(numpy: ModuleType) -> None:
    if hasattr(numpy, "exceptions"):  # not a file of the program's, of this name
        add_names(numpy)
        add_modules(numpy)
