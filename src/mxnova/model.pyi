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

from builtins import object as BASE_ESTIMATOR
from mxnova.checkpoint import BatchEndParam as BatchEndParam
class FeedForward:
    def __init__(self, symbol: Any, ctx: Any = None, num_epoch: int | None = None, epoch_size: int | None = None, optimizer: Any = 'sgd', initializer: Any = ..., numpy_batch_size: int = 128, arg_params: dict[str, NDArray] | None = None, aux_params: dict[str, NDArray] | None = None, allow_extra_params: bool = False, begin_epoch: int = 0, **kwargs: Any) -> None: ...
    allow_extra_params: Any
    arg_params: Any
    argument_checked: Any
    aux_params: Any
    begin_epoch: Any
    @staticmethod
    def create(symbol: Any, X: Any, y: Any = None, ctx: Any = None, num_epoch: int | None = None, epoch_size: int | None = None, optimizer: Any = 'sgd', initializer: Any = ..., eval_data: Any = None, eval_metric: Any = 'acc', epoch_end_callback: Any = None, batch_end_callback: Any = None, kvstore: Any = 'local', logger: Any = None, work_load_list: Sequence[float] | None = None, eval_end_callback: Any = ..., eval_batch_end_callback: Any = None, **kwargs: Any) -> FeedForward: ...
    ctx: list[Context]
    epoch_size: Any
    def fit(self, X: Any, y: Any = None, eval_data: Any = None, eval_metric: Any = 'acc', epoch_end_callback: Any = None, batch_end_callback: Any = None, kvstore: Any = 'local', logger: Any = None, work_load_list: Sequence[float] | None = None, monitor: Any = None, eval_end_callback: Any = ..., eval_batch_end_callback: Any = None) -> None: ...
    initializer: Any
    kwargs: Any
    @staticmethod
    def load(prefix: str, epoch: int, ctx: Any = None, **kwargs: Any) -> FeedForward: ...
    num_epoch: Any
    numpy_batch_size: Any
    optimizer: Any
    def predict(self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True) -> Any: ...
    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None: ...
    def score(self, X: Any, eval_metric: Any = 'acc', num_batch: int | None = None, batch_end_callback: Any = None, reset: bool = True) -> Any: ...
    sym_gen: Any
    symbol: Any
SKLEARN_INSTALLED: bool
from mxnova.checkpoint import load_checkpoint as load_checkpoint
from mxnova.checkpoint import load_params as load_params
from mxnova.checkpoint import save_checkpoint as save_checkpoint
from mxnova.checkpoint import split_params as split_params
__all__ = ['BASE_ESTIMATOR', 'BatchEndParam', 'FeedForward', 'SKLEARN_INSTALLED', 'load_checkpoint', 'load_params', 'save_checkpoint', 'split_params']
