# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.kvstore import KVStoreBase as KVStoreBase
from mxnova.ndarray.ndarray import NDArray as NDArray

from mxnova.kvstore import KVStoreBase as KVStoreBase
class TestStore(KVStoreBase):
    def broadcast(self, key: Any, value: NDArray, out: Any, priority: int = 0) -> None: ...  # type: ignore[override]
    @staticmethod
    def is_capable(capability: str) -> bool: ...
    @property
    def num_workers(self) -> int: ...
    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def type(self) -> str: ...
from mxnova.kvstore import create as create
