# SPDX-License-Identifier: Apache-2.0
"""SIGTERM as a request to stop at the end of a step."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Interrupts"]


class Interrupts:
    """Within this context SIGTERM is noted; a second one ends the process, as it would without.

    Outside the main thread signals cannot be caught, and nothing is noted.

    Args:
        is_lost: whether there is nothing to wait for, so that the first one ends the process.

    Attributes:
        asked: whether SIGTERM has come.
    """

    def __init__(self, is_lost: Callable[[], bool]) -> None:
        self.asked = False
        self._is_lost = is_lost
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)

    def _note(self, number: int, _frame: Any) -> None:
        if self.asked or self._is_lost():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self.asked = True
