# SPDX-License-Identifier: Apache-2.0
"""Requests that are refused."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.base.errors import bounded
from ..core.base.printable import printable

__all__ = ["Refused", "overloaded"]


class Refused(Exception):  # noqa: N818 - a normal answer
    """A request that gets an error response.

    Args:
        status: of the response.
        text: a sentence about what is wrong.
        headers: of the response.
    """

    def __init__(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.status, self.headers = status, dict(headers or {})
        self.text = printable(bounded(text))


def overloaded(text: str, seconds: float = 1.0) -> Refused:
    """Back-pressure: 503, and in how many seconds the client may come again."""
    return Refused(503, text, {"Retry-After": str(max(1, min(60, round(seconds))))})
