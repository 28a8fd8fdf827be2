# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon.data import Sampler as Sampler

class IntervalSampler(Sampler):
    def __init__(self, length: int, interval: int, rollover: bool = True) -> None: ...
    def __iter__(self) -> Iterator[int]: ...  # type: ignore[override]
    def __len__(self) -> int: ...
from mxnova.gluon.contrib.data import sampler as sampler
from mxnova.gluon.contrib.data import text as text
