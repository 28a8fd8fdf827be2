# SPDX-License-Identifier: Apache-2.0
"""The gate: arrays that the engine works on are waited for by whoever touches them.

Until the first operation is queued there is nothing to wait for, and attributes of arrays are plain
slots. Then, once, the guarded slots are replaced by properties that look at the array's var first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..base import env
from ..base.errors import MXNetError
from ..runtime.context import Context
from ..runtime.engine import RUNNING, Task, Var, before_first_queueing, engine
from .chunk import Chunk

__all__ = ["READ", "WRITE", "Slot", "guard", "var_of"]

READ, WRITE = False, True
_CHECKS = env.get("MXNOVA_CHECK_ENGINE_ACCESS")


class Slot(Protocol):
    """What a slot under a second name is to type checkers, which know `__slots__` only."""

    def __get__(self, array: Any, owner: Any = None) -> Any:
        """The value."""

    def __set__(self, array: Any, value: Any) -> None:
        """Another value."""


def guard(owner: type, name: str, get: bool = READ, on_set: bool | None = None) -> None:
    """Makes the slot `name` of `owner` a gate when the time has come.

    Args:
        owner: a class of arrays.
        name: the slot, or another name of it.
        get: what getting the value is: READ or WRITE, for a value that is going to be written to.
        on_set: what setting it is; None: no access, the memory is new.
    """

    def replace() -> None:
        slot = vars(owner)[name]
        put = slot.__set__ if on_set is None else _setter(slot, on_set)
        setattr(owner, name, property(_getter(slot, get), put))

    if _CHECKS:
        replace()
    else:
        before_first_queueing(replace)


def _getter(slot: Any, write: bool) -> Callable[[Any], Any]:
    get = slot.__get__

    def gate(array: Any) -> Any:
        var = array._chunk._var
        if _CHECKS or (var is not None and (var.uses or var.failure is not None or var.bulk)):
            _settle(array, write)
        return get(array)

    return gate


def _setter(slot: Any, write: bool) -> Callable[[Any, Any], None]:
    def gate(array: Any, value: Any) -> None:
        if hasattr(array, "_chunk"):  # else it is being made
            _settle(array, write)
        slot.__set__(array, value)

    return gate


def _settle(array: Any, write: bool) -> None:
    task = RUNNING.task
    if _CHECKS and task is not None:
        _check(task, array, write)
    var = array._chunk._var
    if var is None:
        return
    var.name = var.name or _named(array)
    if write:
        engine().wait_to_write(var)
    else:
        engine().wait_for_var(var)


def var_of(array: Any) -> Var:
    """The var of an array's memory, named after the array."""
    var: Var = array._chunk.var
    var.name = var.name or _named(array)
    return var


def _named(array: Any) -> str:
    return f"{type(array).__name__} {array.shape} @{array.context}"


# Checking what operations touch -------------------------------------------------------------------


def _check(task: Task, array: Any, write: bool) -> None:
    var = array._chunk.var
    if var.maker is not task and not task.operation.declares(var, write):
        verb = "writes" if write else "reads"
        raise MXNetError(f"{task}: it {verb} {_named(array)} and did not declare so")


def _mark_makers() -> None:
    plain = Chunk.__init__

    def marking(self: Chunk, context: Context, foreign: bool = False) -> None:
        plain(self, context, foreign)
        if RUNNING.task is not None:
            self.var.maker = RUNNING.task

    Chunk.__init__ = marking  # type: ignore[method-assign]


if _CHECKS:
    _mark_makers()
