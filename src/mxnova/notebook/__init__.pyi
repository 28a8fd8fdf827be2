# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.checkpoint import BatchEndParam as BatchEndParam

class LivePlot:
    def __init__(self, every: float = 1.0, frequent: int = 10) -> None: ...
    def add(self, step: float | None = None, **values: Any) -> None: ...
    def callback_args(self) -> dict[str, Callable[[BatchEndParam], None]]: ...
    def draw(self) -> None: ...
    every: Any
    def figure(self) -> Any: ...
    frequent: Any
    def save(self, path: str | Any) -> None: ...
    def values(self, name: str) -> tuple[list[float], list[float]]: ...
from mxnova.notebook import callback as callback
