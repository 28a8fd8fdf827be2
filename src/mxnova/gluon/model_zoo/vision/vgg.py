# SPDX-License-Identifier: Apache-2.0
"""VGG (Simonyan & Zisserman, https://arxiv.org/abs/1409.1556)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....context import Context
from ....core.base.errors import AssertedError, UnknownNameError
from ....initializer import Xavier
from ... import nn
from ...block import HybridBlock
from .pretrained import CPU, MODELS, constructor, load_pretrained

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]

_FILTERS = [64, 128, 256, 512, 512]

vgg_spec = {  # number of layers -> convolutions in each stage, their channels
    11: ([1, 1, 2, 2, 2], _FILTERS),
    13: ([2, 2, 2, 2, 2], _FILTERS),
    16: ([2, 2, 3, 3, 3], _FILTERS),
    19: ([2, 2, 4, 4, 4], _FILTERS),
}


class VGG(HybridBlock):
    """VGG; images of 224 × 224.

    Args:
        layers: number of convolutions in each stage.
        filters: number of channels in each stage.
        classes: number of classes.
        batch_norm: whether BatchNorm follows each convolution.
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise AssertedError(
                f"VGG: layers={layers}, filters={filters}: expected one of each for every stage"
            )
        with self.name_scope():
            self.features = self._make_features(layers, filters, batch_norm)
            for _ in range(2):
                self.features.add(
                    nn.Dense(4096, activation="relu", weight_initializer="normal"),
                    nn.Dropout(rate=0.5),
                )
            self.output = nn.Dense(classes, weight_initializer="normal")

    def _make_features(
        self, layers: Sequence[int], filters: Sequence[int], batch_norm: bool
    ) -> nn.HybridSequential:
        features = nn.HybridSequential(prefix="")
        for number, channels in zip(layers, filters, strict=True):
            for _ in range(number):
                features.add(
                    nn.Conv2D(
                        channels,
                        kernel_size=3,
                        padding=1,
                        weight_initializer=Xavier("gaussian", "out", 2),
                    )
                )
                if batch_norm:
                    features.add(nn.BatchNorm())
                features.add(nn.Activation("relu"))
            features.add(nn.MaxPool2D(strides=2))
        return features

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def get_vgg(
    num_layers: int,
    pretrained: bool = False,
    ctx: Context = CPU,
    root: str = MODELS,
    **kwargs: Any,
) -> VGG:
    """Return a VGG network with `num_layers` layers.

    Args:
        num_layers: 11, 13, 16 or 19.
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    if num_layers not in vgg_spec:
        raise UnknownNameError(f"get_vgg: num_layers={num_layers!r}: must be one of {[*vgg_spec]}")
    net = VGG(*vgg_spec[num_layers], **kwargs)
    if pretrained:
        suffix = "_bn" if kwargs.get("batch_norm") else ""
        load_pretrained(net, f"vgg{num_layers}{suffix}", ctx, root)
    return net


def _vgg(num_layers: int, batch_norm: bool = False) -> Any:
    suffix, about = ("_bn", " with BatchNorm") if batch_norm else ("", "")
    fixed = {"batch_norm": True} if batch_norm else {}
    name = f"vgg{num_layers}{suffix}"
    return constructor(__name__, name, f"VGG-{num_layers}{about}.", get_vgg, num_layers, **fixed)


vgg11, vgg13, vgg16, vgg19 = map(_vgg, vgg_spec)
vgg11_bn, vgg13_bn, vgg16_bn, vgg19_bn = (_vgg(n, batch_norm=True) for n in vgg_spec)
