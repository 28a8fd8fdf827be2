# SPDX-License-Identifier: Apache-2.0
"""Model files that contain code: Python files, and archives of torch.export.

Loading such a file runs code of its author. Files that this installation wrote are safe to load,
whatever model they were made from. Their digests are kept in the cache folder: a mark within a file
could be forged.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from ..core.base.cache_folder import cache_folder
from ..core.base.errors import ArgumentError
from ..formats.source import read_file

__all__ = ["code_file", "is_own_code", "read_code", "remember_code"]

_ENDINGS = (".py", ".pt2")
_log = logging.getLogger("mxnova")


def code_file(path: str) -> str | None:
    """Return the file that loading the model at `path` runs code of, or None if there is none."""
    stem, ending = os.path.splitext(path)
    if ending in _ENDINGS:
        return path
    python = f"{stem}.py"
    return python if ending == ".safetensors" and os.path.exists(python) else None


def remember_code(path: str) -> None:
    """Record that this installation wrote the file, if it is one that contains code.

    If the cache folder cannot be written, the file counts as written by somebody else.
    """
    if not path.endswith(_ENDINGS):
        return
    try:
        mark = _mark_of(read_file(path))
        mark.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        mark.touch()
    except (OSError, RuntimeError) as reason:  # RuntimeError: the user has no home folder
        _log.info("%s: verify will ask before it loads this file: %s", path, reason)


def is_own_code(path: str) -> bool:
    """Return True if this installation wrote the file as it is now."""
    return _is_own(read_file(path))


def read_code(path: str, trust: bool) -> bytes:
    """Return the bytes of a file whose code is about to run.

    The caller must run these bytes: the file may be replaced meanwhile, and Python would run
    compiled code beside a source file instead of the source.

    Args:
        path: the file.
        trust: whether the user vouches for it.

    Raises:
        ArgumentError: this installation did not write the file, and nobody vouches for it.
    """
    content = read_file(path)
    if not trust and not _is_own(content):
        raise ArgumentError(
            f"{path}: loading it runs code of its author, and this installation did not write it: "
            "give --trust (trust=True in Python) if you trust the author"
        )
    return content


def _is_own(content: bytes) -> bool:
    try:
        return _mark_of(content).exists()
    except (OSError, RuntimeError):
        return False


def _mark_of(content: bytes) -> Path:
    return cache_folder() / "written" / hashlib.sha256(content).hexdigest()
