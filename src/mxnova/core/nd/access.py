# SPDX-License-Identifier: Apache-2.0
"""Access to arrays that the engine may be working on: whoever touches one waits for it first."""

from __future__ import annotations

from typing import Any

from ..base.errors import MXNetError
from ..runtime.engine import RUNNING, Task, Var, engine
from ..runtime.slow_path import SLOW_PATH
from .chunk import CHECKS_ACCESS

__all__ = ["READ", "WRITE", "settle", "var_of"]

READ, WRITE = False, True


def settle(array: Any, write: bool) -> None:
    """Returns when `array` can be read, or written to; raises what went wrong on the way to it."""
    task = RUNNING.task
    if CHECKS_ACCESS and task is not None:
        _check(task, array, write)
    var = array._chunk._var
    if var is None or not (var.uses or var.failure is not None or var.bulk):
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


class _Checks:
    """The reason to look at every access."""

    def leave_if_idle(self) -> None:
        """Stays."""


if CHECKS_ACCESS:
    SLOW_PATH.add(_Checks())
