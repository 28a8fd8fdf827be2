# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one, two and three dimensions, and reflection padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import symbol as sym
from ...base import numeric_types
from ...core.base.doors import facade
from ...core.base.errors import AssertedError, shown
from ...initializer import Initializer
from ...util import np_shape
from ..block import HybridBlock
from ..parameter import Parameter
from .activations import Activation
from .pooling import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    _Pooling,  # noqa: F401 - packages derive layers from it
)
from .sizes import Size, check_layout, checked_size, default, each

__all__ = [
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "ReflectionPad2D",
]

_LAYOUTS = {1: ("NCW",), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _infer_weight_shape(op_name: str, data_shape: Sequence[int], kwargs: dict[str, Any]) -> Any:
    """Shapes of data, weight and bias as the operator has them, 0 where it cannot know."""
    with np_shape(False):
        data = sym.var("data", shape=tuple(data_shape))
        return getattr(sym, op_name)(data, **kwargs).infer_shape_partial()[0]


def _described(layer: object, kwargs: dict[str, Any], weight: Parameter, bias: Any) -> str:
    """A convolution as text, without what is as usual."""
    ones, zeros = (1,) * len(kwargs["kernel"]), (0,) * len(kwargs["kernel"])
    to, from_ = weight._sizes[:2]
    unusual = (
        ("padding", kwargs["pad"], zeros),
        ("dilation", kwargs["dilate"], ones),
        ("groups", kwargs["num_group"], 1),
        ("bias", bias is not None, True),
    )
    act = getattr(layer, "act", None)
    parts = [
        f"{from_ or None} -> {to}",
        f"kernel_size={kwargs['kernel']}",
        f"stride={kwargs['stride']}",
        *(f"{name}={value}" for name, value, usual in unusual if value != usual),
        *([str(act)] if act is not None else []),
    ]
    return f"{type(layer).__name__}({', '.join(parts)})"


class _Conv(HybridBlock):
    """Any of the convolutions.

    Args:
        channels: number of channels of the output.
        kernel_size: a number for each dimension, which tell how many dimensions there are.
        strides: a number, or one for each dimension.
        padding: a number, or one for each dimension.
        dilation: a number, or one for each dimension.
        groups: number of groups of channels that are convolved apart from each other.
        layout: of input and output.
        in_channels: number of channels of the input; 0: as the first input tells.
        activation: name of what follows, or None.
        use_bias: whether there is a bias.
        weight_initializer: of the weight.
        bias_initializer: of the bias.
        op_name: 'Convolution' or 'Deconvolution'.
        adj: of Deconvolution: what is added to the size of the output.
        prefix: of the block's name.
        params: of another block, to be shared.
    """

    def __init__(
        self,
        channels: int,
        kernel_size: Sequence[int],
        strides: Size,
        padding: Size,
        dilation: Size,
        groups: int,
        layout: str,
        in_channels: int = 0,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: str | Initializer | None = None,
        bias_initializer: str | Initializer | None = "zeros",
        op_name: str = "Convolution",
        adj: Sequence[int] | None = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        dimensions = len(kernel_size)
        with self.name_scope():
            self._channels = channels
            self._in_channels = in_channels
            self._op_name = op_name
            self._kwargs = {
                "kernel": kernel_size,
                "stride": each(strides, dimensions),
                "dilate": each(dilation, dimensions),
                "pad": each(padding, dimensions),
                "num_filter": channels,
                "num_group": groups,
                "no_bias": not use_bias,
                "layout": layout,
            }
            if adj is not None:
                self._kwargs["adj"] = adj
            self.weight = self.params.get(
                "weight",
                shape=self._weight_shape(),
                init=weight_initializer,
                allow_deferred_init=True,
            )
            self.bias = None
            if use_bias:
                self.bias = self.params.get(
                    "bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True
                )
            self.act = None
            if activation is not None:
                self.act = Activation(activation, prefix=f"{activation}_")

    def _weight_shape(self) -> tuple[int, ...]:
        """The operator's, for one sample of unknown size."""
        known = {"N": 1, "C": self._in_channels}
        data_shape = [known.get(axis, 0) for axis in self._kwargs["layout"]]
        shape: tuple[int, ...] = _infer_weight_shape(self._op_name, data_shape, self._kwargs)[1]
        return shape

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        inputs = (x, weight) if bias is None else (x, weight, bias)
        out = getattr(F, self._op_name)(*inputs, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def _alias(self) -> str:
        return "conv"

    def __repr__(self) -> str:
        return _described(self, self._kwargs, self.weight, self.bias)


def _convolution(dimensions: int) -> Any:
    """The `__init__` of a convolution: what differs are defaults for so many dimensions."""
    one, zero, layouts = default(1, dimensions), default(0, dimensions), _LAYOUTS[dimensions]

    def __init__(  # noqa: N807 - a method
        self: _Conv,
        channels: int,
        kernel_size: Any,
        strides: Size = one,
        padding: Size = zero,
        dilation: Size = one,
        groups: int = 1,
        layout: str = layouts[0],
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: str | Initializer | None = None,
        bias_initializer: str | Initializer | None = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        check_layout(self, layout, layouts)
        kernel_size = checked_size(self, "kernel_size", kernel_size, dimensions)
        _Conv.__init__(
            self,
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            **kwargs,
        )

    __init__.__qualname__ = f"Conv{dimensions}D.__init__"
    return __init__


def _deconvolution(dimensions: int) -> Any:
    """The `__init__` of a transposed convolution of so many dimensions."""
    one, zero, layouts = default(1, dimensions), default(0, dimensions), _LAYOUTS[dimensions]

    def __init__(  # noqa: N807 - a method
        self: _Conv,
        channels: int,
        kernel_size: Any,
        strides: Size = one,
        padding: Size = zero,
        output_padding: Any = zero,
        dilation: Size = one,
        groups: int = 1,
        layout: str = layouts[0],
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: str | Initializer | None = None,
        bias_initializer: str | Initializer | None = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        check_layout(self, layout, layouts)
        kernel_size = checked_size(self, "kernel_size", kernel_size, dimensions)
        output_padding = checked_size(self, "output_padding", output_padding, dimensions)
        _Conv.__init__(
            self,
            channels,
            kernel_size,
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = output_padding

    __init__.__qualname__ = f"Conv{dimensions}DTranspose.__init__"
    return __init__


class Conv1D(_Conv):
    """Convolution of sequences: ``(n, c, w)`` → ``(n, channels, w')``.

    `w'` is `(w + 2 padding - dilation (kernel_size - 1) - 1) // strides + 1`.

    Args:
        channels: number of channels of the output.
        kernel_size: a number, or one for each dimension; so are the next three.
        strides: distance of neighboring results in the input.
        padding: zeros put to both ends.
        dilation: distance of neighboring elements of the kernel.
        groups: number of groups of channels that are convolved apart from each other.
        layout: 'NCW'.
        activation: name of what follows, or None.
        use_bias: whether there is a bias.
        weight_initializer: of the weight, ``(channels, in_channels / groups, *kernel_size)``.
        bias_initializer: of the bias.
        in_channels: number of channels of the input; 0: as the first input tells.

    Example:
        >>> layer = mx.gluon.nn.Conv1D(4, 3)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 8))).shape
        (1, 4, 6)
    """

    __init__ = _convolution(1)


class Conv2D(_Conv):
    """Convolution of images: as Conv1D, layout 'NCHW' or 'NHWC'.

    Args:
        channels: of the output.
        kernel_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows.
        padding: how many zeros are added at both ends of each axis.
        dilation: the distance of two elements inside of a window.
        groups: in how many parts channels are divided, which do not see each other.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        activation: the name of an activation function, or None.
        use_bias: add a bias to each channel.
        weight_initializer: of the weight; None: that of `initialize`.
        bias_initializer: of the bias.
        in_channels: of the input; 0: found at the first call.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.Conv2D(4, 3, padding=1)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 4, 8, 8)
    """

    __init__ = _convolution(2)


class Conv3D(_Conv):
    """Convolution of volumes: as Conv1D, layout 'NCDHW' or 'NDHWC'.

    Args:
        channels: of the output.
        kernel_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows.
        padding: how many zeros are added at both ends of each axis.
        dilation: the distance of two elements inside of a window.
        groups: in how many parts channels are divided, which do not see each other.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        activation: the name of an activation function, or None.
        use_bias: add a bias to each channel.
        weight_initializer: of the weight; None: that of `initialize`.
        bias_initializer: of the bias.
        in_channels: of the input; 0: found at the first call.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.Conv3D(4, 3)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 4, 2, 6, 6)
    """

    __init__ = _convolution(3)


class Conv1DTranspose(_Conv):
    """Transposed convolution of sequences: ``(n, c, w)`` → ``(n, channels, w')``.

    `w'` is `(w - 1) strides - 2 padding + dilation (kernel_size - 1) + 1 + output_padding`. The
    weight is ``(in_channels, channels / groups, *kernel_size)``; the rest is as for Conv1D.

    Args:
        channels: number of channels of the output.
        kernel_size: a number, or one for each dimension; so are the next four.
        strides: distance of neighboring inputs in the output.
        padding: what is cut off at both ends.
        output_padding: what is added to the size of the output, at the end.
        dilation: distance of neighboring elements of the kernel.
        groups: number of groups of channels that are convolved apart from each other.
        layout: 'NCW'.
        activation: name of what follows, or None.
        use_bias: whether there is a bias.
        weight_initializer: of the weight.
        bias_initializer: of the bias.
        in_channels: number of channels of the input; 0: as the first input tells.

    Example:
        >>> layer = mx.gluon.nn.Conv1DTranspose(4, 3)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 8))).shape
        (1, 4, 10)
    """

    __init__ = _deconvolution(1)


class Conv2DTranspose(_Conv):
    """Transposed convolution of images: as Conv1DTranspose, layout 'NCHW' or 'NHWC'.

    Args:
        channels: of the output.
        kernel_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows of the output.
        padding: how many zeros are added at both ends of each axis.
        output_padding: how many rows are added at one end of the output.
        dilation: the distance of two elements inside of a window.
        groups: in how many parts channels are divided, which do not see each other.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        activation: the name of an activation function, or None.
        use_bias: add a bias to each channel.
        weight_initializer: of the weight; None: that of `initialize`.
        bias_initializer: of the bias.
        in_channels: of the input; 0: found at the first call.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.Conv2DTranspose(4, 3, padding=1)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 8, 8))).shape
        (1, 4, 8, 8)
    """

    __init__ = _deconvolution(2)


class Conv3DTranspose(_Conv):
    """Transposed convolution of volumes: as Conv1DTranspose, layout 'NCDHW' or 'NDHWC'.

    Args:
        channels: of the output.
        kernel_size: the size of the window: an integer, or one for each axis.
        strides: the distance of two windows of the output.
        padding: how many zeros are added at both ends of each axis.
        output_padding: how many rows are added at one end of the output.
        dilation: the distance of two elements inside of a window.
        groups: in how many parts channels are divided, which do not see each other.
        layout: the order of the axes, such as ``"NCHW"``; C is the channels.
        activation: the name of an activation function, or None.
        use_bias: add a bias to each channel.
        weight_initializer: of the weight; None: that of `initialize`.
        bias_initializer: of the bias.
        in_channels: of the input; 0: found at the first call.
        **kwargs: ``prefix`` and ``params``, as of every block.

    Example:
        >>> layer = mx.gluon.nn.Conv3DTranspose(4, 3)
        >>> layer.initialize()
        >>> layer(mx.nd.ones((1, 3, 4, 8, 8))).shape
        (1, 4, 6, 10, 10)
    """

    __init__ = _deconvolution(3)


class ReflectionPad2D(HybridBlock):
    """Reflection padding of images: ``(n, c, h, w)``.

    Args:
        padding: what is put to each side of height and width; or eight numbers, before and after
            each of the four axes.

    Example:
        >>> mx.gluon.nn.ReflectionPad2D(1)(mx.nd.ones((1, 1, 2, 2))).shape
        (1, 1, 4, 4)
    """

    def __init__(self, padding: Any = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(padding, numeric_types):
            padding = (0, 0, 0, 0, padding, padding, padding, padding)
        if len(padding) != 8:
            raise AssertedError(
                f"{type(self).__name__}: padding={shown(padding)}: expected a number or 8 of them"
            )
        self._padding = padding

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.pad(x, mode="reflect", pad_width=self._padding)


facade(__name__)
