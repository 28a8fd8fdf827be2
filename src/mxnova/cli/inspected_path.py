# SPDX-License-Identifier: Apache-2.0
"""Paths of files that are inspected, which may be URLs."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypeAlias

from ..formats.paths import names_in
from ..formats.remote.urls import is_remote
from ..formats.source import path_exists

__all__ = ["InspectedPath", "RemotePath", "inspected"]

_SLASH_LOST = re.compile(r"(?<=[A-Za-z0-9]):/(?=[^/])")


class RemotePath(str):
    """A URL, with those members of `pathlib.Path` that describing files needs."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """What stands behind the last slash."""
        return self.partition("?")[0].rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The ending of the name."""
        return os.path.splitext(self.name)[1]

    def exists(self) -> bool:
        """Whether there is a file."""
        return path_exists(str(self))

    is_file = exists

    def is_dir(self) -> bool:
        """Whether it is a folder with files; HTTP has none."""
        is_http = self.lower().startswith(("http:", "https:"))
        return not is_http and not self.exists() and bool(names_in(str(self)))


InspectedPath: TypeAlias = "Path | RemotePath"


def inspected(path: Path) -> InspectedPath:
    """`path`, or the URL that it was before pathlib took one of its slashes."""
    url = _SLASH_LOST.sub("://", str(path), count=1)
    return RemotePath(url) if is_remote(url) and not path.exists() else path
