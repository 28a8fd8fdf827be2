# SPDX-License-Identifier: Apache-2.0
"""Handles: numbers that stand for objects where programs pass these through ctypes."""

from __future__ import annotations

import ctypes
from typing import Any
from weakref import WeakValueDictionary

from .errors import MXNetError

__all__ = ["handle_of", "handle_to_keep", "object_of"]

_OBJECTS: WeakValueDictionary[int, Any] = WeakValueDictionary()
_KEPT: dict[int, Any] = {}


def handle_of(obj: Any) -> ctypes.c_void_p:
    """The handle of `obj`, good for as long as somebody else holds it."""
    _OBJECTS[id(obj)] = obj
    return ctypes.c_void_p(id(obj))


def handle_to_keep(obj: Any) -> ctypes.c_void_p:
    """The handle of `obj`, which lives until `object_of` has given it out."""
    _KEPT[id(obj)] = obj
    return handle_of(obj)


def object_of(handle: ctypes.c_void_p, kind: type) -> Any:
    """What a handle stands for.

    Raises:
        MXNetError: it stands for nothing that is still there, or for another kind of thing.
    """
    found = None if handle.value is None else _OBJECTS.get(handle.value)
    if not isinstance(found, kind):
        raise MXNetError(f"{handle} is the handle of no {kind.__name__} that is still there")
    return _KEPT.pop(id(found), found)
