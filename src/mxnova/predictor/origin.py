# SPDX-License-Identifier: Apache-2.0
"""What a predictor was made of, as pickles keep it.

Files go by their paths and SHA-256: pickles of gigabytes of weights are small, and a process that
finds other files at these paths refuses them. What was given as objects goes by value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core.base.errors import MXNetError
from ..formats.source import sha256_of

if TYPE_CHECKING:
    from .predictor import Predictor

__all__ = ["Origin", "SourceFile"]

Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class SourceFile:
    """A file that a model is read from.

    Args:
        path: of the file, absolute.
        facts: what the system said of it before it was read; None: it was not there.
    """

    path: str
    facts: tuple[int, ...] | None

    @classmethod
    def noted(cls, path: str | os.PathLike[str]) -> SourceFile:
        """The file at `path`, as it is now."""
        absolute = os.path.abspath(os.fsdecode(path))
        return cls(absolute, _facts(absolute))

    @cached_property
    def sha256(self) -> str:
        """Of its content.

        Raises:
            MXNetError: the file is not the one that was read.
        """
        digest = sha256_of(self.path) if self.facts == _facts(self.path) else ""
        if not digest or self.facts != _facts(self.path):
            raise MXNetError(
                f"Predictor: {self.path} has changed since it was read, and a pickle would name "
                "another model: load it again, or give the model as bytes or arrays"
            )
        return digest


def _facts(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@dataclass(frozen=True)
class Origin:
    """How a predictor is made again.

    Args:
        make: makes it, of `shapes` and `arguments`; a function that can be pickled.
        arguments: for it, with absolute paths.
        files: that it reads.
        shapes: of the inputs; None: what the model notes.
    """

    make: Callable[..., Predictor]
    arguments: tuple[Any, ...]
    files: tuple[SourceFile, ...]
    shapes: Shapes | None = None

    @classmethod
    def of(
        cls,
        make: Callable[..., Predictor],
        arguments: Iterable[Any],
        paths: Iterable[str | os.PathLike[str]],
        shapes: Shapes | None = None,
    ) -> Origin:
        """The same, with `paths` that are read next."""
        return cls(make, tuple(arguments), tuple(map(SourceFile.noted, paths)), shapes)

    def at(self, shapes: Shapes) -> Origin:
        """The same model for inputs of other shapes."""
        return replace(self, shapes=shapes)

    def pickled(self) -> tuple[Any, ...]:
        """What `__reduce__` returns.

        Raises:
            MXNetError: a file has changed since it was read.
        """
        hashes = {file.path: file.sha256 for file in self.files}
        return _restored, (self.make, self.shapes, self.arguments, hashes)


def _restored(
    make: Callable[..., Predictor],
    shapes: Shapes | None,
    arguments: tuple[Any, ...],
    hashes: Mapping[str, str],
) -> Predictor:
    """What a pickle holds.

    Raises:
        FileError: a file of the model cannot be read here.
        MXNetError: a file is not the one that it was.
    """
    for path, wanted in hashes.items():
        found = sha256_of(path)
        if found != wanted:
            raise MXNetError(
                f"Predictor: {path} is not the file that was pickled: its SHA-256 is "
                f"{found[:16]}…, expected {wanted[:16]}…"
            )
    return make(shapes, *arguments)
