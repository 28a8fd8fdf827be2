# SPDX-License-Identifier: Apache-2.0
"""What a forked child does first, on systems that fork."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["after_fork_in_child"]


def after_fork_in_child(function: Callable[[], object]) -> None:
    """Has every forked child call `function` before anything else; nothing without forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
