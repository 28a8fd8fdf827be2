# SPDX-License-Identifier: Apache-2.0
"""What `auto` has found out, in a folder that may be deleted at any time.

Each choice is a small file of its own, named after what it is for. Whatever stands in one is
checked; one that cannot be read or written counts as absent.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....formats.atomic import replacing
from ....formats.source import check_regular
from ...base.cache_folder import cache_folder

__all__ = ["Choices"]

_VERSION = 2  # 1 was measured on ones
_LARGEST = 4096  # bytes; what `keep` writes has a few hundred
_log = logging.getLogger("mxnova")


class Choices:
    """Names of backends by what they are for."""

    def find(self, key: str) -> str:
        """The name that was kept for `key`; empty where there is none."""
        path = self._path(key)
        try:
            check_regular(path.stat().st_mode, path)  # who opens a pipe waits for a writer
            with open(path, "rb") as file:
                text = file.read(_LARGEST + 1)
            found = json.loads(text) if len(text) <= _LARGEST else None
        except (OSError, ValueError, RecursionError):
            return ""
        return _checked(found, key)

    def keep(self, key: str, name: str, seconds: Mapping[str, float]) -> None:
        """Keeps a name, and for readers what was measured; does nothing where that fails."""
        entry = {"version": _VERSION, "key": key, "backend": name, "seconds": dict(seconds)}
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with replacing(path) as file:
                file.write(json.dumps(entry).encode())
        except OSError as reason:
            _log.info("auto: the choice is not kept: %s", reason)

    def _path(self, key: str) -> Path:
        return cache_folder() / "backends" / f"{key}.json"


def _checked(entry: Any, key: str) -> str:
    if not isinstance(entry, dict) or entry.get("version") != _VERSION or entry.get("key") != key:
        return ""
    name = entry.get("backend")
    return name if isinstance(name, str) else ""
