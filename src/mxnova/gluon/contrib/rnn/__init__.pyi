# SPDX-License-Identifier: Apache-2.0
# Written by scripts/stubs.
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence
from collections.abc import ValuesView
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as _np

_T = TypeVar("_T")

from mxnova.gluon import Parameter as Parameter
from mxnova.gluon.rnn import HybridRecurrentCell as HybridRecurrentCell
from mxnova.gluon.rnn import ModifierCell as ModifierCell

class Conv1DGRUCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0,), i2h_dilate: Any = (1,), h2h_dilate: Any = (1,), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv1DLSTMCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0,), i2h_dilate: Any = (1,), h2h_dilate: Any = (1,), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv1DRNNCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0,), i2h_dilate: Any = (1,), h2h_dilate: Any = (1,), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv2DGRUCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0), i2h_dilate: Any = (1, 1), h2h_dilate: Any = (1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv2DLSTMCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0), i2h_dilate: Any = (1, 1), h2h_dilate: Any = (1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv2DRNNCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0), i2h_dilate: Any = (1, 1), h2h_dilate: Any = (1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv3DGRUCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0, 0), i2h_dilate: Any = (1, 1, 1), h2h_dilate: Any = (1, 1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCDHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv3DLSTMCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0, 0), i2h_dilate: Any = (1, 1, 1), h2h_dilate: Any = (1, 1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCDHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class Conv3DRNNCell(HybridRecurrentCell):
    def __init__(self, input_shape: Any, hidden_channels: int, i2h_kernel: Any, h2h_kernel: Any, i2h_pad: Any = (0, 0, 0), i2h_dilate: Any = (1, 1, 1), h2h_dilate: Any = (1, 1, 1), i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', conv_layout: str = 'NCDHW', activation: Any = 'tanh', prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class LSTMPCell(HybridRecurrentCell):
    def __init__(self, hidden_size: int, projection_size: int, i2h_weight_initializer: Any = None, h2h_weight_initializer: Any = None, h2r_weight_initializer: Any = None, i2h_bias_initializer: Any = 'zeros', h2h_bias_initializer: Any = 'zeros', input_size: int = 0, prefix: str | None = None, params: Any = None) -> None: ...
    hybrid_forward: Callable[..., Any]
    i2h_weight: Parameter
    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]: ...
class VariationalDropoutCell(ModifierCell):
    def __init__(self, base_cell: Any, drop_inputs: float = 0.0, drop_states: float = 0.0, drop_outputs: float = 0.0) -> None: ...
    drop_inputs: Any
    drop_inputs_mask: Any
    drop_outputs: Any
    drop_outputs_mask: Any
    drop_states: Any
    drop_states_mask: Any
    hybrid_forward: Callable[..., Any]
    def hybridize(self, active: bool = True, *args: Any, **kwargs: Any) -> None: ...  # type: ignore[override]
    def reset(self) -> None: ...
    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = 'NTC', merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, list[Any]]: ...
from mxnova.gluon.contrib.rnn import conv_rnn_cell as conv_rnn_cell
from mxnova.gluon.contrib.rnn import rnn_cell as rnn_cell
