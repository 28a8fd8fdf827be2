# SPDX-License-Identifier: Apache-2.0
"""MobileNet (https://arxiv.org/abs/1704.04861) and MobileNetV2 (https://arxiv.org/abs/1801.04381)."""

from __future__ import annotations

from typing import Any

from ....context import Context
from ... import nn
from ...block import HybridBlock
from .pretrained import CPU, MODELS, constructor, load_pretrained

__all__ = [
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet0_75",
    "mobilenet1_0",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
    "mobilenet_v2_0_75",
    "mobilenet_v2_1_0",
]

_MULTIPLIERS = (1.0, 0.75, 0.5, 0.25)

_DEPTHWISE = (  # MobileNet: channels of the input and of the output, stride
    (32, 64, 1),
    (64, 128, 2),
    (128, 128, 1),
    (128, 256, 2),
    (256, 256, 1),
    (256, 512, 2),
    *[(512, 512, 1)] * 5,
    (512, 1024, 2),
    (1024, 1024, 1),
)

_BOTTLENECKS = (  # MobileNetV2: expansion, channels of the output, blocks, stride of the first
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class RELU6(HybridBlock):
    """`min(max(x, 0), 6)`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.clip(x, 0, 6, name="relu6")


def _add_conv(
    out: nn.HybridSequential,
    channels: int = 1,
    kernel: int = 1,
    stride: int = 1,
    pad: int = 0,
    num_group: int = 1,
    active: bool = True,
    relu6: bool = False,
) -> None:
    """Puts a convolution, BatchNorm and, if `active`, ReLU at the end of `out`."""
    out.add(
        nn.Conv2D(channels, kernel, stride, pad, groups=num_group, use_bias=False),
        nn.BatchNorm(scale=True),
    )
    if active:
        out.add(RELU6() if relu6 else nn.Activation("relu"))


def _add_conv_dw(
    out: nn.HybridSequential, dw_channels: int, channels: int, stride: int, relu6: bool = False
) -> None:
    """Puts a convolution of each channel for itself, and one across channels, at the end."""
    _add_conv(out, dw_channels, 3, stride, 1, num_group=dw_channels, relu6=relu6)
    _add_conv(out, channels, relu6=relu6)


class LinearBottleneck(HybridBlock):
    """Many channels between few: expansion, depthwise convolution, projection.

    Args:
        in_channels: number of channels of the input.
        channels: number of channels of the output.
        t: expansion, the number of channels between as a multiple of `in_channels`.
        stride: of the depthwise convolution; 1, and as many channels as before: the input is added.
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        inner = in_channels * t
        with self.name_scope():
            self.out = nn.HybridSequential()
            _add_conv(self.out, inner, relu6=True)
            _add_conv(self.out, inner, 3, stride, 1, num_group=inner, relu6=True)
            _add_conv(self.out, channels, active=False, relu6=True)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNet(HybridBlock):
    """MobileNet; images of 224 × 224.

    Args:
        multiplier: of all numbers of channels.
        classes: number of classes.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            with self.features.name_scope():
                _add_conv(self.features, int(32 * multiplier), 3, 2, 1)
                for dw_channels, channels, stride in _DEPTHWISE:
                    _add_conv_dw(
                        self.features,
                        int(dw_channels * multiplier),
                        int(channels * multiplier),
                        stride,
                    )
                self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


class MobileNetV2(HybridBlock):
    """MobileNetV2; images of 224 × 224.

    Args:
        multiplier: of all numbers of channels, but not below 1 for the last convolution.
        classes: number of classes.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                in_channels = int(32 * multiplier)
                _add_conv(self.features, in_channels, 3, 2, 1, relu6=True)
                for t, channels, blocks, stride in _BOTTLENECKS:
                    for i in range(blocks):
                        out_channels = int(channels * multiplier)
                        self.features.add(
                            LinearBottleneck(in_channels, out_channels, t, stride if i == 0 else 1)
                        )
                        in_channels = out_channels
                _add_conv(self.features, int(1280 * max(multiplier, 1.0)), relu6=True)
                self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def _version(multiplier: float) -> str:
    """The multiplier in the names of published weights: 1.0, 0.75, 0.5, 0.25."""
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


def get_mobilenet(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> MobileNet:
    """MobileNet.

    Args:
        multiplier: of all numbers of channels; weights were published for 0.25, 0.5, 0.75 and 1.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    net = MobileNet(multiplier, **kwargs)
    if pretrained:
        load_pretrained(net, f"mobilenet{_version(multiplier)}", ctx, root)
    return net


def get_mobilenet_v2(
    multiplier: float,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> MobileNetV2:
    """MobileNetV2.

    Args:
        multiplier: of all numbers of channels; weights were published for 0.25, 0.5, 0.75 and 1.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    net = MobileNetV2(multiplier, **kwargs)
    if pretrained:
        load_pretrained(net, f"mobilenetv2_{_version(multiplier)}", ctx, root)
    return net


def _mobilenet(multiplier: float, prefix: str, family: str, make: Any) -> Any:
    name = f"{prefix}{str(multiplier).replace('.', '_')}"
    about = f"{family} with {multiplier} times as many channels."
    return constructor(__name__, name, about, make, multiplier)


mobilenet1_0, mobilenet0_75, mobilenet0_5, mobilenet0_25 = (
    _mobilenet(m, "mobilenet", "MobileNet", get_mobilenet) for m in _MULTIPLIERS
)
mobilenet_v2_1_0, mobilenet_v2_0_75, mobilenet_v2_0_5, mobilenet_v2_0_25 = (
    _mobilenet(m, "mobilenet_v2_", "MobileNetV2", get_mobilenet_v2) for m in _MULTIPLIERS
)
