# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray

from mxnova.ndarray.ndarray import array as array
from mxnova.ndarray.ndarray import c_array as c_array
from mxnova.ndarray.ndarray import c_handle_array as c_handle_array
from mxnova.ndarray.ndarray import c_str as c_str
from mxnova.symbol.symbol import c_str_array as c_str_array
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.ndarray.ndarray import empty as empty
def load(fname: str | Any, *, mmap: bool = True) -> dict[str, NDArray] | Any: ...
def load_frombuffer(buf: bytes) -> list[NDArray | None] | dict[str, NDArray | None]: ...
from mxnova.ndarray.ndarray import py_str as py_str
def save(fname: str | Any, data: Any) -> None: ...
from mxnova.ndarray.ndarray import zeros as zeros
