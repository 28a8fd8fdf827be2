# SPDX-License-Identifier: Apache-2.0
"""Which records were found to be broken, by any process that reads the data set."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..core.base.errors import FormatError

__all__ = ["BrokenRecords"]

_log = logging.getLogger("mxnova")


class BrokenRecords:
    """A set of record numbers that workers share with the process that made it.

    It is a file that each process appends numbers to: small appended writes do not mix, whatever
    started the worker and however it ends. Without a limit there is no file.

    Args:
        limit: how many there may be.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._path: str | None = None
        if limit:
            self._make()

    def _make(self) -> None:
        file, self._path = tempfile.mkstemp(prefix="mxnova-broken-")
        os.close(file)
        weakref.finalize(self, _remove, self._path, os.getpid())

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self._path is not None and not os.path.exists(self._path):
            self._make()  # in another place, or when the owner is gone

    def add(self, number: int, error: Exception) -> None:
        """Notes that a record is broken.

        Raises:
            FormatError: there are more than the limit.
        """
        known = self.numbers()
        if number in known:
            return
        if len(known) >= self.limit:
            if not self.limit:
                raise error
            raise FormatError(
                f"more than max_broken={self.limit} broken records: {error}"
            ) from error
        _log.warning("record %d is left out: %s", number, str(error))
        self.merge([number])

    def merge(self, numbers: Iterable[int]) -> None:
        """Adds numbers that are known from before."""
        content = np.array(sorted(set(numbers) - self.numbers()), "<i8").tobytes()
        if content and self._path is not None:
            with open(self._path, "ab", buffering=0) as file:
                file.write(content)

    def numbers(self) -> set[int]:
        """The numbers of all records that any process found broken."""
        if self._path is None:
            return set()
        with open(self._path, "rb") as file:
            content = file.read()
        return set(np.frombuffer(content, "<i8", len(content) // 8).tolist())


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
