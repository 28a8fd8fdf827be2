# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.module import Module as Module

class SVRGModule(Module):
    def __init__(self, symbol: Any, data_names: Sequence[str] = ..., label_names: Sequence[str] | None = ..., logger: Any = ..., context: Any = ..., work_load_list: Sequence[float] | None = None, fixed_param_names: Sequence[str] | None = None, state_names: Sequence[str] | None = None, group2ctxs: Any = None, compression_params: Mapping[str, Any] | None = None, update_freq: int | None = None) -> None: ...
    def backward(self, out_grads: Any = None) -> None: ...
    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True, inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None, grad_req: Any = 'write') -> None: ...  # type: ignore[override]
    forward: Callable[..., Any]
    def init_optimizer(self, kvstore: Any = 'local', optimizer: Any = 'sgd', optimizer_params: Any = ..., force_init: bool = False) -> None: ...
    def init_params(self, initializer: Any = ..., arg_params: Any = None, aux_params: Any = None, allow_missing: bool = False, force_init: bool = False, allow_extra: bool = False) -> None: ...  # type: ignore[override]
    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None: ...
    def update(self) -> None: ...
    update_freq: Any
    def update_full_grads(self, train_data: Any) -> None: ...
