# SPDX-License-Identifier: Apache-2.0
"""Shapes of inputs as options say them: ``data=N,3,224,224``."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.base.errors import ArgumentError

__all__ = ["shapes_of"]


def shapes_of(texts: Iterable[str]) -> dict[str, tuple[int | str, ...]]:
    """Sizes by name: numbers, or words for those that are left open.

    Raises:
        ArgumentError: a text is no shape, or two are of the same input.
    """
    shapes: dict[str, tuple[int | str, ...]] = {}
    for text in texts:
        name, sizes = _shape_of(text)
        if name in shapes:
            raise ArgumentError(f"--shape {text}: {name} is given twice")
        shapes[name] = sizes
    return shapes


def _shape_of(text: str) -> tuple[str, tuple[int | str, ...]]:
    name, equals, numbers = text.rpartition("=")
    words = [word.strip() for word in numbers.split(",") if word.strip()]
    if not (name and equals and words):
        raise ArgumentError(f"--shape {text}: must be NAME=1,3,224,224 or NAME=N,3,224,224")
    for word in words:
        if not (word.isdigit() and int(word)) and not word.isidentifier():
            raise ArgumentError(f"--shape {text}: {word!r} is neither a size nor a name of one")
    return name, tuple(int(word) if word.isdigit() else word for word in words)
