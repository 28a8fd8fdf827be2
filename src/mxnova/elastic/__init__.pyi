# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.recordio import RecordSampler as RecordSampler

class Training:
    def __init__(self, folder: str | Any, net: Any, trainer: Any, sampler: RecordSampler, *, every: int = 100, keep: int | None = 2) -> None: ...
    def batches(self, epochs: int, loader: Iterable[Any] | None = None) -> Iterator[Any]: ...
    extra: Any
    rank: int
    step: int
    total: int
    world: int
    world_before: int | None
def sampler(length: int, batch_size: int, *, store: Any = None, rescale: str = 'global', shuffle: bool = True, seed: int = 0, uneven: str = 'exact') -> RecordSampler: ...
