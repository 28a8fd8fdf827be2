# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as _np


from mxnova.ndarray.ndarray import array as array
from mxnova.ndarray.ndarray import c_array as c_array
from mxnova.ndarray.ndarray import c_handle_array as c_handle_array
from mxnova.ndarray.ndarray import c_str as c_str
from mxnova.symbol.symbol import c_str_array as c_str_array
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.ndarray.ndarray import empty as empty
def load(fname: Any, *, mmap: bool = True) -> list[Any] | dict[str, Any]: ...
def load_frombuffer(buf: bytes) -> list[Any] | dict[str, Any]: ...
from mxnova.ndarray.ndarray import py_str as py_str
def save(fname: Any, data: Any) -> None: ...
from mxnova.ndarray.ndarray import zeros as zeros
