# SPDX-License-Identifier: Apache-2.0
"""Operators of NumPy's functions, found by the operator's name."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import numpy as _np
from . import numpy_extension as _npx
from .core.facade import operator_names

__all__: list[str] = []

_PLACES: tuple[tuple[str, ModuleType], ...] = (  # prefix of operators -> module of functions
    ("_np__random_", _np.random),
    ("_np_", _np),
    ("_npx__image_", _npx.image),
    ("_npx_", _npx),
)


def _get_builtin_op(op_name: str) -> Callable[..., Any] | None:
    """The function whose operator is `op_name`; None where there is none."""
    for prefix, module in _PLACES:
        if op_name.startswith(prefix):
            found: Callable[..., Any] | None = getattr(module, op_name.removeprefix(prefix), None)
            return found
    return None


def _names() -> list[str]:
    """Operators that are functions of ``mx.np`` and ``mx.npx``."""
    return [p + n for p in ("_np_", "_npx_") for n in operator_names(p)]
