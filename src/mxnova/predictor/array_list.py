# SPDX-License-Identifier: Apache-2.0
"""The arrays of a .params file as a list, as MXNet's predict API has it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

__all__ = ["NDList"]


class NDList(Sequence[tuple[str, np.ndarray[Any, Any]]]):
    """The arrays of a .params file (bytes or path): (name, values), "" where they have no names."""

    def __init__(self, source: str | os.PathLike[str] | bytes) -> None:
        from ..core.nd.files import load, load_frombuffer

        loaded: Any = load_frombuffer(source) if isinstance(source, bytes) else load(source)
        pairs = loaded.items() if isinstance(loaded, dict) else (("", a) for a in loaded)
        self._items = [(n, a.asnumpy()) for n, a in pairs if a is not None]

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __iter__(self) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
        return iter(self._items)
