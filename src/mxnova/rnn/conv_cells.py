# SPDX-License-Identifier: Apache-2.0
"""Cells whose steps are convolutions of two dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from .. import symbol
from ..core.base.errors import AssertedError
from ..symbol import Symbol
from .base_cell import BaseRNNCell, RNNParams
from .dense_cells import gru_step, lstm_step

_LEAKY = partial(symbol.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(BaseRNNCell):
    """A cell with an input and a recurrent convolution.

    Args:
        input_shape: shape of an input, in the order of `conv_layout`; its batch does not matter.
        num_hidden: channels of the output.
        h2h_kernel: size of the recurrent kernel, odd.
        h2h_dilate: dilation of the recurrent kernel.
        i2h_kernel: size of the input's kernel.
        i2h_stride: stride of the input's convolution.
        i2h_pad: padding of the input.
        i2h_dilate: dilation of the input's kernel.
        i2h_weight_initializer: of the input's kernel.
        h2h_weight_initializer: of the recurrent kernel.
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the recurrent bias.
        activation: name of the activation of contents, or a function of symbols.
        prefix: start of the names of its weights and nodes.
        params: weights to share.
        conv_layout: ``"NCHW"`` or ``"NHWC"``.
    """

    _n_states = 1

    def __init__(
        self,
        input_shape: Any,
        num_hidden: int,
        h2h_kernel: Any,
        h2h_dilate: Any,
        i2h_kernel: Any,
        i2h_stride: Any,
        i2h_pad: Any,
        i2h_dilate: Any,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        activation: Any,
        prefix: str = "",
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if not all(size % 2 for size in h2h_kernel):
            raise AssertedError(
                f"{type(self).__name__}: h2h_kernel={h2h_kernel}: must be odd, so that states "
                "keep their size"
            )
        self._num_hidden = num_hidden
        self._input_shape = input_shape
        self._conv_layout = conv_layout
        self._channel_axis = conv_layout.find("C")
        self._activation = activation
        self._i2h_kernel, self._i2h_stride = tuple(i2h_kernel), tuple(i2h_stride)
        self._i2h_pad, self._i2h_dilate = tuple(i2h_pad), tuple(i2h_dilate)
        self._h2h_kernel, self._h2h_dilate = tuple(h2h_kernel), tuple(h2h_dilate)
        kernels = zip(h2h_kernel, h2h_dilate, strict=True)
        self._h2h_pad = tuple(dilate * (size - 1) // 2 for size, dilate in kernels)
        self._iW = self.params.get("i2h_weight", init=i2h_weight_initializer)
        self._hW = self.params.get("h2h_weight", init=h2h_weight_initializer)
        self._iB = self.params.get("i2h_bias", init=i2h_bias_initializer)
        self._hB = self.params.get("h2h_bias", init=h2h_bias_initializer)
        self._state_shape = self._size_of_states()

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def _size_of_states(self) -> tuple[int, ...]:
        shape = symbol.Convolution(
            symbol.Variable("data"),
            num_filter=self._num_hidden,
            layout=self._conv_layout,
            **self._input_settings(),
        ).infer_shape(data=tuple(self._input_shape))[1][0]
        return (0, *shape[1:])

    def _input_settings(self) -> dict[str, Any]:
        return {
            "kernel": self._i2h_kernel,
            "stride": self._i2h_stride,
            "pad": self._i2h_pad,
            "dilate": self._i2h_dilate,
        }

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        info = {"shape": self._state_shape, "__layout__": self._conv_layout}
        return [dict(info) for _ in range(self._n_states)]

    def _conv_forward(self, inputs: Any, states: Any, name: str) -> tuple[Symbol, Symbol]:
        """The convolutions of the input and of the first state; `name`: start of their names."""
        shared = {
            "num_filter": self._num_hidden * self._num_gates,
            "layout": self._conv_layout,
        }
        i2h = symbol.Convolution(
            inputs, self._iW, self._iB, name=f"{name}i2h", **shared, **self._input_settings()
        )
        h2h = symbol.Convolution(
            states[0],
            self._hW,
            self._hB,
            kernel=self._h2h_kernel,
            stride=(1, 1),
            pad=self._h2h_pad,
            dilate=self._h2h_dilate,
            name=f"{name}h2h",
            **shared,
        )
        return i2h, h2h


def _with_defaults(prefix: str) -> Callable[..., None]:
    """The constructor of a cell whose names begin with `prefix`, with MXNet's defaults."""

    def __init__(  # noqa: N807
        self: BaseConvRNNCell,
        input_shape: Any,
        num_hidden: int,
        h2h_kernel: Any = (3, 3),
        h2h_dilate: Any = (1, 1),
        i2h_kernel: Any = (3, 3),
        i2h_stride: Any = (1, 1),
        i2h_pad: Any = (1, 1),
        i2h_dilate: Any = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = _LEAKY,
        prefix: str = prefix,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        BaseConvRNNCell.__init__(
            self,
            input_shape,
            num_hidden,
            h2h_kernel,
            h2h_dilate,
            i2h_kernel,
            i2h_stride,
            i2h_pad,
            i2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            activation,
            prefix,
            params,
            conv_layout,
        )

    return __init__


class ConvRNNCell(BaseConvRNNCell):
    """A vanilla cell with convolutions."""

    __init__ = _with_defaults("ConvRNN_")

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("",)

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._conv_forward(inputs, states, name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class ConvLSTMCell(BaseConvRNNCell):
    """A long short-term memory cell with convolutions; Shi et al., arXiv:1506.04214."""

    _n_states = 2

    __init__ = _with_defaults("ConvLSTM_")

    @property
    def _gate_names(self) -> Sequence[str]:
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._conv_forward(inputs, states, name)
        gates = symbol.SliceChannel(
            i2h + h2h, num_outputs=4, axis=self._channel_axis, name=f"{name}slice"
        )
        return lstm_step(self, list(gates), states[1], name, self._activation)


class ConvGRUCell(BaseConvRNNCell):
    """A gated recurrent unit with convolutions."""

    __init__ = _with_defaults("ConvGRU_")

    @property
    def _gate_names(self) -> Sequence[str]:
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """One step: output, and the list of new states."""
        name = self._step()
        i2h, h2h = self._conv_forward(inputs, states, name)
        # Axis 1 is the default, which MXNet leaves out of its graphs.
        axis = {} if self._channel_axis == 1 else {"axis": self._channel_axis}
        return gru_step(self, i2h, h2h, states[0], name, self._activation, **axis)
