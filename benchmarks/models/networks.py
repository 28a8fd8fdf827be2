# SPDX-License-Identifier: Apache-2.0
"""The networks, up to their logits."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

__all__ = ["INPUT_SHAPES", "Net", "convolutional", "perceptron", "resnet50"]

V = TypeVar("V")


class Net(Protocol[V]):
    """Layers in terms of one library, on its values `V`; parameters' names start with `name`."""

    def conv(self, x: V, name: str, filters: int, kernel: int, stride: int, pad: int) -> V:
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


# By the network.
INPUT_SHAPES: dict[Any, tuple[int, ...]] = {
    resnet50: (3, 224, 224),
    convolutional: (3, 32, 32),
    perceptron: (784,),
}
