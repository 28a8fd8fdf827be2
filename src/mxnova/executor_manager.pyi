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
from mxnova.symbol.symbol import Symbol as Symbol

class DataParallelExecutorGroup:
    def __init__(self, sym: Symbol, arg_names: Sequence[str], param_names: Sequence[str], ctx: Sequence[Context], slices: Sequence[slice], train_data: Any, shared_group: DataParallelExecutorGroup | None = None) -> None: ...
    aux_arrays: Any
    aux_names: Any
    def backward(self) -> None: ...
    data_arrays: Any
    data_names: Any
    forward: Callable[..., Any]
    grad_arrays: Any
    label_arrays: Any
    label_names: Any
    def load_data_batch(self, data_batch: Any) -> None: ...
    param_arrays: Any
    param_idx: Any
    param_names: Any
    shared_data_arrays: list[dict[str, NDArray]]
    slices: Any
    train_execs: list[Any]
    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None: ...
class DataParallelExecutorManager:
    def __init__(self, symbol: Symbol, ctx: Sequence[Context], train_data: Any, arg_names: Sequence[str], param_names: Sequence[str], aux_names: Sequence[str], work_load_list: Sequence[float] | None = None, logger: Any = None, sym_gen: Callable[[Any], Symbol] | None = None) -> None: ...
    arg_names: Any
    @property
    def aux_arrays(self) -> list[list[NDArray]]: ...
    aux_names: Any
    def backward(self) -> None: ...
    def copy_to(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None: ...
    ctx: Any
    curr_execgrp: Any
    execgrp: Any
    execgrp_bucket: Any
    forward: Callable[..., Any]
    @property
    def grad_arrays(self) -> list[list[NDArray]]: ...
    def install_monitor(self, monitor: Any) -> None: ...
    def load_data_batch(self, data_batch: Any) -> None: ...
    @property
    def param_arrays(self) -> list[list[NDArray]]: ...
    param_names: Any
    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None: ...
    slices: Any
    sym_gen: Any
    symbol: Any
    def update_metric(self, metric: Any, labels: Any, pre_sliced: bool = False) -> None: ...
