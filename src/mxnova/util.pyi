# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


from mxnova.numpy_extension import get_cuda_compute_capability as get_cuda_compute_capability
def get_gpu_count() -> int: ...
def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]: ...
from mxnova.test_utils import getenv as getenv
from mxnova.ndarray.ndarray import is_np_array as is_np_array
from mxnova.symbol.symbol import is_np_shape as is_np_shape
from mxnova.numpy_extension import np_array as np_array
from mxnova.numpy_extension import np_shape as np_shape
def np_ufunc_legal_option(key: str, value: Any) -> bool: ...
from mxnova.numpy_extension import reset_np as reset_np
def set_module(module: str | None) -> Callable[[Any], Any]: ...
from mxnova.numpy_extension import set_np as set_np
def set_np_shape(active: int) -> bool: ...
from mxnova.test_utils import setenv as setenv
def tune_process() -> None: ...
from mxnova.numpy_extension import use_np as use_np
from mxnova.numpy_extension import use_np_array as use_np_array
from mxnova.numpy_extension import use_np_shape as use_np_shape
def wrap_np_binary_func(func: Any) -> Any: ...
def wrap_np_unary_func(func: Any) -> Any: ...
