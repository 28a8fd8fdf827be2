# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.ndarray.ndarray import NDArray as NDArray
from mxnova.optimizer import Optimizer as Optimizer

class GroupAdaGrad(Optimizer):
    def __init__(self, eps: float = 1e-05, **kwargs: Any) -> None: ...
    def create_state(self, index: Any, weight: NDArray) -> Any: ...
    float_stable_eps: Any
    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None: ...  # type: ignore[override]
