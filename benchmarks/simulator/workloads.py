# SPDX-License-Identifier: Apache-2.0
"""What is trained: the layers of a network, in the order of its forward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["WORKLOADS", "Layer", "Workload", "even", "resnet50", "transformer"]


@dataclass(frozen=True)
class Layer:
    """A layer with parameters.

    Attributes:
        parameters: how many numbers it learns.
        operations: multiplications and additions of its forward, for one sample.
    """

    parameters: int
    operations: float


@dataclass(frozen=True)
class Workload:
    """A network, and how much of the data each worker has in a step.

    Attributes:
        samples: in a worker's part of a batch.
    """

    name: str
    layers: tuple[Layer, ...]
    samples: int

    @property
    def parameters(self) -> int:
        """Of all layers."""
        return sum(layer.parameters for layer in self.layers)

    @property
    def operations(self) -> float:
        """Of a step: the backward takes twice as many as the forward."""
        return 3 * self.samples * sum(layer.operations for layer in self.layers)


def resnet50(samples: int = 64) -> Workload:
    """ResNet-50 v1 (He et al., 2015) on images of 224 × 224, with the stride in its 3 × 3."""
    layers = [_convolution(3, 64, 7, 112)]
    width_in, size = 64, 56
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            layers += _bottleneck(width_in, width, size, strided=block == 0 and width > 64)
            if block == 0 and width > 64:
                size //= 2
            width_in = 4 * width
    layers.append(Layer(2048 * 1000 + 1000, 2 * 2048 * 1000))
    return Workload("ResNet-50", tuple(layers), samples)


def _bottleneck(width_in: int, width: int, size: int, *, strided: bool) -> Iterator[Layer]:
    after = size // 2 if strided else size
    yield _convolution(width_in, width, 1, size)
    yield _convolution(width, width, 3, after)
    yield _convolution(width, 4 * width, 1, after)
    if width_in != 4 * width:
        yield _convolution(width_in, 4 * width, 1, after)


def _convolution(channels_in: int, channels: int, kernel: int, size: int) -> Layer:
    """Without bias; with the scale and the shift of its BatchNorm."""
    weights = channels_in * channels * kernel * kernel
    return Layer(weights + 2 * channels, 2.0 * weights * size * size)


def transformer(samples: int = 16, blocks: int = 18, width: int = 2048) -> Workload:
    """A decoder of 10⁹ parameters on sequences of 1,024 of 50,257 words."""
    length, words = 1024, 50257
    embedding = Layer((words + length) * width, 0.0)
    attention = 4 * width * width + 4 * width
    dense = 8 * width * width + 5 * width
    block = [
        Layer(attention + 2 * width, 2.0 * length * attention + 4.0 * length * length * width),
        Layer(dense + 2 * width, 2.0 * length * dense),
    ]
    # The scores use the embedding's weights once more.
    scores = Layer(2 * width, 2.0 * length * words * width)
    return Workload("Transformer, 10⁹", (embedding, *block * blocks, scores), samples)


def even(layers: int, parameters: int, operations: float) -> Workload:
    """Equal layers: what the real runs compute, whose samples are one."""
    return Workload("even", (Layer(parameters, operations),) * layers, 1)


WORKLOADS = (resnet50(), transformer())
