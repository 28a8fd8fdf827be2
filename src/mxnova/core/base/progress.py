# SPDX-License-Identifier: Apache-2.0
"""Progress bars on a terminal, by rich, which is imported where one is shown."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .console import open_console

__all__ = ["counting", "progress"]


@contextlib.contextmanager
def progress() -> Iterator[Callable[..., Any]]:
    """A function that says what is done next: on a terminal, beside a bar.

    Behind the text it takes how much is done, and of how much; without, the bar tells of work only.
    """
    if not sys.stderr.isatty():
        yield lambda text, done=0, total=None: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    text_column = TextColumn("{task.description}", markup=False)
    columns = text_column, BarColumn(), TimeElapsedColumn()
    terminal = sys.stderr
    bar = Progress(*columns, console=open_console(stderr=True), transient=True)
    with bar, _logs_above(terminal):
        task = bar.add_task("", total=None)
        yield lambda text, done=0, total=None: bar.update(
            task, description=text, completed=done, total=total
        )


@contextlib.contextmanager
def counting(total: int | None, *, is_shown: bool = True) -> Iterator[Callable[[int], Any]]:
    """A function that is told how many more are done: on a terminal, beside a bar.

    Args:
        total: how many there are; None: unknown.
        is_shown: whether there is a bar at all.
    """
    if not (is_shown and sys.stderr.isatty()):
        yield lambda count: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda count: bar.advance(task, count)


@contextlib.contextmanager
def _logs_above(terminal: Any) -> Iterator[None]:
    """Sends what is logged to `terminal` to where rich writes above its bar."""
    handlers = [
        handler
        for logger in (logging.root, *logging.root.manager.loggerDict.values())
        for handler in getattr(logger, "handlers", ())
        if isinstance(handler, logging.StreamHandler) and handler.stream is terminal
    ]
    for handler in handlers:
        handler.setStream(sys.stderr)
    try:
        yield
    finally:
        for handler in handlers:
            handler.setStream(terminal)
