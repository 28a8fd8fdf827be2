# SPDX-License-Identifier: Apache-2.0
"""The networks, up to their logits."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

__all__ = [
    "INPUT_SHAPES",
    "Net",
    "bert_base",
    "convolutional",
    "detector",
    "face_points",
    "lstm",
    "mobilenet",
    "perceptron",
    "resnet50",
    "squeezenet",
    "transformer",
    "vgg16",
]

V = TypeVar("V")


class Net(Protocol[V]):
    """Layers in terms of one library, on its values `V`; parameters' names start with `name`."""

    def conv(
        self, x: V, name: str, filters: int, kernel: int, stride: int, pad: int, groups: int = 1
    ) -> V:
        """Convolution without bias: parameter ``_weight``."""

    def batch_norm(self, x: V, name: str) -> V:
        """``_gamma``, ``_beta``, ``_moving_mean`` and ``_moving_var``; epsilon is 1e-5."""

    def dense(self, x: V, name: str, units: int) -> V:
        """``_weight`` and ``_bias``."""

    def relu(self, x: V) -> V:
        """The positive part."""

    def max_pool(self, x: V, kernel: int, stride: int, pad: int) -> V:
        """Largest value of each window."""

    def global_pool(self, x: V) -> V:
        """Mean of each channel, flat."""

    def add(self, x: V, y: V) -> V:
        """The sum."""

    def concat(self, x: V, y: V) -> V:
        """Channels of one behind those of the other."""

    def flat(self, x: V) -> V:
        """All axes but the first as one."""

    # Sequences: (batch, length, features)

    def project(self, x: V, name: str, units: int) -> V:
        """``dense`` of the last axis."""

    def gelu(self, x: V) -> V:
        """``x`` times its normal distribution function."""

    def layer_norm(self, x: V, name: str) -> V:
        """``_gamma`` and ``_beta``; epsilon is 1e-5."""

    def attention(self, x: V, heads: int) -> V:
        """Self-attention of interleaved projections, three times as many features as come out."""

    def recurrent(self, x: V, name: str, units: int, layers: int) -> V:
        """LSTM, states starting at 0: ``_parameters``, as MXNet packs them."""

    # Detection

    def multibox(self, features: list[V], classes: int) -> V:
        """Boxes of objects, by convolutions on feature maps."""


# Units, channels and stride of each stage.
STAGES = ((3, 256, 1), (4, 512, 2), (6, 1024, 2), (3, 2048, 2))


def resnet50(net: Net[V], x: V) -> V:
    """ResNet-50 v1: the stride of a stage is in the first 1×1 convolution."""
    x = _normalized_conv(net, x, "stem", 64, kernel=7, stride=2)
    x = net.max_pool(net.relu(x), kernel=3, stride=2, pad=1)
    for stage, (units, channels, stride) in enumerate(STAGES, 1):
        for unit in range(1, units + 1):
            x = _bottleneck(net, x, f"stage{stage}_unit{unit}", channels, stride, first=unit == 1)
            stride = 1
    return net.dense(net.global_pool(x), "fc", 1000)


def _bottleneck(net: Net[V], x: V, name: str, channels: int, stride: int, first: bool) -> V:
    y = net.relu(_normalized_conv(net, x, f"{name}_a", channels // 4, kernel=1, stride=stride))
    y = net.relu(_normalized_conv(net, y, f"{name}_b", channels // 4, kernel=3, stride=1))
    y = _normalized_conv(net, y, f"{name}_c", channels, kernel=1, stride=1)
    if first:
        x = _normalized_conv(net, x, f"{name}_skip", channels, kernel=1, stride=stride)
    return net.relu(net.add(x, y))


def _normalized_conv(net: Net[V], x: V, name: str, filters: int, kernel: int, stride: int) -> V:
    x = net.conv(x, f"{name}_conv", filters, kernel, stride, pad=kernel // 2)
    return net.batch_norm(x, f"{name}_bn")


def convolutional(net: Net[V], x: V) -> V:
    """A small convolutional net for 32×32 pictures."""
    for i, filters in enumerate((16, 32, 64)):
        x = net.relu(_normalized_conv(net, x, f"block{i}", filters, kernel=3, stride=1))
        x = net.max_pool(x, kernel=2, stride=2, pad=0)
    return net.dense(net.global_pool(x), "fc", 10)


def perceptron(net: Net[V], x: V) -> V:
    """Two hidden layers."""
    x = net.relu(net.dense(x, "fc1", 128))
    x = net.relu(net.dense(x, "fc2", 64))
    return net.dense(x, "fc3", 10)


def mobilenet(net: Net[V], x: V) -> V:
    """MobileNet 1.0."""
    x = net.relu(_normalized_conv(net, x, "stem", 32, kernel=3, stride=2))
    plan = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5)
    channels = 32
    for i, (filters, stride) in enumerate((*plan, (1024, 2), (1024, 1))):
        x = net.conv(x, f"unit{i}_depth_conv", channels, 3, stride, 1, groups=channels)
        x = net.relu(net.batch_norm(x, f"unit{i}_depth_bn"))
        x = net.relu(_normalized_conv(net, x, f"unit{i}_point", filters, kernel=1, stride=1))
        channels = filters
    return net.dense(net.global_pool(x), "fc", 1000)


def squeezenet(net: Net[V], x: V) -> V:
    """SqueezeNet 1.1."""
    x = net.relu(net.conv(x, "stem", 64, 3, 2, 0))
    for i, (squeeze, expand) in enumerate(
        ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
    ):
        if i in (0, 2, 4):
            x = net.max_pool(x, kernel=3, stride=2, pad=0)
        x = net.relu(net.conv(x, f"fire{i}_squeeze", squeeze, 1, 1, 0))
        one = net.relu(net.conv(x, f"fire{i}_one", expand, 1, 1, 0))
        x = net.concat(one, net.relu(net.conv(x, f"fire{i}_three", expand, 3, 1, 1)))
    return net.flat(net.global_pool(net.relu(net.conv(x, "last", 1000, 1, 1, 0))))


def vgg16(net: Net[V], x: V) -> V:
    """VGG-16 with a quarter of the filters."""
    for stage, (filters, count) in enumerate(((16, 2), (32, 2), (64, 3), (128, 3), (128, 3))):
        for i in range(count):
            x = net.relu(net.conv(x, f"stage{stage}_{i}", filters, 3, 1, 1))
        x = net.max_pool(x, kernel=2, stride=2, pad=0)
    for i in range(2):
        x = net.relu(net.dense(net.flat(x), f"fc{i}", 1024))
    return net.dense(x, "fc", 1000)


def transformer(net: Net[V], x: V) -> V:
    """Transformer encoder, 6 layers, normalized before each half."""
    for i in range(6):
        y = net.project(net.layer_norm(x, f"l{i}_a"), f"l{i}_qkv", 3 * UNITS)
        x = net.add(x, net.project(net.attention(y, HEADS), f"l{i}_out", UNITS))
        y = net.gelu(net.project(net.layer_norm(x, f"l{i}_b"), f"l{i}_wide", 4 * UNITS))
        x = net.add(x, net.project(y, f"l{i}_narrow", UNITS))
    return net.layer_norm(x, "last")


def bert_base(net: Net[V], x: V) -> V:
    """BERT's encoder of base size behind the embeddings: 12 layers, normalized after each half."""
    for i in range(12):
        y = net.attention(net.project(x, f"l{i}_qkv", 3 * BERT_UNITS), BERT_HEADS)
        x = net.layer_norm(net.add(x, net.project(y, f"l{i}_out", BERT_UNITS)), f"l{i}_a")
        y = net.gelu(net.project(x, f"l{i}_wide", 4 * BERT_UNITS))
        x = net.layer_norm(net.add(x, net.project(y, f"l{i}_narrow", BERT_UNITS)), f"l{i}_b")
    return x


def lstm(net: Net[V], x: V) -> V:
    """Two layers of LSTM."""
    return net.recurrent(x, "lstm", UNITS, 2)


def detector(net: Net[V], x: V) -> V:
    """A detector in the style of SSD."""
    features = []
    for i, filters in enumerate((32, 64, 128, 256, 256, 256)):
        x = net.relu(_normalized_conv(net, x, f"down{i}", filters, kernel=3, stride=2))
        x = net.relu(_normalized_conv(net, x, f"keep{i}", filters, kernel=3, stride=1))
        if i > 1:
            features.append(x)
    return net.multibox(features, 20)


def face_points(net: Net[V], x: V) -> V:
    """MTCNN's third network, det3, with ReLU: scores, boxes and points of a face."""
    for i, (filters, kernel, pooled) in enumerate(
        ((32, 3, 3), (64, 3, 3), (64, 3, 2), (128, 2, 0))
    ):
        x = net.relu(net.conv(x, f"conv{i}", filters, kernel, stride=1, pad=0))
        x = net.max_pool(x, pooled, stride=2, pad=0) if pooled else x
    x = net.relu(net.conv(x, "conv4", 256, kernel=2, stride=1, pad=0))
    return net.dense(net.global_pool(x), "fc", 2 + 4 + 10)


UNITS, HEADS, LENGTH = 256, 8, 64
BERT_UNITS, BERT_HEADS, BERT_LENGTH = 768, 12, 128

# By the network.
INPUT_SHAPES: dict[Any, tuple[int, ...]] = {
    resnet50: (3, 224, 224),
    convolutional: (3, 32, 32),
    perceptron: (784,),
    **dict.fromkeys((mobilenet, squeezenet, vgg16), (3, 224, 224)),
    **dict.fromkeys((transformer, lstm), (LENGTH, UNITS)),
    bert_base: (BERT_LENGTH, BERT_UNITS),
    detector: (3, 256, 256),
    face_points: (3, 48, 48),
}
