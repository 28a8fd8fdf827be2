# SPDX-License-Identifier: Apache-2.0
"""AlexNet."""

from __future__ import annotations

from typing import Any

from ....context import Context
from ... import nn
from ...block import HybridBlock
from .pretrained import CPU, MODELS, load_pretrained

__all__ = ["AlexNet", "alexnet"]


class AlexNet(HybridBlock):
    """AlexNet of one tower (Krizhevsky, https://arxiv.org/abs/1404.5997); images of 224 × 224.

    Args:
        classes: number of classes.
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            with self.features.name_scope():
                self.features.add(
                    nn.Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"),
                    nn.MaxPool2D(pool_size=3, strides=2),
                    nn.Conv2D(192, kernel_size=5, padding=2, activation="relu"),
                    nn.MaxPool2D(pool_size=3, strides=2),
                    nn.Conv2D(384, kernel_size=3, padding=1, activation="relu"),
                    nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                    nn.Conv2D(256, kernel_size=3, padding=1, activation="relu"),
                    nn.MaxPool2D(pool_size=3, strides=2),
                    nn.Flatten(),
                    nn.Dense(4096, activation="relu"),
                    nn.Dropout(0.5),
                    nn.Dense(4096, activation="relu"),
                    nn.Dropout(0.5),
                )
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def alexnet(
    pretrained: bool = False, ctx: Context = CPU, root: str = MODELS, **kwargs: Any
) -> AlexNet:
    """AlexNet.

    Args:
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    net = AlexNet(**kwargs)
    if pretrained:
        load_pretrained(net, "alexnet", ctx, root)
    return net
