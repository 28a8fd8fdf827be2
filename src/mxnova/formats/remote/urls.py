# SPDX-License-Identifier: Apache-2.0
"""Which paths are URLs."""

from __future__ import annotations

import os
import re
from typing import TypeAlias, TypeGuard

__all__ = ["is_remote", "local_path"]

_Path: TypeAlias = "str | os.PathLike[str]"
_URL = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+(::[^:]+)*://")  # one letter is a drive


def is_remote(path: object) -> TypeGuard[str]:
    """Whether `path` is the URL of a file that is not on this machine."""
    return isinstance(path, str) and "://" in path and _URL.match(path) is not None


def local_path(path: _Path) -> _Path:
    """`path`, without the scheme of a ``file://`` URL."""
    if not isinstance(path, str) or not path.startswith("file://"):
        return path
    path = path.removeprefix("file://")
    if path.startswith("localhost/"):
        path = path.removeprefix("localhost")
    return path[1:] if re.match(r"/[A-Za-z]:", path) and os.name == "nt" else path
