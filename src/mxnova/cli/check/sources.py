# SPDX-License-Identifier: Apache-2.0
"""Scripts: where they are, and what is in one of them. Whatever a file holds, no error leaves."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

from ...core.base.errors import FileError, MissingFileError
from ...formats.source import open_regular
from .finding import Finding
from .visitor import Visitor

__all__ = ["findings_in", "scripts_in"]

_MOST = 8 << 20  # bytes of a script; its tree takes 50 times as much
_LEFT_OUT = ("__pycache__", "build", "dist", "node_modules", "site-packages")
_PYTHON_2 = ("Missing parentheses in call to", "multiple exception types must", "leading zeros in",
             "backtick", "Did you mean print", "exec'")  # fmt: skip
_REMEDY_2 = "this is Python 2: translate it first (pip install modernize; python-modernize -w FILE)"


def scripts_in(path: Path) -> Iterator[Path]:
    """The script at `path`, or those in a folder and below, without environments and hidden ones.

    Raises:
        MissingFileError: there is nothing, or no script in the folder.
    """
    if not path.is_dir():
        if not path.exists():
            raise MissingFileError(2, "there is no such file", str(path))
        yield path
        return
    has_any = False
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if _is_walked(Path(folder, name)))
        for name in sorted(names):
            if name.endswith(".py"):
                has_any = True
                yield Path(folder, name)
    if not has_any:
        raise MissingFileError(2, "there are no .py files in it", str(path))


def _is_walked(folder: Path) -> bool:
    is_named = folder.name in _LEFT_OUT or folder.name.startswith(".")
    return not is_named and not (folder / "pyvenv.cfg").exists()


def findings_in(path: Path) -> list[Finding]:
    """What is found in a script; what is no Python is a finding of kind syntax or file."""
    try:
        with open_regular(path) as file:
            content = file.read(_MOST + 1)
    except FileError as error:
        return [_of_file(error.strerror or str(error))]
    if len(content) > _MOST:
        return [_of_file(f"has more than {_MOST >> 20} MiB, and is not read")]
    if b"\0" in content:
        return [_of_file("holds NUL bytes: this is no text")]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the script's escapes
            tree = ast.parse(content)
        return Visitor().check(tree)
    except SyntaxError as error:
        return [_of_syntax(error)]
    except (RecursionError, MemoryError):
        return [_of_file("is nested too deeply to be read")]
    except ValueError as error:
        return [_of_file(f"cannot be read as Python: {error}")]


def _of_file(text: str) -> Finding:
    return Finding(1, 1, "file", "", text)


def _of_syntax(error: SyntaxError) -> Finding:
    text = str(error.msg)
    if isinstance(error, TabError):
        text = f"{text}: this may be Python 2"
    is_2 = any(words in text for words in _PYTHON_2)
    return Finding(
        error.lineno or 1, max(error.offset or 1, 1), "syntax", "", text, _REMEDY_2 if is_2 else ""
    )
