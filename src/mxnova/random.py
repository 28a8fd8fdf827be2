# SPDX-License-Identifier: Apache-2.0
"""Random numbers."""

from __future__ import annotations

from .core.runtime import resource
from .core.runtime.context import Context, context_of

__all__ = ["seed"]


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Restarts the random stream of `ctx`, or of every context."""
    resource.seed(int(seed_state), None if ctx == "all" else context_of(ctx))
