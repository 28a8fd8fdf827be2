# SPDX-License-Identifier: Apache-2.0
"""Handles: numbers that stand for objects across C, whether by ctypes or by the C interface.

A number is given once and never again, so that one that was freed, or that nobody ever gave, stands
for nothing; whoever asks says what kind of object is meant. Handles *lent* to Python are good for
as long as somebody holds the object; handles *given* to C hold it until they are freed.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from .errors import MXNetError

__all__ = ["GIVEN", "end_all", "find", "free", "give", "handle_of", "handle_to_keep", "object_of"]

T = TypeVar("T")

# Far from small integers and from addresses of the heap; divisible by 16, as addresses are.
_next_number = itertools.count(0x4D58_0000_0000, 16).__next__

_all_ended = False
GIVEN: dict[int, Any] = {}  # read where a call of `find` would take too long
_LENT: WeakValueDictionary[int, Any] = WeakValueDictionary()
_NUMBERS: dict[int, int] = {}  # id of an object that a handle was lent of -> the number


def give(obj: Any) -> int:
    """A new handle of `obj`, which lives until `free`."""
    number = _next_number()
    GIVEN[number] = obj
    return number


def find(number: int, kind: type[T]) -> T:
    """Return the object of a handle.

    Raises:
        MXNetError: it stands for nothing that is still there, or for another kind of thing.
    """
    found = GIVEN.get(number)
    if found is None:
        found = _LENT.get(number)
    if isinstance(found, kind):
        return found
    if found is None:
        raise MXNetError(f"{number:#x} is the handle of no {_noun(kind)} that is still there")
    raise MXNetError(f"{number:#x} is a handle of kind {_noun(type(found))}, not {_noun(kind)}")


def _noun(kind: type[Any]) -> str:
    return str(getattr(kind, "noun", kind.__name__))


def free(number: int, kind: type[Any]) -> None:
    """Ends a handle that was given.

    Raises:
        MXNetError: it stands for nothing that is still there, or for another kind of thing.
    """
    if not _all_ended:
        find(number, kind)
        GIVEN.pop(number, None)


def end_all() -> None:
    """Ends all handles, as the process ends: freeing one is no error from then on."""
    global _all_ended
    _all_ended = True
    GIVEN.clear()


def handle_of(obj: Any) -> ctypes.c_void_p:
    """The handle of `obj`, good for as long as somebody else holds it; the same each time."""
    number = _NUMBERS.get(id(obj))
    if number is None or _LENT.get(number) is not obj:
        if len(_NUMBERS) > 2 * len(_LENT) + 1024:
            _forget_the_dead()
        number = _NUMBERS[id(obj)] = _next_number()
        _LENT[number] = obj
    return ctypes.c_void_p(number)


def _forget_the_dead() -> None:
    _NUMBERS.clear()
    _NUMBERS.update((id(obj), number) for number, obj in list(_LENT.items()))


def handle_to_keep(obj: Any) -> ctypes.c_void_p:
    """The handle of `obj`, which lives until `object_of` has given it out."""
    return ctypes.c_void_p(give(obj))


def object_of(handle: ctypes.c_void_p, kind: type[T]) -> T:
    """Return the object of a handle; a handle that owns it is released.

    Raises:
        MXNetError: as `find`.
    """
    found = find(handle.value or 0, kind)
    GIVEN.pop(handle.value or 0, None)
    return found
