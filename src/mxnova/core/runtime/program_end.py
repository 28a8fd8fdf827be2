# SPDX-License-Identifier: Apache-2.0
"""What is done when the program ends, while threads can still be given work."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 - registers its own end, which ours comes before
import threading
from collections.abc import Callable

__all__ = ["before_pools_end"]


def before_pools_end(function: Callable[[], object]) -> None:
    """Has the end of the program call `function` before pools of threads refuse work.

    Without Python's private way to do so it is not called; threads are waited for all the same.
    """
    register = getattr(threading, "_register_atexit", None)
    if register is not None:
        register(function)
