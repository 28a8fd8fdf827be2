# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that symbols refuse, since they have no data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..base.errors import NotImplementedForSymbol

__all__ = ["ArrayOnly"]


def _refused(name: str, alias: str | None = None) -> Callable[[Any], NoReturn]:
    def method(self: Any) -> NoReturn:
        raise NotImplementedForSymbol(name, alias)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = "For arrays only: raises NotImplementedForSymbol."
    return method


def _refused_with(name: str, alias: str) -> Callable[[Any, Any], NoReturn]:
    def method(self: Any, other: Any) -> NoReturn:
        raise NotImplementedForSymbol(name, alias, other)

    method.__name__ = method.__qualname__ = name
    return method


class ArrayOnly:
    """Gives a class the methods of arrays that need data, as errors that say so."""

    __slots__ = ()

    __bool__ = _refused("__bool__", "bool")
    __nonzero__ = _refused("__nonzero__", "bool")
    __iadd__ = _refused_with("__iadd__", "+=")
    __isub__ = _refused_with("__isub__", "-=")
    __imul__ = _refused_with("__imul__", "*=")
    __idiv__ = _refused_with("__idiv__", "/=")
    __itruediv__ = _refused_with("__itruediv__", "/=")
    as_in_context = _refused("as_in_context")
    asnumpy = _refused("asnumpy")
    asscalar = _refused("asscalar")
    backward = _refused("backward")
    copy = _refused("copy")
    detach = _refused("detach")
    wait_to_read = _refused("wait_to_read")
