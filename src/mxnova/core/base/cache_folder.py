# SPDX-License-Identifier: Apache-2.0
"""The folder of files that can be made again."""

from __future__ import annotations

import os
from pathlib import Path

from . import env

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """``MXNOVA_CACHE``, else ``mxnova`` in the user's cache folder; it need not exist."""
    given = env.get("MXNOVA_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "mxnova"
