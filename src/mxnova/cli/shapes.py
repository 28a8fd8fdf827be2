# SPDX-License-Identifier: Apache-2.0
"""Shapes and dtypes of inputs as options state them: ``data=N,3,224,224``, ``data:uint8=N,4``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..core.base.dtypes import DTYPES
from ..core.base.errors import ArgumentError, candidates

__all__ = ["InputOptions", "inputs_of", "shapes_of"]


_DTYPES = tuple(dtype.name for dtype in DTYPES)


class InputOptions(NamedTuple):
    """Shapes and dtypes of inputs that ``--shape`` options give.

    Attributes:
        shapes: sizes by name: numbers, or words for sizes that are left open.
        types: names of dtypes by name, for inputs whose options state one.
    """

    shapes: dict[str, tuple[int | str, ...]]
    types: dict[str, str]


def inputs_of(texts: Iterable[str]) -> InputOptions:
    """Parse ``NAME=SIZES`` and ``NAME:DTYPE=SIZES`` texts.

    Raises:
        ArgumentError: a text has another form, or two texts are of the same input.
    """
    found = InputOptions({}, {})
    for text in texts:
        name, dtype, sizes = _parse(text)
        if name in found.shapes:
            raise ArgumentError(f"--shape {text}: {name} is given twice")
        found.shapes[name] = sizes
        if dtype:
            found.types[name] = dtype
    return found


def shapes_of(texts: Iterable[str]) -> dict[str, tuple[int | str, ...]]:
    """Return the shapes of `inputs_of`, for commands that do not use dtypes."""
    return inputs_of(texts).shapes


def _parse(text: str) -> tuple[str, str, tuple[int | str, ...]]:
    name, equals, numbers = text.rpartition("=")
    words = [word.strip() for word in numbers.split(",") if word.strip()]
    # Names of inputs may contain colons: TensorFlow's exporter writes "input:0".
    head, _, dtype = name.rpartition(":")
    if dtype in _DTYPES:
        name = head
    elif head and (hint := candidates(dtype, _DTYPES)):
        raise ArgumentError(f"--shape {text}: no dtype is called {dtype!r}{hint}")
    else:
        dtype = ""
    if not (name and equals and words):
        raise ArgumentError(
            f"--shape {text}: must be NAME=1,3,224,224 or NAME=N,3,224,224, with a dtype "
            "NAME:uint8=N,3,224,224"
        )
    for word in words:
        if not (word.isdigit() and int(word)) and not word.isidentifier():
            raise ArgumentError(f"--shape {text}: {word!r} is neither a size nor a name of one")
    return name, dtype, tuple(int(word) if word.isdigit() else word for word in words)
