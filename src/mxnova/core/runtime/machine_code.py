# SPDX-License-Identifier: Apache-2.0
"""Loops over single numbers: as machine code where numba is installed, else as Python.

Importing this module imports numba (0.4 s): modules of such loops are imported when first used.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

numba: Any
try:
    import numba
except ImportError:  # not there, or not for this NumPy
    numba = None

__all__ = ["c_function", "compiled", "inlined", "readable"]

F = TypeVar("F", bound=Callable[..., Any])

_C_TYPES = {"float32": ctypes.c_float, "float64": ctypes.c_double}


def compiled(loop: F, **options: Any) -> F:
    """`loop`, compiled when first called and kept on disk where some folder for that is writable.

    It takes and gives numbers of type int64, float64 and bool, and arrays that are `readable`.
    """
    if numba is None:
        return loop
    options |= {"error_model": "numpy", "nogil": True}
    try:
        return numba.njit(cache=True, **options)(loop)  # type: ignore[no-any-return]
    except RuntimeError:  # neither the folder of the source nor one of the user can be written
        return numba.njit(**options)(loop)  # type: ignore[no-any-return]


def inlined(step: F) -> F:
    """`step`, compiled as a part of each loop that calls it: calls with arrays count references."""
    return compiled(step, inline="always")


def readable(array: np.ndarray[Any, Any]) -> Any:
    """`array`, contiguous and of one axis, as a loop reads and writes it fastest."""
    return array if numba is not None else memoryview(array)  # type: ignore[arg-type]


def c_function(name: str, kind: str, n_arguments: int = 1) -> Any:
    """A function of the C library on numbers of type `kind`, for `compiled` loops."""
    if numba is not None:
        number = getattr(numba.types, kind)
        return numba.types.ExternalFunction(name, number(*[number] * n_arguments))
    function: Any = getattr(ctypes.CDLL("ucrtbase" if os.name == "nt" else None), name)
    function.restype, function.argtypes = _C_TYPES[kind], [_C_TYPES[kind]] * n_arguments
    return function
