# SPDX-License-Identifier: Apache-2.0
"""The engine of this process, what a fork makes of it, and its end."""

from __future__ import annotations

import atexit
import logging
import os
import threading
from collections.abc import Iterable

from ...base import env
from ...base.errors import MXNetError, argument_error
from ..threads import limit_process
from .engine import Engine
from .engines import ENGINES
from .operation import RUNNING

__all__ = ["engine", "set_engine_type", "wait_for_all"]

_log = logging.getLogger("mxnova")
_lock = threading.Lock()
_current: Engine | None = None


def engine() -> Engine:
    """The engine that works in this process, made at the first call as MXNET_ENGINE_TYPE says."""
    global _current
    if _current is None:
        with _lock:
            if _current is None:
                _current = ENGINES[env.get("MXNET_ENGINE_TYPE")]()
    return _current


def set_engine_type(name: str) -> str:
    """Waits for everything, then puts an engine of another kind to work.

    Args:
        name: NaiveEngine, ThreadedEngine or ThreadedEnginePerDevice.

    Returns:
        The name of the kind it was.
    """
    global _current
    if name not in ENGINES:
        raise argument_error("set_engine_type", "name", name, f"must be one of {[*ENGINES]}")
    before = engine()
    before.wait_for_all()
    before.stop()
    _current = ENGINES[name]()
    return type(before).__name__


def wait_for_all() -> None:
    """Returns when everything pushed is finished; raises what went wrong, once."""
    if _current is not None:
        _current.wait_for_all()


# Forks and the end --------------------------------------------------------------------------------


def _patience() -> float:
    seconds: float = env.get("MXNOVA_ENGINE_PATIENCE")
    return seconds


_held: list[Engine] = []


def _before_fork() -> None:
    for each in list(Engine.instances):
        each.before_fork(_patience())
        _held.append(each)


def _after_fork_in_parent() -> None:
    while _held:
        _held.pop().after_fork_in_parent()


def _after_fork_in_child() -> None:
    RUNNING.task = None
    while _held:
        _held.pop().after_fork_in_child()
    # OpenMP's threads do not survive a fork, and GNU's waits for them for ever.
    limit_process(1)


def _at_exit() -> None:
    for each in list(Engine.instances):
        unfinished = each.stop(_patience())
        if unfinished:
            _log.error("operations left unfinished at exit: %s", ", ".join(unfinished))
        for error in _of_different_causes(each.take_errors()):
            _log.error("failed, and nobody waited for it: %s", error, exc_info=error)


def _of_different_causes(errors: Iterable[MXNetError]) -> Iterable[MXNetError]:
    """The first of those that come of one exception, such as of all that waited for a worker."""
    return {id(_first_cause(error)): error for error in reversed([*errors])}.values()


def _first_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
atexit.register(_at_exit)
