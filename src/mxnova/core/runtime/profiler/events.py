# SPDX-License-Identifier: Apache-2.0
"""What the profiler records. Plain tuples: making a NamedTuple costs five times as much."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import torch

__all__ = [
    "API",
    "ASYNC",
    "COUNTER",
    "CUSTOM",
    "FORWARD",
    "MARK",
    "MEMORY",
    "OPERATOR",
    "SPAN",
    "Device",
    "Event",
]

# Phases, as the Chrome trace calls them.
SPAN, ASYNC, COUNTER, MARK = "X", "b", "C", "i"

# Categories that have a meaning of their own.
API, MEMORY, OPERATOR = "MXNET_C_API", "Device Storage", "operator"
CUSTOM = "Custom Operator"

# Where a node of ATen's backward graph says which operator it is of.
FORWARD = "mxnova_operator"

# (phase, lane, category, name, thread, start in ns, payload, arguments). The lane is what
# the trace shows as a process; None: the category. The payload is a duration in ns, a counter's
# value or a mark's scope.
Event: TypeAlias = tuple[str, "str | None", str, str, int, int, Any, "dict[str, Any] | None"]


class Device(Protocol):
    """Where something ran: a Context."""

    device_type: str
    device_id: int

    @property
    def device(self) -> torch.device:
        """As ATen calls it."""
