# SPDX-License-Identifier: Apache-2.0
"""The names that Python's library dropped since MXNet's time, when 3.6 to 3.10 were used.

Only those that this Python lacks are added.
"""

from __future__ import annotations

import collections.abc
import math
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from .import_hooks import add_missing, when_imported

__all__ = ["add_when_imported"]


class ArgSpec(NamedTuple):
    """What `inspect.getargspec` gave."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def _abstract_classes(module: ModuleType) -> dict[str, Any]:
    return {name: getattr(collections.abc, name) for name in collections.abc.__all__}


def _base64(base64: ModuleType) -> dict[str, Any]:
    if not hasattr(base64, "encodebytes"):  # a file of the program's, of this name
        return {}
    return {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}


def _getargspec(inspect: ModuleType) -> dict[str, Any]:
    def getargspec(func: Any) -> ArgSpec:
        full = inspect.getfullargspec(func)
        if full.kwonlyargs:
            raise ValueError(f"{func!r} has keyword-only arguments; use inspect.getfullargspec")
        return ArgSpec(full.args, full.varargs, full.varkw, full.defaults)

    return {"ArgSpec": ArgSpec, "getargspec": getargspec}


_LOST = {  # module -> the names that it had
    "base64": _base64,
    "collections": _abstract_classes,
    "fractions": lambda module: {"gcd": math.gcd},
    "inspect": _getargspec,
    "time": lambda module: {"clock": time.perf_counter},
}


def add_when_imported() -> None:
    """Adds the names now, or as soon as a module is imported."""
    for name in _LOST:
        when_imported(name, _add)


def _add(module: ModuleType) -> None:
    lost: Callable[[ModuleType], Any] = _LOST[module.__name__]
    add_missing(module, lost(module))
