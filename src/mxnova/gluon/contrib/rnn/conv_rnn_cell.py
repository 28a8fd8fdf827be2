# SPDX-License-Identifier: Apache-2.0
"""Cells whose steps are convolutions, of one, two or three dimensions of space."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ....core.base.errors import ArgumentError, AssertedError, shown
from ...parameter import Parameter
from ...rnn.recurrent_cell import HybridRecurrentCell, declare

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]


class _BaseConvRNNCell(HybridRecurrentCell):
    """A cell with an input and a recurrent convolution; states keep their size in space.

    Args:
        input_shape: channels and size in space of an input, in the order of `conv_layout`.
        hidden_channels: channels of the output.
        i2h_kernel: size of the input's kernel.
        h2h_kernel: size of the recurrent kernel, odd.
        i2h_pad: padding of the input.
        i2h_dilate: dilation of the input's kernel.
        h2h_dilate: dilation of the recurrent kernel.
        i2h_weight_initializer: of the input's kernel.
        h2h_weight_initializer: of the recurrent kernel.
        i2h_bias_initializer: of the input's bias.
        h2h_bias_initializer: of the recurrent bias.
        dims: dimensions of space.
        conv_layout: letters of the axes of an input, such as ``"NCHW"``, ``"NHWC"``.
        activation: name of the activation of contents, or a block.
        prefix: start of the names of its parameters and nodes.
        params: parameters to share.
    """

    _gate_names: Sequence[str]
    _n_states = 1

    i2h_weight: Parameter

    def __init__(
        self,
        input_shape: Any,
        hidden_channels: int,
        i2h_kernel: Any,
        h2h_kernel: Any,
        i2h_pad: Any,
        i2h_dilate: Any,
        h2h_dilate: Any,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        dims: int,
        conv_layout: str,
        activation: Any,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_channels = hidden_channels
        self._input_shape = tuple(input_shape)
        self._conv_layout = conv_layout
        self._activation = activation
        self._check_layout(dims)
        self._channel_axis = conv_layout.find("C")
        self._i2h_kernel = self._per_axis("i2h_kernel", i2h_kernel, dims)
        self._h2h_kernel = self._per_axis("h2h_kernel", h2h_kernel, dims)
        self._i2h_pad = self._per_axis("i2h_pad", i2h_pad, dims)
        self._i2h_dilate = self._per_axis("i2h_dilate", i2h_dilate, dims)
        self._h2h_dilate = self._per_axis("h2h_dilate", h2h_dilate, dims)
        self._stride = (1,) * dims
        if not all(k % 2 for k in self._h2h_kernel):
            raise AssertedError(
                f"{type(self).__name__}: h2h_kernel={h2h_kernel}: must be odd, so that states "
                "keep their size"
            )
        kernels = zip(self._h2h_kernel, self._h2h_dilate, strict=True)
        self._h2h_pad = tuple(dilate * (kernel - 1) // 2 for kernel, dilate in kernels)
        self._in_channels = self._input_shape[self._channel_axis - 1]
        self._state_shape = self._with_channels(hidden_channels, self._size_in_space())
        rows = self._num_gates * hidden_channels
        declare(
            self,
            {
                "i2h_weight": (
                    (rows, *self._with_channels(self._in_channels, self._i2h_kernel)),
                    i2h_weight_initializer,
                ),
                "h2h_weight": (
                    (rows, *self._with_channels(hidden_channels, self._h2h_kernel)),
                    h2h_weight_initializer,
                ),
                "i2h_bias": ((rows,), i2h_bias_initializer),
                "h2h_bias": ((rows,), h2h_bias_initializer),
            },
        )

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def _check_layout(self, dims: int) -> None:
        layout, shape = self._conv_layout, self._input_shape
        if len(layout) != dims + 2 or len(shape) != dims + 1:
            raise ArgumentError(
                f"{type(self).__name__}: conv_layout={shown(layout)}, input_shape={shown(shape)}: "
                f"{dims + 2} axes, and {dims + 1} without the batch's, are expected"
            )

    def _per_axis(self, name: str, value: Any, dims: int) -> tuple[int, ...]:
        if isinstance(value, int):
            return (value,) * dims
        if not isinstance(value, (list, tuple)) or len(value) != dims:
            raise AssertedError(
                f"{type(self).__name__}: {name}={shown(value)}: an integer or {dims} are expected"
            )
        return tuple(value)

    def _with_channels(self, channels: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Channels and `sizes` in the order of the layout, without the batch."""
        axis = self._channel_axis - 1
        return (*sizes[:axis], channels, *sizes[axis:])

    def _size_in_space(self) -> tuple[int, ...]:
        axis = self._channel_axis - 1
        sizes = (*self._input_shape[:axis], *self._input_shape[axis + 1 :])
        settings = zip(sizes, self._i2h_kernel, self._i2h_pad, self._i2h_dilate, strict=True)
        return tuple(
            size + 2 * pad - dilate * (kernel - 1) if size else 0
            for size, kernel, pad, dilate in settings
        )

    def _description(self) -> str:
        rows = self.i2h_weight._sizes[0]
        columns = self.i2h_weight._sizes[self._channel_axis] or None
        return f"{columns} -> {rows}, {self._activation}, {self._conv_layout}"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Shape and layout of each state."""
        info = {"shape": (batch_size, *self._state_shape), "__layout__": self._conv_layout}
        return [dict(info) for _ in range(self._n_states)]

    def _conv_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
        prefix: str,
    ) -> tuple[Any, Any]:
        """The convolutions of input and of the first state; `prefix`: start of their names."""

        def convolved(data: Any, weight: Any, bias: Any, kind: str, **settings: Any) -> Any:
            return F.Convolution(
                data,
                weight,
                bias,
                stride=self._stride,
                num_filter=self._num_gates * self._hidden_channels,
                layout=self._conv_layout,
                name=prefix + kind,
                **settings,
            )

        i2h = {"kernel": self._i2h_kernel, "pad": self._i2h_pad, "dilate": self._i2h_dilate}
        h2h = {"kernel": self._h2h_kernel, "pad": self._h2h_pad, "dilate": self._h2h_dilate}
        return (
            convolved(inputs, i2h_weight, i2h_bias, "i2h", **i2h),
            convolved(states[0], h2h_weight, h2h_bias, "h2h", **h2h),
        )


class _ConvRNNCell(_BaseConvRNNCell):
    """Output and state: activation(W*input + b + U*state + c)."""

    _gate_names = ("",)

    def _alias(self) -> str:
        return "conv_rnn"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start = f"t{self._counter}_"
        i2h, h2h = self._conv_forward(
            F, inputs, states, i2h_weight, h2h_weight, i2h_bias, h2h_bias, start
        )
        output = self._get_activation(F, i2h + h2h, self._activation, name=start + "out")
        return output, [output]


class _ConvLSTMCell(_BaseConvRNNCell):
    """Long short-term memory; Shi et al., arXiv:1506.04214, without peepholes."""

    _gate_names: Sequence[str] = ["_i", "_f", "_c", "_o"]
    _n_states = 2

    def _alias(self) -> str:
        return "conv_lstm"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start = f"t{self._counter}_"
        i2h, h2h = self._conv_forward(
            F, inputs, states, i2h_weight, h2h_weight, i2h_bias, h2h_bias, start
        )
        read, keep, new, write = F.SliceChannel(
            i2h + h2h, num_outputs=4, axis=self._channel_axis, name=start + "slice"
        )
        read = F.Activation(read, act_type="sigmoid", name=start + "i")
        keep = F.Activation(keep, act_type="sigmoid", name=start + "f")
        new = self._get_activation(F, new, self._activation, name=start + "c")
        write = F.Activation(write, act_type="sigmoid", name=start + "o")
        memory = F.elemwise_add(keep * states[1], read * new, name=start + "state")
        shown_memory = self._get_activation(F, memory, self._activation)
        output = F.elemwise_mul(write, shown_memory, name=start + "out")
        return output, [output, memory]


class _ConvGRUCell(_BaseConvRNNCell):
    """Gated recurrent units; Cho et al., arXiv:1406.1078, with convolutions."""

    _gate_names: Sequence[str] = ["_r", "_z", "_o"]

    def _alias(self) -> str:
        return "conv_gru"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> tuple[Any, list[Any]]:
        start = f"t{self._counter}_"
        i2h, h2h = self._conv_forward(
            F, inputs, states, i2h_weight, h2h_weight, i2h_bias, h2h_bias, start
        )
        axis = self._channel_axis
        i2h_r, i2h_z, i2h = F.SliceChannel(i2h, num_outputs=3, axis=axis, name=start + "i2h_slice")
        h2h_r, h2h_z, h2h = F.SliceChannel(h2h, num_outputs=3, axis=axis, name=start + "h2h_slice")
        reset = F.Activation(i2h_r + h2h_r, act_type="sigmoid", name=start + "r_act")
        update = F.Activation(i2h_z + h2h_z, act_type="sigmoid", name=start + "z_act")
        new = self._get_activation(F, i2h + reset * h2h, self._activation, name=start + "h_act")
        output = F.elemwise_add((1.0 - update) * new, update * states[0], name=start + "out")
        return output, [output]


_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def _of_dimension(kind: type[_BaseConvRNNCell], dims: int) -> Any:
    """The class of cells of a kind, in `dims` dimensions of space."""
    zeros, ones = (0,) * dims, (1,) * dims

    class Cell(kind):  # type: ignore[valid-type, misc]
        def __init__(
            self,
            input_shape: Any,
            hidden_channels: int,
            i2h_kernel: Any,
            h2h_kernel: Any,
            i2h_pad: Any = zeros,
            i2h_dilate: Any = ones,
            h2h_dilate: Any = ones,
            i2h_weight_initializer: Any = None,
            h2h_weight_initializer: Any = None,
            i2h_bias_initializer: Any = "zeros",
            h2h_bias_initializer: Any = "zeros",
            conv_layout: str = _LAYOUTS[dims],
            activation: Any = "tanh",
            prefix: str | None = None,
            params: Any = None,
        ) -> None:
            super().__init__(
                input_shape,
                hidden_channels,
                i2h_kernel,
                h2h_kernel,
                i2h_pad,
                i2h_dilate,
                h2h_dilate,
                i2h_weight_initializer,
                h2h_weight_initializer,
                i2h_bias_initializer,
                h2h_bias_initializer,
                dims,
                conv_layout,
                activation,
                prefix,
                params,
            )

    base, own = (inspect.cleandoc(c.__doc__ or "") for c in (_BaseConvRNNCell, kind))
    settings = base.partition("Args:")[2].replace(_OF_BASE, "")
    Cell.__doc__ = f"{own}\n\nIn {dims} dimensions of space.\n\nArgs:{settings}"
    Cell.__name__ = Cell.__qualname__ = f"Conv{dims}D{kind.__name__.removeprefix('_Conv')}"
    Cell.__module__ = __name__
    return Cell


_OF_BASE = "    dims: dimensions of space.\n"

Conv1DRNNCell = _of_dimension(_ConvRNNCell, 1)
Conv2DRNNCell = _of_dimension(_ConvRNNCell, 2)
Conv3DRNNCell = _of_dimension(_ConvRNNCell, 3)
Conv1DLSTMCell = _of_dimension(_ConvLSTMCell, 1)
Conv2DLSTMCell = _of_dimension(_ConvLSTMCell, 2)
Conv3DLSTMCell = _of_dimension(_ConvLSTMCell, 3)
Conv1DGRUCell = _of_dimension(_ConvGRUCell, 1)
Conv2DGRUCell = _of_dimension(_ConvGRUCell, 2)
Conv3DGRUCell = _of_dimension(_ConvGRUCell, 3)
