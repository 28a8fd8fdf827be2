# SPDX-License-Identifier: Apache-2.0
"""DenseNet (Huang et al., https://arxiv.org/abs/1608.06993)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....context import Context
from ....core.base.errors import UnknownNameError
from ... import nn
from ...block import HybridBlock
from ...contrib.nn import HybridConcurrent, Identity
from .pretrained import CPU, MODELS, constructor, load_pretrained

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201"]

densenet_spec = {  # number of layers -> first channels, growth, layers of each block
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}


def _make_dense_block(
    num_layers: int, bn_size: int, growth_rate: int, dropout: float, stage_index: int
) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix=f"stage{stage_index}_")
    with out.name_scope():
        for _ in range(num_layers):
            out.add(_make_dense_layer(growth_rate, bn_size, dropout))
    return out


def _make_dense_layer(growth_rate: int, bn_size: int, dropout: float) -> HybridConcurrent:
    """The input, and `growth_rate` channels more."""
    new_features = nn.HybridSequential(prefix="")
    new_features.add(*_activated_conv(bn_size * growth_rate, 1))
    new_features.add(*_activated_conv(growth_rate, 3, padding=1))
    if dropout:
        new_features.add(nn.Dropout(dropout))
    out = HybridConcurrent(axis=1, prefix="")
    out.add(Identity(), new_features)
    return out


def _activated_conv(channels: int, kernel_size: int, padding: int = 0) -> tuple[HybridBlock, ...]:
    return (
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(channels, kernel_size=kernel_size, padding=padding, use_bias=False),
    )


def _make_transition(num_output_features: int) -> nn.HybridSequential:
    """Between blocks: fewer channels, half the size."""
    out = nn.HybridSequential(prefix="")
    out.add(*_activated_conv(num_output_features, 1), nn.AvgPool2D(pool_size=2, strides=2))
    return out


class DenseNet(HybridBlock):
    """DenseNet; images of 224 × 224.

    Args:
        num_init_features: number of channels of the first convolution.
        growth_rate: number of channels that each layer adds.
        block_config: number of layers in each block.
        bn_size: channels inside a layer, as a multiple of `growth_rate`.
        dropout: rate of Dropout after each layer.
        classes: number of classes.
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                nn.Conv2D(num_init_features, kernel_size=7, strides=2, padding=3, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.MaxPool2D(pool_size=3, strides=2, padding=1),
            )
            channels = num_init_features
            for i, layers in enumerate(block_config, 1):
                self.features.add(_make_dense_block(layers, bn_size, growth_rate, dropout, i))
                channels += layers * growth_rate
                if i < len(block_config):
                    channels //= 2
                    self.features.add(_make_transition(channels))
            self.features.add(
                nn.BatchNorm(), nn.Activation("relu"), nn.AvgPool2D(pool_size=7), nn.Flatten()
            )
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def get_densenet(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> DenseNet:
    """Return a DenseNet with `num_layers` layers.

    Args:
        num_layers: 121, 161, 169 or 201.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    if num_layers not in densenet_spec:
        raise UnknownNameError(
            f"get_densenet: num_layers={num_layers!r}: must be one of {[*densenet_spec]}"
        )
    net = DenseNet(*densenet_spec[num_layers], **kwargs)
    if pretrained:
        load_pretrained(net, f"densenet{num_layers}", ctx, root)
    return net


def _densenet(num_layers: int) -> Any:
    name, about = f"densenet{num_layers}", f"DenseNet-{num_layers}."
    return constructor(__name__, name, about, get_densenet, num_layers)


densenet121, densenet161, densenet169, densenet201 = map(_densenet, densenet_spec)
