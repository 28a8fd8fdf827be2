# SPDX-License-Identifier: Apache-2.0
"""Arguments of NumPy's ufuncs beside arrays and `out`; accepted if they have no effect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.errors import ArgumentTypeError, shown

__all__ = ["np_ufunc_legal_option", "refuse_changes"]

_UNCHANGED = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_DTYPES = ("int8", "uint8", "int32", "int64", "float16", "float32", "float64")
_LEGAL: dict[str, Callable[[Any], bool]] = {
    "where": lambda _: True,
    "casting": lambda v: v in ("no", "equiv", "safe", "same_kind", "unsafe"),
    "order": lambda v: isinstance(v, str),
    "dtype": lambda v: (
        v in _DTYPES if isinstance(v, str) else any(v is getattr(np, n) for n in _DTYPES)
    ),
    "subok": lambda v: isinstance(v, bool),
}


def np_ufunc_legal_option(key: str, value: Any) -> bool:
    """Whether a function of NumPy may be called with ``key=value``."""
    return key in _LEGAL and _LEGAL[key](value)


def refuse_changes(function: str, kwargs: Mapping[str, Any]) -> None:
    """Check ufunc arguments that NumPy has and mxnova lacks.

    Raises:
        NotImplementedError: one would change something.
        ArgumentTypeError: NumPy does not know it either.
    """
    for name, value in kwargs.items():
        if name in _UNCHANGED and (value is _UNCHANGED[name] or value == _UNCHANGED[name]):
            continue
        if name not in _UNCHANGED:
            raise ArgumentTypeError(f"{function}: there is no argument {name!r}")
        if not np_ufunc_legal_option(name, value):
            raise ArgumentTypeError(f"{function}: {name}={shown(value)}: NumPy takes no such value")
        only = _UNCHANGED[name]
        raise NotImplementedError(f"{function}: {name}={value!r}: only {only!r} is implemented")
