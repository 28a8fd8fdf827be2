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
    def __init__(self, symbol: Symbol, contexts: Sequence[Context], workload: Sequence[float], data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None, param_names: Sequence[str], for_training: bool, inputs_need_grad: bool, shared_group: DataParallelExecutorGroup | None = None, logger: Any = ..., fixed_param_names: Sequence[str] | None = None, grad_req: Any = 'write', state_names: Sequence[str] | None = None, group2ctxs: Any = None) -> None: ...
    arg_names: Any
    aux_arrays: Any
    aux_names: Any
    def backward(self, out_grads: Any = None) -> None: ...
    batch_size: Any
    def bind_exec(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None, shared_group: DataParallelExecutorGroup | None = None, reshape: bool = False) -> None: ...
    contexts: Any
    data_arrays: Any
    data_layouts: Any
    data_names: Any
    data_shapes: Any
    def decide_slices(self, data_shapes: Sequence[Any]) -> list[int]: ...
    execs: list[Any]
    fixed_param_names: Any
    for_training: Any
    forward: Callable[..., Any]
    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]: ...
    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]: ...
    def get_outputs(self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None) -> list[Any]: ...
    def get_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None: ...
    def get_states(self, merge_multi_context: bool = True) -> list[Any]: ...
    grad_arrays: Any
    grad_req: Any
    group2ctxs: Any
    input_grad_arrays: Any
    inputs_need_grad: Any
    def install_monitor(self, mon: Any) -> None: ...
    label_arrays: Any
    label_layouts: Any
    label_names: Any
    label_shapes: Any
    logger: Any
    num_outputs: Any
    output_layouts: Any
    output_names: Any
    param_arrays: Any
    param_names: Any
    def reshape(self, data_shapes: Sequence[Any], label_shapes: Sequence[Any] | None) -> None: ...
    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray] | None, allow_extra: bool = False) -> None: ...
    def set_states(self, states: Any = None, value: float | None = None) -> None: ...
    shared_data_arrays: list[dict[str, NDArray]]
    slices: list[slice]
    state_arrays: Any
    state_names: Any
    symbol: Any
    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool) -> None: ...
    workload: Any
