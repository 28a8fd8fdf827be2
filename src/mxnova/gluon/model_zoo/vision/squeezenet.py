# SPDX-License-Identifier: Apache-2.0
"""SqueezeNet (Iandola et al., https://arxiv.org/abs/1602.07360)."""

from __future__ import annotations

from typing import Any

from ....context import Context
from ....core.base.errors import AssertedError, shown
from ... import nn
from ...block import HybridBlock
from ...contrib.nn import HybridConcurrent
from .pretrained import CPU, MODELS, constructor, load_pretrained

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

_POOL = 0  # among the stages: a pooling

_STAGES = {  # version -> channels, kernel of the first convolution; channels of squeezing
    "1.0": (96, 7, (_POOL, 16, 16, 32, _POOL, 32, 48, 48, 64, _POOL, 64)),
    "1.1": (64, 3, (_POOL, 16, 16, _POOL, 32, 32, _POOL, 48, 48, 64, 64)),
}


def _make_fire(
    squeeze_channels: int, expand1x1_channels: int, expand3x3_channels: int
) -> nn.HybridSequential:
    """Few channels, then many of two kernels side by side."""
    expand = HybridConcurrent(axis=1, prefix="")
    out = nn.HybridSequential(prefix="")
    out.add(_make_fire_conv(squeeze_channels, 1))
    expand.add(_make_fire_conv(expand1x1_channels, 1), _make_fire_conv(expand3x3_channels, 3, 1))
    out.add(expand)
    return out


def _make_fire_conv(channels: int, kernel_size: int, padding: int = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel_size, padding=padding), nn.Activation("relu"))
    return out


class SqueezeNet(HybridBlock):
    """SqueezeNet; images of 224 × 224.

    Args:
        version: '1.0' or '1.1', which is cheaper.
        classes: number of classes.
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _STAGES:
            raise AssertedError(
                f"SqueezeNet: version={shown(version)}: must be one of {[*_STAGES]}"
            )
        channels, kernel, stages = _STAGES[version]
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                nn.Conv2D(channels, kernel_size=kernel, strides=2), nn.Activation("relu")
            )
            for squeeze in stages:
                if squeeze == _POOL:
                    self.features.add(nn.MaxPool2D(pool_size=3, strides=2, ceil_mode=True))
                else:
                    self.features.add(_make_fire(squeeze, 4 * squeeze, 4 * squeeze))
            self.features.add(nn.Dropout(0.5))
            self.output = nn.HybridSequential(prefix="")
            self.output.add(
                nn.Conv2D(classes, kernel_size=1),
                nn.Activation("relu"),
                nn.AvgPool2D(13),
                nn.Flatten(),
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def get_squeezenet(
    version: str,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> SqueezeNet:
    """SqueezeNet of that version.

    Args:
        version: '1.0' or '1.1'.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    net = SqueezeNet(version, **kwargs)
    if pretrained:
        load_pretrained(net, f"squeezenet{version}", ctx, root)
    return net


def _squeezenet(version: str) -> Any:
    name = f"squeezenet{version.replace('.', '_')}"
    return constructor(__name__, name, f"SqueezeNet {version}.", get_squeezenet, version)


squeezenet1_0, squeezenet1_1 = map(_squeezenet, _STAGES)
