# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon.data import DataLoader as DataLoader
from mxnova.io import DataBatch as DataBatch
from mxnova.io import DataIter as DataIter
from mxnova.ndarray.ndarray import NDArray as NDArray

class DataLoaderIter(DataIter):
    def __init__(self, loader: DataLoader, data_name: str = 'data', label_name: str = 'softmax_label', dtype: Any = 'float32') -> None: ...
    batch_size: Any
    dtype: Any
    def getdata(self) -> list[NDArray]: ...  # type: ignore[override]
    def getindex(self) -> Any: ...
    def getlabel(self) -> list[NDArray]: ...  # type: ignore[override]
    def getpad(self) -> int: ...  # type: ignore[override]
    def iter_next(self) -> bool: ...  # type: ignore[override]
    def next(self) -> DataBatch: ...
    provide_data: Any
    provide_label: Any
    def reset(self) -> None: ...
