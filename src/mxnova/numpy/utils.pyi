# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")


NAN: float
NINF: float
NZERO: float
NaN: float
PINF: float
PZERO: float
from builtins import bool as bool
bool_: type[Any]
e: float
float16: type[Any]
float32: type[Any]
float64: type[Any]
inf: float
int32: type[Any]
int64: type[Any]
int8: type[Any]
nan: float
newaxis: None
pi: float
uint8: type[Any]
