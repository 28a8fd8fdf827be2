# SPDX-License-Identifier: Apache-2.0
"""Whether other programs keep the machine busy."""

from __future__ import annotations

import os

__all__ = ["is_busy"]


def is_busy() -> bool:
    """Whether others want the processor so much that what is measured now says little of later."""
    if not hasattr(os, "getloadavg"):
        return False
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
