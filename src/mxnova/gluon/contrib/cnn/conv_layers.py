# SPDX-License-Identifier: Apache-2.0
"""Convolutions whose kernels are bent by the input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....core.base.errors import argument_error
from ....initializer import Initializer
from ...block import HybridBlock
from ...nn import Activation
from ...nn.conv_layers import _described, _infer_weight_shape
from ...nn.sizes import check_layout, each
from ...parameter import Parameter

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution"]

_Size = int | Sequence[int]
_Init = str | Initializer | None
_LAYOUTS = ("NCHW", "NHWC")


class _Deformable(HybridBlock):
    """A convolution that says where the kernel of a second one looks, and the second one."""

    _PER_ELEMENT: int  # channels of the first convolution for each element of the kernel
    _PARTS: tuple[str, str]  # the order of parameters
    _in_channels: int
    _op_name: str
    act: HybridBlock | None
    deformable_conv_weight: Parameter
    deformable_conv_bias: Parameter | None

    def _set_arguments(
        self,
        kernel: tuple[int, int],
        num_filter: int,
        num_deformable_group: int,
        biases: dict[str, bool],
        **common: Any,
    ) -> None:
        """Arguments of the two operators."""
        offsets = self._PER_ELEMENT * math.prod(kernel) * num_deformable_group
        self._kwargs_offset = {
            **common,
            "kernel": kernel,
            "num_filter": offsets,
            "no_bias": not biases["offset"],
        }
        self._kwargs_deformable_conv = {
            **common,
            "kernel": kernel,
            "num_filter": num_filter,
            "num_deformable_group": num_deformable_group,
            "no_bias": not biases["deformable_conv"],
        }

    def _weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """The first convolution's; the second's input channels are what the first input tells."""
        arguments = self._kwargs_deformable_conv
        channels, kernel, layout = (arguments[k] for k in ("num_filter", "kernel", "layout"))
        known = {"N": 1, "C": self._in_channels}
        data_shape = [known.get(axis, 0) for axis in layout]
        inferred = _infer_weight_shape("Convolution", data_shape, self._kwargs_offset)
        return {"offset": inferred[1], "deformable_conv": (channels, 0, *kernel)}

    def _add_parameters(self, biases: dict[str, bool], initializers: dict[str, _Init]) -> None:
        shapes = self._weight_shapes()
        for part in self._PARTS:
            for kind, shape in (("weight", shapes[part]), ("bias", shapes[part][:1])):
                name = f"{part}_{kind}"
                parameter = None
                if kind == "weight" or biases[part]:
                    parameter = self.params.get(
                        name, shape=shape, init=initializers[name], allow_deferred_init=True
                    )
                setattr(self, name, parameter)

    def _offsets(self, F: Any, x: Any, weight: Any, bias: Any) -> Any:
        inputs = (x, weight) if bias is None else (x, weight, bias)
        return F.Convolution(*inputs, cudnn_off=True, **self._kwargs_offset)

    def _convolved(self, F: Any, *inputs: Any) -> Any:
        given = [array for array in inputs if array is not None]
        operator = getattr(F.contrib, self._op_name)
        out = operator(*given, name="fwd", **self._kwargs_deformable_conv)
        return out if self.act is None else self.act(out)


def _init(operator: str) -> Any:
    """The `__init__` of both classes."""

    def __init__(  # noqa: N807 - a method
        self: _Deformable,
        channels: int,
        kernel_size: _Size = (1, 1),
        strides: _Size = (1, 1),
        padding: _Size = (0, 0),
        dilation: _Size = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: _Init = None,
        bias_initializer: _Init = "zeros",
        offset_weight_initializer: _Init = "zeros",
        offset_bias_initializer: _Init = "zeros",
        offset_use_bias: bool = True,
        op_name: str = operator,
        adj: Any = None,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        HybridBlock.__init__(self, prefix=prefix, params=params)
        check_layout(self, layout, _LAYOUTS)
        if adj:
            raise argument_error(operator, "adj", adj, "deformable convolutions have none")
        self._channels = channels
        self._in_channels = in_channels
        self._op_name = op_name
        biases = {"offset": offset_use_bias, "deformable_conv": use_bias}
        initializers = {
            "offset_weight": offset_weight_initializer,
            "offset_bias": offset_bias_initializer,
            "deformable_conv_weight": weight_initializer,
            "deformable_conv_bias": bias_initializer,
        }
        with self.name_scope():
            self._set_arguments(
                each(kernel_size, 2),
                channels,
                num_deformable_group,
                biases,
                stride=each(strides, 2),
                dilate=each(dilation, 2),
                pad=each(padding, 2),
                num_group=groups,
                layout=layout,
            )
            self._add_parameters(biases, initializers)
            self.act = Activation(activation, prefix=f"{activation}_") if activation else None

    __init__.__qualname__ = f"{operator}.__init__"
    return __init__


class DeformableConvolution(_Deformable):
    """Convolution of images at places that the input says (Dai et al., arXiv:1703.06211).

    ``(n, c, h, w)`` gives ``(n, channels, h', w')`` as Conv2D does.

    Args:
        channels: number of channels of the output.
        kernel_size: a number, or one for each dimension; so are the next three.
        strides: distance of neighboring results in the input.
        padding: zeros put to both ends.
        dilation: distance of neighboring elements of the kernel.
        groups: number of groups of channels that are convolved apart from each other.
        num_deformable_group: number of groups of channels that have places of their own.
        layout: 'NCHW'; 'NHWC', which MXNet knows too, has no kernel.
        use_bias: whether the convolution has a bias.
        in_channels: number of channels of the input; 0: as the first input tells.
        activation: name of what follows, or None.
        weight_initializer: of the weight.
        bias_initializer: of the bias.
        offset_weight_initializer: of the weight of the convolution that says the places.
        offset_bias_initializer: of its bias.
        offset_use_bias: whether that has a bias.
        op_name: the operator.
        adj: there is none.
        prefix: of the block's name.
        params: of another block, to be shared.
    """

    _PER_ELEMENT = 2  # how far to move down, how far to the right
    _PARTS = ("offset", "deformable_conv")
    __init__ = _init("DeformableConvolution")

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        offset = self._offsets(F, x, offset_weight, offset_bias)
        return self._convolved(F, x, offset, deformable_conv_weight, deformable_conv_bias)

    def _alias(self) -> str:
        return "deformable_conv"

    def __repr__(self) -> str:
        weight, bias = self.deformable_conv_weight, self.deformable_conv_bias
        return _described(self, self._kwargs_deformable_conv, weight, bias)


class ModulatedDeformableConvolution(_Deformable):
    """DeformableConvolution with a factor for each place, from 0 to 2 (arXiv:1811.11168).

    Arguments as for DeformableConvolution.
    """

    _PER_ELEMENT = 3  # how far to move down, how far to the right, the factor
    _PARTS = ("deformable_conv", "offset")
    __init__ = _init("ModulatedDeformableConvolution")

    @property
    def offset_split_index(self) -> int:
        """The channel of the first convolution from which on there are factors."""
        return int(self._kwargs_offset["num_filter"]) // 3 * 2

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        both = self._offsets(F, x, offset_weight, offset_bias)
        offset = F.slice_axis(both, axis=1, begin=0, end=self.offset_split_index)
        factor = F.slice_axis(both, axis=1, begin=self.offset_split_index, end=None)
        factor = F.sigmoid(factor) * 2
        return self._convolved(F, x, offset, factor, deformable_conv_weight, deformable_conv_bias)

    def _alias(self) -> str:
        return "modulated_deformable_conv"
