# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


CRITICAL: int
DEBUG: int
ERROR: int
INFO: int
NOTSET: int
WARNING: int
def getLogger(name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = 30) -> Any: ...
def get_logger(name: str | None = None, filename: str | None = None, filemode: str | None = None, level: int = 30) -> Any: ...
