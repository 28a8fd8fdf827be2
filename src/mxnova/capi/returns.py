# SPDX-License-Identifier: Apache-2.0
"""What is returned to C by pointer: memory of the thread, until it returns the same kind again."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.base.handles import give
from .interface import ffi

__all__ = ["keep", "return_handles", "return_text", "return_texts", "text_memory", "texts_memory"]

_kept = threading.local()


def keep(kind: str, *memory: Any) -> Any:
    """The first of `memory`; all of it stays until the thread keeps something of this kind."""
    _kept.__dict__[kind] = memory
    return memory[0]


def text_memory(text: str) -> Any:
    """C's form of `text`, which ends at its first NUL."""
    return ffi.new("char[]", text.encode(errors="surrogateescape"))


def texts_memory(texts: Iterable[str]) -> tuple[Any, list[Any]]:
    """An array of texts, and what has to stay with it."""
    memory = [text_memory(text) for text in texts]
    return ffi.new("char *[]", memory or 1), memory


def return_text(out: Any, text: str, kind: str = "text") -> None:
    """Gives C a text."""
    out[0] = keep(kind, text_memory(text))


def return_texts(size: Any, out: Any, texts: Sequence[str], kind: str = "texts") -> None:
    """Gives C an array of texts."""
    size[0] = len(texts)
    out[0] = keep(kind, *texts_memory(texts))


def return_handles(size: Any, out: Any, objects: Sequence[Any], kind: str = "handles") -> None:
    """Gives C an array of new handles; None becomes a null pointer."""
    numbers = [0 if obj is None else give(obj) for obj in objects]
    if size is not None:
        size[0] = len(numbers)
    out[0] = keep(kind, ffi.new("uintptr_t[]", numbers or 1))
