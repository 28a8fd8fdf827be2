# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import Context as Context

from mxnova.ndarray.ndarray import Context as Context
def cpu(device_id: int = 0) -> Context: ...
def cpu_pinned(device_id: int = 0) -> Context: ...
from mxnova.ndarray.ndarray import current_context as current_context
def gpu(device_id: int = 0) -> Context: ...
def gpu_memory_info(device_id: int = 0) -> tuple[int, int]: ...
def num_gpus() -> int: ...
