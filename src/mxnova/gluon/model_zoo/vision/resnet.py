# SPDX-License-Identifier: Apache-2.0
"""ResNet: V1 (https://arxiv.org/abs/1512.03385), V2 (https://arxiv.org/abs/1603.05027)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....context import Context
from ....core.base.errors import AssertedError
from ... import nn
from ...block import HybridBlock
from .pretrained import CPU, MODELS, constructor, load_pretrained

__all__ = [
    "BasicBlockV1",
    "BasicBlockV2",
    "BottleneckV1",
    "BottleneckV2",
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
]


def _conv3x3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    convolution: nn.Conv2D = nn.Conv2D(
        channels,
        kernel_size=3,
        strides=stride,
        padding=1,
        use_bias=False,
        in_channels=in_channels,
    )
    return convolution


def _projection(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    """What makes the input of a block as large as its output."""
    convolution: nn.Conv2D = nn.Conv2D(
        channels, kernel_size=1, strides=stride, use_bias=False, in_channels=in_channels
    )
    return convolution


class _BlockV1(HybridBlock):
    """`relu(x + body(x))`, convolutions before BatchNorm.

    Args:
        channels: number of channels of the output.
        stride: of the first convolution.
        downsample: whether the input is projected before it is added.
        in_channels: number of channels of the input; 0: as the first input tells.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.body = nn.HybridSequential(prefix="")
        self._fill(self.body, channels, stride, in_channels)
        self.downsample = None
        if downsample:
            self.downsample = nn.HybridSequential(prefix="")
            self.downsample.add(_projection(channels, stride, in_channels), nn.BatchNorm())

    def _fill(
        self, body: nn.HybridSequential, channels: int, stride: int, in_channels: int
    ) -> None:
        raise NotImplementedError

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(residual + self.body(x), act_type="relu")


class BasicBlockV1(_BlockV1):
    """Two convolutions of 3 × 3, the block of ResNet V1 with 18 and 34 layers.

    Args:
        channels: number of channels of the output.
        stride: of the first convolution.
        downsample: whether the input is projected before it is added.
        in_channels: number of channels of the input; 0: as the first input tells.
    """

    def _fill(
        self, body: nn.HybridSequential, channels: int, stride: int, in_channels: int
    ) -> None:
        body.add(
            _conv3x3(channels, stride, in_channels),
            nn.BatchNorm(),
            nn.Activation("relu"),
            _conv3x3(channels, 1, channels),
            nn.BatchNorm(),
        )


class BottleneckV1(_BlockV1):
    """1 × 1, 3 × 3, 1 × 1, fewer channels inside; the block of ResNet V1 with 50 layers and more.

    Args:
        channels: number of channels of the output.
        stride: of the first convolution.
        downsample: whether the input is projected before it is added.
        in_channels: number of channels of the input; 0: as the first input tells.
    """

    def _fill(
        self, body: nn.HybridSequential, channels: int, stride: int, in_channels: int
    ) -> None:
        inner = channels // 4
        body.add(
            nn.Conv2D(inner, kernel_size=1, strides=stride),
            nn.BatchNorm(),
            nn.Activation("relu"),
            _conv3x3(inner, 1, inner),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, kernel_size=1),
            nn.BatchNorm(),
        )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        # The other way round than in the basic block: arguments of symbols are in this order.
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(self.body(x) + residual, act_type="relu")


class BasicBlockV2(HybridBlock):
    """Two convolutions of 3 × 3, each after BatchNorm and ReLU; ResNet V2 with 18 and 34 layers.

    Args:
        channels: number of channels of the output.
        stride: of the first convolution.
        downsample: whether the input is projected before it is added.
        in_channels: number of channels of the input; 0: as the first input tells.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = _conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(channels, 1, channels)
        self.downsample = _projection(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = F.Activation(self.bn1(x), act_type="relu")
        residual = x if self.downsample is None else self.downsample(out)
        out = self.conv1(out)
        out = self.conv2(F.Activation(self.bn2(out), act_type="relu"))
        return out + residual


class BottleneckV2(HybridBlock):
    """1 × 1, 3 × 3, 1 × 1, each after BatchNorm and ReLU; ResNet V2 with 50 layers and more.

    Args:
        channels: number of channels of the output.
        stride: of the convolution in the middle.
        downsample: whether the input is projected before it is added.
        in_channels: number of channels of the input; 0: as the first input tells.
    """

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        inner = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = nn.Conv2D(inner, kernel_size=1, use_bias=False)
        self.bn2 = nn.BatchNorm()
        self.conv2 = _conv3x3(inner, stride, inner)
        self.bn3 = nn.BatchNorm()
        self.conv3 = nn.Conv2D(channels, kernel_size=1, use_bias=False)
        self.downsample = _projection(channels, stride, in_channels) if downsample else None

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = F.Activation(self.bn1(x), act_type="relu")
        residual = x if self.downsample is None else self.downsample(out)
        out = self.conv1(out)
        out = self.conv2(F.Activation(self.bn2(out), act_type="relu"))
        out = self.conv3(F.Activation(self.bn3(out), act_type="relu"))
        return out + residual


class _ResNet(HybridBlock):
    """What both versions have in common: how they begin, and stages of blocks."""

    def __init__(
        self,
        block: Any,
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._check(layers, channels)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(*self._first_layers())
            self._add_stem(channels[0], thumbnail)
            self._add_stages(block, layers, channels)
            self.features.add(*self._last_layers())
            self.output = nn.Dense(classes, in_units=channels[-1])

    def _first_layers(self) -> list[Any]:
        """What stands in front of the first convolution."""
        return []

    def _last_layers(self) -> list[Any]:
        """What makes features of the last stage's output."""
        raise NotImplementedError(f"{type(self).__name__}._last_layers")

    def _check(self, layers: Sequence[int], channels: Sequence[int]) -> None:
        if len(layers) != len(channels) - 1:
            raise AssertedError(
                f"{type(self).__name__}: layers={layers}, channels={channels}: "
                "expected one more of channels"
            )

    def _add_stem(self, channels: int, thumbnail: bool) -> None:
        if thumbnail:
            self.features.add(_conv3x3(channels, 1, 0))
            return
        self.features.add(
            nn.Conv2D(channels, kernel_size=7, strides=2, padding=3, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.MaxPool2D(pool_size=3, strides=2, padding=1),
        )

    def _add_stages(self, block: Any, layers: Sequence[int], channels: Sequence[int]) -> None:
        """All but the first stage begin with half the size."""
        for i, number in enumerate(layers):
            stride = 1 if i == 0 else 2
            stage = self._make_layer(
                block, number, channels[i + 1], stride, i + 1, in_channels=channels[i]
            )
            self.features.add(stage)

    def _make_layer(
        self,
        block: Any,
        layers: int,
        channels: int,
        stride: int,
        stage_index: int,
        in_channels: int = 0,
    ) -> nn.HybridSequential:
        stage = nn.HybridSequential(prefix=f"stage{stage_index}_")
        with stage.name_scope():
            project = channels != in_channels
            stage.add(block(channels, stride, project, in_channels=in_channels, prefix=""))
            for _ in range(layers - 1):
                stage.add(block(channels, 1, False, in_channels=channels, prefix=""))
        return stage

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


class ResNetV1(_ResNet):
    """ResNet V1; images of 224 × 224; arguments are those of ResNetV2."""

    def _last_layers(self) -> list[Any]:
        return [nn.GlobalAvgPool2D()]


class ResNetV2(_ResNet):
    """ResNet V2; images of 224 × 224.

    Args:
        block: class of the blocks.
        layers: number of blocks in each stage.
        channels: of the beginning, and of each stage.
        classes: number of classes.
        thumbnail: whether images are small, and the beginning is one convolution of 3 × 3.
    """

    def _first_layers(self) -> list[Any]:
        return [nn.BatchNorm(scale=False, center=False)]

    def _last_layers(self) -> list[Any]:
        return [nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Flatten()]


_NARROW, _WIDE = [64, 64, 128, 256, 512], [64, 256, 512, 1024, 2048]

resnet_spec: dict[
    int, tuple[str, list[int], list[int]]
] = {  # number of layers -> kind of block, blocks in each stage, channels
    18: ("basic_block", [2, 2, 2, 2], _NARROW),
    34: ("basic_block", [3, 4, 6, 3], _NARROW),
    50: ("bottle_neck", [3, 4, 6, 3], _WIDE),
    101: ("bottle_neck", [3, 4, 23, 3], _WIDE),
    152: ("bottle_neck", [3, 8, 36, 3], _WIDE),
}

resnet_net_versions: list[type[Any]] = [ResNetV1, ResNetV2]
resnet_block_versions: list[dict[str, type[Any]]] = [
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
]


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> ResNetV1 | ResNetV2:
    """Return a ResNet of the given version with `num_layers` layers.

    Args:
        version: 1 or 2.
        num_layers: 18, 34, 50, 101 or 152.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    for name, given, allowed in (
        ("num_layers", num_layers, [*resnet_spec]),
        ("version", version, [1, 2]),
    ):
        if given not in allowed:
            raise AssertedError(f"get_resnet: {name}={given!r}: must be one of {allowed}")
    kind, layers, channels = resnet_spec[num_layers]
    block = resnet_block_versions[version - 1][kind]
    net: ResNetV1 | ResNetV2 = resnet_net_versions[version - 1](block, layers, channels, **kwargs)
    if pretrained:
        load_pretrained(net, f"resnet{num_layers}_v{version}", ctx, root)
    return net


def _resnet(version: int, num_layers: int) -> Any:
    name, about = f"resnet{num_layers}_v{version}", f"ResNet-{num_layers} V{version}."
    return constructor(__name__, name, about, get_resnet, version, num_layers)


resnet18_v1, resnet34_v1, resnet50_v1, resnet101_v1, resnet152_v1 = (
    _resnet(1, n) for n in resnet_spec
)
resnet18_v2, resnet34_v2, resnet50_v2, resnet101_v2, resnet152_v2 = (
    _resnet(2, n) for n in resnet_spec
)
