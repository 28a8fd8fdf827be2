# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import HybridBlock as HybridBlock
from mxnova.gluon import Parameter as Parameter
from mxnova.initializer import Initializer as Initializer

class DeformableConvolution(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, channels: int, kernel_size: int | Sequence[int] = (1, 1), strides: int | Sequence[int] = (1, 1), padding: int | Sequence[int] = (0, 0), dilation: int | Sequence[int] = (1, 1), groups: int = 1, num_deformable_group: int = 1, layout: str = 'NCHW', use_bias: bool = True, in_channels: int = 0, activation: str | None = None, weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer | None = 'zeros', offset_weight_initializer: str | Initializer | None = 'zeros', offset_bias_initializer: str | Initializer | None = 'zeros', offset_use_bias: bool = True, op_name: str = 'DeformableConvolution', adj: Any = None, prefix: str | None = None, params: Any = None) -> None: ...
    act: HybridBlock | None
    deformable_conv_bias: Parameter | None
    deformable_conv_weight: Parameter
    hybrid_forward: Callable[..., Any]
class ModulatedDeformableConvolution(HybridBlock):
    def __call__(self, x: _T, *args: Any) -> _T: ...
    def __init__(self, channels: int, kernel_size: int | Sequence[int] = (1, 1), strides: int | Sequence[int] = (1, 1), padding: int | Sequence[int] = (0, 0), dilation: int | Sequence[int] = (1, 1), groups: int = 1, num_deformable_group: int = 1, layout: str = 'NCHW', use_bias: bool = True, in_channels: int = 0, activation: str | None = None, weight_initializer: str | Initializer | None = None, bias_initializer: str | Initializer | None = 'zeros', offset_weight_initializer: str | Initializer | None = 'zeros', offset_bias_initializer: str | Initializer | None = 'zeros', offset_use_bias: bool = True, op_name: str = 'ModulatedDeformableConvolution', adj: Any = None, prefix: str | None = None, params: Any = None) -> None: ...
    act: HybridBlock | None
    deformable_conv_bias: Parameter | None
    deformable_conv_weight: Parameter
    hybrid_forward: Callable[..., Any]
    @property
    def offset_split_index(self) -> int: ...
