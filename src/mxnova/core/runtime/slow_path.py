# SPDX-License-Identifier: Apache-2.0
"""Why calls on arrays take the slow path, by the dispatcher, instead of running directly.

While `SLOW_PATH` is empty, no engine has anything under way, no profiler runs and no mode is in
force, in any thread: then reading an array is reading its memory, and an operator is its kernel.
One look at a set tells, so that programs that use none of these pay for none.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["SLOW_PATH", "Reason"]


class Reason(Protocol):
    """An engine with work under way, the running profiler, a mode."""

    def leave_if_idle(self) -> None:
        """Leaves `SLOW_PATH` where it need not be in there any more."""


SLOW_PATH: set[Reason] = set()
