# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import Block as Block
from mxnova.gluon import HybridBlock as HybridBlock
from mxnova.gluon import Parameter as Parameter
from mxnova.gluon.nn import BatchNorm as BatchNorm
from mxnova.gluon.nn import HybridSequential as HybridSequential
from mxnova.gluon.nn import Sequential as Sequential
from mxnova.initializer import Initializer as Initializer

class Concurrent(Sequential):
    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None: ...
    axis: Any
    forward: Callable[..., Any]
class HybridConcurrent(HybridSequential):
    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None: ...
    axis: Any
    hybrid_forward: Callable[..., Any]
class Identity(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
class PixelShuffle1D(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, factor: int) -> None: ...
    hybrid_forward: Callable[..., Any]
class PixelShuffle2D(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, factor: int | Sequence[int]) -> None: ...
    hybrid_forward: Callable[..., Any]
class PixelShuffle3D(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, factor: int | Sequence[int]) -> None: ...
    hybrid_forward: Callable[..., Any]
class SparseEmbedding(Block):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, input_dim: int, output_dim: int, dtype: Any = 'float32', weight_initializer: str | Initializer | None = None, **kwargs: Any) -> None: ...
    forward: Callable[..., Any]
    weight: Parameter
class SyncBatchNorm(BatchNorm):
    def __init__(self, in_channels: int = 0, num_devices: int | None = None, momentum: float = 0.9, epsilon: float = 1e-05, center: bool = True, scale: bool = True, use_global_stats: bool = False, beta_initializer: str | Initializer | None = 'zeros', gamma_initializer: str | Initializer | None = 'ones', running_mean_initializer: str | Initializer | None = 'zeros', running_variance_initializer: str | Initializer | None = 'ones', **kwargs: Any) -> None: ...
    hybrid_forward: Callable[..., Any]
