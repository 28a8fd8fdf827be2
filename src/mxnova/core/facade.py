# SPDX-License-Identifier: Apache-2.0
"""Modules whose names are operators: ``mx.nd.relu``, ``mx.sym.contrib.box_nms``."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable
from typing import Any

from .base.doors import door
from .base.mxnet_names import missing_name
from .op.schema import REGISTRY

__all__ = ["internal_names", "operator_names", "operators"]

_PREFIXES = ("_contrib_", "_image_", "_linalg_", "_np_", "_npi_", "_npx_", "_sparse_")


def operators(
    module: str, function_of: Callable[[str, str], Callable[..., Any]], prefix: str = ""
) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module in which `name` is the operator ``prefix + name``.

    ``from module import *`` takes what ``dir`` shows, where the module has no ``__all__``.
    """

    @door
    def find(name: str) -> Any:
        if name == "__all__":
            return dir(sys.modules[module])
        if name.startswith("__") or prefix + name not in REGISTRY:
            raise missing_name(
                module, name, lambda: {*dir(sys.modules[module]), *operator_names(prefix)}
            )
        function = function_of(prefix + name, name)
        setattr(sys.modules[module], name, function)  # the next time Python finds it by itself
        return function

    return find


def operator_names(prefix: str = "") -> list[str]:
    """What ``dir`` shows for such a module; without a prefix: no names that start with ``_``."""
    names = (n.removeprefix(prefix) for n in REGISTRY if n.startswith(prefix))
    usable = (n for n in names if n.isidentifier() and not keyword.iskeyword(n))
    return sorted(usable if prefix else (n for n in usable if not n.startswith("_")))


def internal_names() -> list[str]:
    """The operators whose names start with ``_`` and that no module shows by a shorter name."""
    internal = (n for n in REGISTRY if n.startswith("_") and not n.startswith(_PREFIXES))
    return sorted(n for n in internal if not (n.startswith("_random_") and n.endswith("_like")))
