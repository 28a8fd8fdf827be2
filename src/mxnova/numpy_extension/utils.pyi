# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.ndarray.ndarray import c_handle_array as c_handle_array
from mxnova.ndarray.ndarray import c_str as c_str
from mxnova.symbol.symbol import c_str_array as c_str_array
from mxnova.ndarray.ndarray import check_call as check_call
from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.symbol.symbol import is_np_shape as is_np_shape
from mxnova.numpy_extension import load as load
from mxnova.ndarray.ndarray import py_str as py_str
from mxnova.numpy_extension import save as save
from mxnova.ndarray.ndarray import waitall as waitall
