# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.kvstore import KVStoreBase as KVStoreBase

class BytePS(CollectiveStore):
    HINT: Any
    PACKAGE: Any
class CollectiveStore(KVStoreBase):
    HINT: Any
    PACKAGE: Any
    def __init__(self) -> None: ...
    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None: ...
    def is_capable(self, capability: str) -> bool: ...
    @property
    def local_rank(self) -> int: ...
    @property
    def num_workers(self) -> int: ...
    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def type(self) -> str: ...
class Horovod(CollectiveStore):
    HINT: Any
    PACKAGE: Any
