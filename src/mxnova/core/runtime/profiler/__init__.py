# SPDX-License-Identifier: Apache-2.0
"""What ran when: spans, counters and marks, as a Chrome trace and as a table of totals.

Whoever has something to record reads a flag of `PROFILER` first, so that recording nothing costs a
few nanoseconds: ``with span("WaitForVar"): ...``, or where a ``with`` is too dear::

    if PROFILER.imperative:
        start = clock()
        ...
        PROFILER.add(name, start, lane=context)
"""

from .backward import backward_name, recorded_backward
from .events import API, MEMORY, OPERATOR
from .recorder import PROFILER, Profiler, api_call, clock, custom_code, lane_of, span

__all__ = [
    "API",
    "MEMORY",
    "OPERATOR",
    "PROFILER",
    "Profiler",
    "api_call",
    "backward_name",
    "clock",
    "custom_code",
    "lane_of",
    "recorded_backward",
    "span",
]
