# SPDX-License-Identifier: Apache-2.0
"""Modules whose names are operators: ``mx.nd.relu``, ``mx.sym.contrib.box_nms``."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Any

from .op.operator import REGISTRY

__all__ = ["operator_names", "operators"]


def operators(
    module: str, function_of: Callable[[str], Callable[..., Any]], prefix: str = ""
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module in which `name` is the operator ``prefix + name``."""

    def find(name: str) -> Any:
        if name.startswith("__") or prefix + name not in REGISTRY:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return function_of(prefix + name)

    return find


def operator_names(prefix: str = "") -> list[str]:
    """What ``dir`` shows for such a module."""
    names = (n.removeprefix(prefix) for n in REGISTRY if n.startswith(prefix))
    return sorted(n for n in names if n.isidentifier() and not keyword.iskeyword(n))
