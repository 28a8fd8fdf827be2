# SPDX-License-Identifier: Apache-2.0
"""The engine: runs Python functions in the background, ordered by the arrays they read and write.

Example:
    >>> import mxnova as mx
    >>> x, total = mx.nd.ones((2, 3)), mx.nd.zeros((1,))
    >>> def add_up():
    ...     total[:] = x.sum()
    >>> mx.engine.push(add_up, read=[x], write=[total])
    >>> int(total.asscalar())  # waits for it
    6
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from .core.base.doors import facade
from .core.nd.access import var_of
from .core.nd.array import NDArray
from .core.runtime.context import Context, cpu
from .core.runtime.engine import Engine, Task, Var, engine, set_engine_type, wait_for_all
from .core.runtime.profiler import PROFILER, lane_of

__all__ = [
    "Var",
    "bulk",
    "new_variable",
    "push",
    "set_bulk_size",
    "set_engine_type",
    "wait_for_all",
    "wait_for_var",
]


def push(
    fn: Callable[[], Any],
    read: Iterable[NDArray | Var] = (),
    write: Iterable[NDArray | Var] = (),
    ctx: Context | None = None,
    priority: int = 0,
    name: str | None = None,
    asynchronous: bool = True,
) -> None:
    """Runs ``fn()`` when what it reads and writes is ready.

    Calls without a common array, or that only read common ones, run in parallel; all others run in
    the order of their pushes. Pushes form one sequence, the same at every array, so that calls
    cannot deadlock. Reading or writing a written array blocks until `fn` has ended, and raises the
    error of `fn`, if any. Inside `fn`, arrays that are not declared must have nothing pending.

    Args:
        fn: called without arguments.
        read: arrays and vars that it reads.
        write: arrays and vars that it writes, or reads and writes.
        ctx: where it works, which says whose threads run it; default: the CPU.
        priority: of several that are ready, the one with the highest goes first.
        name: what errors call it; default: the name of `fn`.
        asynchronous: False lets it run at once, in this thread, when everything is ready.

    Raises:
        MXNetError: an array or var is both in `read` and in `write`, or is deleted.
    """
    engine().push_sync(
        fn,
        ctx,
        map(_var, read),
        map(_var, write),
        priority=priority,
        name=name,
        profiling=PROFILER.imperative,
        asynchronous=asynchronous,
    )


def new_variable(name: str = "") -> Var:
    """A var, to be read and written in place of an array; `name` is for errors."""
    return engine().new_variable(name)


def wait_for_var(var: NDArray | Var) -> None:
    """Returns when what was pushed to write `var` is done; raises what went wrong, once."""
    engine().wait_for_var(_var(var))


def set_bulk_size(size: int) -> int:
    """Sets how many pushes of this thread are scheduled as one, 0 for each by itself.

    Returns:
        What it was.
    """
    return engine().set_bulk_size(size)


def bulk(size: int) -> AbstractContextManager[None]:
    """A block in which `size` pushes at a time are scheduled as one.

    They begin when the block ends, when `size` of them are there, or when something needs them.
    """
    return engine().bulk(size)


def _profile(task: Task, start: int) -> None:
    context: Any = task.context or cpu()
    PROFILER.add(task.operation.name, start, lane=lane_of(context))


Engine.observers.append(_profile)


def _var(of: NDArray | Var) -> Var:
    return of if isinstance(of, Var) else var_of(of)


facade(__name__)
