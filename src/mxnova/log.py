# SPDX-License-Identifier: Apache-2.0
"""Loggers with colored levels."""

from __future__ import annotations

import logging
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING

from .core.base.doors import facade
from .core.base.user_warnings import warn_user

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "NOTSET",
    "WARNING",
    "getLogger",
    "get_logger",
]

_COLORS = {DEBUG: 34, INFO: 32, WARNING: 31, ERROR: 31, CRITICAL: 31}  # of ANSI's escape codes
_HEAD = "%(levelname).1s%(asctime)s %(process)d %(pathname)s:%(funcName)s:%(lineno)d]"


class _Formatter(logging.Formatter):
    """``W1231 23:59:59 pid path:function:line] message``, colored up to the bracket.

    Args:
        colored: whether it is.
    """

    def __init__(self, colored: bool = True) -> None:
        plain = f"{_HEAD} %(message)s"
        super().__init__(plain, "%m%d %H:%M:%S")
        self._by_level = {
            level: logging.Formatter(
                f"\x1b[{color}m{_HEAD}\x1b[0m %(message)s" if colored else plain, self.datefmt
            )
            for level, color in _COLORS.items()
        }

    def format(self, record: logging.LogRecord) -> str:
        """The text of a record."""
        formatter = self._by_level.get(record.levelno)
        return formatter.format(record) if formatter else super().format(record)


def getLogger(  # noqa: N802 - MXNet's name
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """`get_logger` under its old name."""
    text = "getLogger is deprecated: call get_logger"
    warn_user(text, DeprecationWarning)
    return get_logger(name, filename, filemode, level)


def get_logger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """A logger that writes to a file, or to the terminal in colors.

    Args:
        name: of the logger; None: the root of all, as it is.
        filename: the file; None: the standard error stream.
        filemode: how it is opened, ``a`` by default.
        level: what is less important than this is left out.
    """
    logger = logging.getLogger(name)
    if name is not None and not getattr(logger, "_init_done", None):
        logger._init_done = True  # type: ignore[attr-defined]  # handlers are added once
        logger.addHandler(_handler(filename, filemode))
        logger.setLevel(level)
    return logger


def _handler(filename: str | None, filemode: str | None) -> logging.Handler:
    if filename:
        return logging.FileHandler(filename, filemode or "a")
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter())
    return handler


facade(__name__)
