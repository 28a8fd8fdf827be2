# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

class Monitor:
    def __init__(self, interval: int, stat_func: Callable[[NDArray], Any] | None = None, pattern: str = '.*', sort: bool = False, monitor_all: bool = False) -> None: ...
    activated: Any
    exes: list[Any]
    def install(self, exe: Any) -> None: ...
    interval: Any
    monitor_all: Any
    queue: list[tuple[int, str, Any]]
    re_prog: Any
    sort: Any
    stat_func: Any
    def stat_helper(self, name: str, array: NDArray) -> None: ...
    step: Any
    def tic(self) -> None: ...
    def toc(self) -> list[tuple[int, str, str]]: ...
    def toc_print(self) -> None: ...
