# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context
from mxnova.ndarray.ndarray import NDArray as NDArray

from mxnova.gluon.block import HookHandle as HookHandle
def check_sha1(filename: str, sha1_hash: str) -> bool: ...
def clip_global_norm(arrays: Iterable[NDArray], max_norm: float, check_isfinite: bool = True) -> float | NDArray: ...
def download(url: str, path: str | None = None, overwrite: bool = False, sha1_hash: str | None = None, retries: int = 5, verify_ssl: bool = True) -> str: ...
def replace_file(src: str, dst: str) -> None: ...
from mxnova.gluon.parameter import shape_is_known as shape_is_known
def split_and_load(data: Any, ctx_list: Sequence[Context], batch_axis: int = 0, even_split: bool = True) -> list[NDArray]: ...
def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]: ...
