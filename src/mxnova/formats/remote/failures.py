# SPDX-License-Identifier: Apache-2.0
"""What stores raise: which of it passes by itself, and the error that tells it."""

from __future__ import annotations

import asyncio
import errno
import random
import sys
import time
from collections.abc import Callable
from typing import TypeVar

from mxnova.core.base.errors import FileError, MXNetError

from .settings import Settings

__all__ = [
    "AnswerError",
    "Attempts",
    "TruncatedError",
    "file_error",
    "retried",
    "status_of",
]

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 10.0  # seconds
_LATER = (408, 425, 429)  # statuses of HTTP that ask to come again
_FINAL: tuple[type[Exception], ...] = (
    FileNotFoundError,
    PermissionError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
)
_FINAL_NUMBERS = (errno.EINVAL, errno.ENOSPC, errno.EFBIG, errno.ELOOP)


class TruncatedError(OSError):
    """Fewer bytes than were asked for: the connection may have broken."""


class AnswerError(OSError):
    """The object is not the one that was opened, or its store does not keep to its own words."""

    def __init__(self, text: str) -> None:
        super().__init__(errno.EINVAL, text)


class Attempts:
    """The attempts to do something at a store, which follow each other after errors that pass.

    Args:
        url: what is asked for.
        settings: how often.
    """

    def __init__(self, url: str, settings: Settings) -> None:
        self._url, self._retries, self._failed = url, settings.retries, 0

    def pause_after(self, error: Exception) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            MXNetError: there is none: `error` does not pass, or it was the last attempt.
        """
        if isinstance(error, MXNetError):
            raise error
        self._failed += 1
        if self._failed > self._retries or not _passes(error):
            raise file_error(error, self._url, self._failed) from None
        longest: float = min(_FIRST_PAUSE * 2 ** (self._failed - 1), _LONGEST_PAUSE)
        return longest * random.uniform(0.5, 1)  # so that many workers do not come together


def retried(act: Callable[[], T], url: str, settings: Settings) -> T:
    """What `act` gives, which is called again after errors that pass.

    Raises:
        FileError: it failed, or failed too often.
    """
    attempts = Attempts(url, settings)
    while True:
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - each store has classes of its own
            pause = attempts.pause_after(error)
        time.sleep(pause)


def _passes(error: Exception) -> bool:
    status = status_of(error)
    if status is not None:
        return status >= 500 or status in _LATER
    if isinstance(error, _FINAL) or getattr(error, "errno", None) in _FINAL_NUMBERS:
        return False
    return isinstance(error, (OSError, asyncio.TimeoutError, *_of_connections()))


def _of_connections() -> tuple[type[Exception], ...]:
    aiohttp = sys.modules.get("aiohttp")
    return (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) if aiohttp else ()


def status_of(error: BaseException) -> int | None:
    """The status of HTTP that an error is about; s3fs keeps it in what it translates."""
    response = getattr(error.__cause__ or error, "response", None)
    found = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    status = found.get("HTTPStatusCode")
    if status is None:  # aiohttp's, gcsfs's
        status = getattr(error, "status" if hasattr(error, "status") else "code", None)
    return status if isinstance(status, int) and 300 <= status < 600 else None


_ERRORS: dict[int, type[OSError]] = {
    401: PermissionError,
    403: PermissionError,
    404: FileNotFoundError,
    410: FileNotFoundError,
}


def file_error(error: Exception, url: str, attempts: int = 1) -> FileError:
    """The error that tells of `url` what a store said; it has no credentials."""
    status = status_of(error)
    kind: type[OSError] | None = _ERRORS.get(status or 0)
    if kind is None:
        kinds = (k for k in _FINAL if issubclass(k, OSError) and isinstance(error, k))
        kind = next(kinds, OSError)
    number = getattr(error, "errno", None)
    if isinstance(error, FileNotFoundError):
        text = "there is no such file"
    elif isinstance(error, (TimeoutError, asyncio.TimeoutError)):
        number, text = errno.ETIMEDOUT, "the store did not answer in time"
    else:
        text = str(getattr(error, "strerror", None) or getattr(error, "message", None) or error)
    if status is not None:
        text = f"HTTP status {status}: {text}"
    if attempts > 1:
        text += f" ({attempts} attempts)"
    of = kind(number if isinstance(number, int) else errno.EIO, text or type(error).__name__)
    return FileError.of(of, url)
