# SPDX-License-Identifier: Apache-2.0
"""How long this worker takes for its steps, for whoever looks for stragglers.

All workers of a synchronous job have steps of the same length, that of the slowest. So a worker's
own time is told apart: from the answer to its last push to the time when its gradients are there.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable

import numpy as np

__all__ = ["StepTimes"]

_LAST = 10_000  # steps that count
_EVERY = 2.0  # seconds between reports


class StepTimes:
    """Times of the last 10,000 steps; a step begins when the key that came first comes again.

    Args:
        tell: is given a report, as text, every other second.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._told = tell, time.perf_counter()
        self._own: deque[float] = deque(maxlen=_LAST)
        self._steps: deque[float] = deque(maxlen=_LAST)
        self._n = 0
        self._first: object = None
        self._began = self._pushed = 0.0  # this step: its first push, its last one
        self._answered = self._answered_before = 0.0  # the last answer; that of the step before
        self._lock = threading.Lock()

    def push(self, what: object) -> None:
        """Is told that gradients are there, which are pushed now; `what` tells pushes apart."""
        now = time.perf_counter()
        with self._lock:
            if self._first is None:
                self._first = what
            if what == self._first:
                self._finish_step(now)
            self._pushed = now
        if now - self._told > _EVERY:
            self._told = now
            self.report()

    def answer(self) -> None:
        """Is told that all owners have answered a push."""
        self._answered = time.perf_counter()

    def _finish_step(self, now: float) -> None:
        if self._answered_before:
            step = now - self._began
            self._own.append(min(max(self._pushed - self._answered_before, 0.0), step))
            self._steps.append(step)
            self._n += 1
        self._began, self._answered_before = now, self._answered

    def report(self) -> None:
        """Tells what is known; nothing before the third step."""
        with self._lock:
            if not self._steps:
                return
            found: dict[str, float] = {"steps": self._n}
            for name, times in (("own", self._own), ("step", self._steps)):
                median, p95 = np.quantile(np.array(times), (0.5, 0.95)).tolist()
                found |= {f"{name}_median": median, f"{name}_p95": p95}
        self._tell(json.dumps(found))
