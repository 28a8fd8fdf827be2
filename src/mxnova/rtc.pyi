# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context

class CudaKernel:
    def __init__(self, handle: Any, name: str, is_ndarray: Sequence[bool], dtypes: Sequence[Any]) -> None: ...
    handle: Any
    def launch(self, args: Sequence[Any], ctx: Context, grid_dims: Sequence[int], block_dims: Sequence[int], shared_mem: int = 0) -> None: ...
class CudaModule:
    def __init__(self, source: str, options: str | Sequence[str] = (), exports: str | Sequence[str] = ()) -> None: ...
    def get_kernel(self, name: str, signature: str) -> CudaKernel: ...
    def kernel(self, name: str, parameters: Sequence[Any]) -> Any: ...
