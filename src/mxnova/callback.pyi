# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.checkpoint import BatchEndParam as BatchEndParam

class LogValidationMetricsCallback:
    def __call__(self, param: BatchEndParam) -> None: ...
class ProgressBar:
    def __call__(self, param: BatchEndParam) -> None: ...
    def __init__(self, total: int, length: int = 80) -> None: ...
    bar_len: Any
    total: Any
class Speedometer:
    def __call__(self, param: BatchEndParam) -> None: ...
    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None: ...
    auto_reset: Any
    batch_size: Any
    frequent: Any
    init: Any
    last_count: Any
    tic: Any
def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]: ...
def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[BatchEndParam], None]: ...
def module_checkpoint(mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False) -> Callable[..., None]: ...
