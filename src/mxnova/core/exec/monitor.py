# SPDX-License-Identifier: Apache-2.0
"""What a monitor's callback is given: names and arrays, fit for C's ways and for Python's."""

from __future__ import annotations

from collections.abc import Callable

from ..nd.array import NDArray
from .interpreter import Tell

__all__ = ["MonitorCallback", "told"]

MonitorCallback = Callable[[str, NDArray], None]


class _Name(str):
    """A name that may also be decoded: MXNet gives bytes, so callbacks do that."""

    __slots__ = ()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Itself."""
        return str(self)


def told(callback: MonitorCallback) -> Tell:
    """`callback` as an observer tells it: with the array alone, not the operator."""
    return lambda name, _op, array: callback(_Name(name), array)
