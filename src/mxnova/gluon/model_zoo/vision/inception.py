# SPDX-License-Identifier: Apache-2.0
"""Inception V3 (Szegedy et al., https://arxiv.org/abs/1512.00567)."""

from __future__ import annotations

from typing import Any

from ....context import Context
from ... import nn
from ...block import HybridBlock
from ...contrib.nn import HybridConcurrent
from .pretrained import CPU, MODELS, load_pretrained

__all__ = ["Inception3", "inception_v3"]

_SETTINGS = ("channels", "kernel_size", "strides", "padding")


def _make_basic_conv(**kwargs: Any) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(use_bias=False, **kwargs), nn.BatchNorm(epsilon=0.001), nn.Activation("relu"))
    return out


def _make_branch(use_pool: str | None, *conv_settings: tuple[Any, ...]) -> nn.HybridSequential:
    """Pooling 'avg' or 'max', if any, and convolutions.

    Settings of each are its channels, size of kernel, strides and padding; None: as usual.
    """
    out = nn.HybridSequential(prefix="")
    if use_pool == "avg":
        out.add(nn.AvgPool2D(pool_size=3, strides=1, padding=1))
    elif use_pool == "max":
        out.add(nn.MaxPool2D(pool_size=3, strides=2))
    for setting in conv_settings:
        named = zip(_SETTINGS, setting, strict=False)
        out.add(_make_basic_conv(**{k: v for k, v in named if v is not None}))
    return out


def _make_block(prefix: str, *branches: tuple[Any, ...]) -> HybridConcurrent:
    """Branches side by side, each given as `_make_branch` wants it."""
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(*(_make_branch(*branch) for branch in branches))
    return out


def _make_A(pool_features: int, prefix: str) -> HybridConcurrent:  # noqa: N802
    return _make_block(
        prefix,
        (None, (64, 1)),
        (None, (48, 1), (64, 5, None, 2)),
        (None, (64, 1), (96, 3, None, 1), (96, 3, None, 1)),
        ("avg", (pool_features, 1)),
    )


def _make_B(prefix: str) -> HybridConcurrent:  # noqa: N802
    return _make_block(
        prefix,
        (None, (384, 3, 2)),
        (None, (64, 1), (96, 3, None, 1), (96, 3, 2)),
        ("max",),
    )


def _make_C(channels_7x7: int, prefix: str) -> HybridConcurrent:  # noqa: N802
    def wide(channels: int) -> tuple[Any, ...]:
        return (channels, (1, 7), None, (0, 3))

    def high(channels: int) -> tuple[Any, ...]:
        return (channels, (7, 1), None, (3, 0))

    n = channels_7x7
    return _make_block(
        prefix,
        (None, (192, 1)),
        (None, (n, 1), wide(n), high(192)),
        (None, (n, 1), high(n), wide(n), high(n), wide(192)),
        ("avg", (192, 1)),
    )


def _make_D(prefix: str) -> HybridConcurrent:  # noqa: N802
    return _make_block(
        prefix,
        (None, (192, 1), (320, 3, 2)),
        (
            None,
            (192, 1),
            (192, (1, 7), None, (0, 3)),
            (192, (7, 1), None, (3, 0)),
            (192, 3, 2),
        ),
        ("max",),
    )


def _make_E(prefix: str) -> HybridConcurrent:  # noqa: N802
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        out.add(
            _make_branch(None, (320, 1)),
            _make_split((384, 1)),
            _make_split((448, 1), (384, 3, None, 1)),
            _make_branch("avg", (192, 1)),
        )
    return out


def _make_split(*conv_settings: tuple[Any, ...]) -> nn.HybridSequential:
    """Convolutions, then a wide and a high one side by side."""
    out = nn.HybridSequential(prefix="")
    out.add(
        _make_branch(None, *conv_settings),
        _make_block("", (None, (384, (1, 3), None, (0, 1))), (None, (384, (3, 1), None, (1, 0)))),
    )
    return out


def make_aux(classes: int) -> nn.HybridSequential:
    """The auxiliary classifier, which Inception3 does not have by itself."""
    out = nn.HybridSequential(prefix="")
    out.add(
        nn.AvgPool2D(pool_size=5, strides=3),
        _make_basic_conv(channels=128, kernel_size=1),
        _make_basic_conv(channels=768, kernel_size=5),
        nn.Flatten(),
        nn.Dense(classes),
    )
    return out


class Inception3(HybridBlock):
    """Inception V3; images of 299 × 299.

    Args:
        classes: number of classes.
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                _make_basic_conv(channels=32, kernel_size=3, strides=2),
                _make_basic_conv(channels=32, kernel_size=3),
                _make_basic_conv(channels=64, kernel_size=3, padding=1),
                nn.MaxPool2D(pool_size=3, strides=2),
                _make_basic_conv(channels=80, kernel_size=1),
                _make_basic_conv(channels=192, kernel_size=3),
                nn.MaxPool2D(pool_size=3, strides=2),
                _make_A(32, "A1_"),
                _make_A(64, "A2_"),
                _make_A(64, "A3_"),
                _make_B("B_"),
                _make_C(128, "C1_"),
                _make_C(160, "C2_"),
                _make_C(160, "C3_"),
                _make_C(192, "C4_"),
                _make_D("D_"),
                _make_E("E1_"),
                _make_E("E2_"),
                nn.AvgPool2D(pool_size=8),
                nn.Dropout(0.5),
            )
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.output(self.features(x))


def inception_v3(
    pretrained: bool = False, ctx: Context = CPU, root: str = MODELS, **kwargs: Any
) -> Inception3:
    """Inception V3.

    Args:
        pretrained: whether it has the weights that were published.
        ctx: device, or list of devices, of the weights.
        root: folder of weights.
        **kwargs: of the network.
    """
    net = Inception3(**kwargs)
    if pretrained:
        load_pretrained(net, "inceptionv3", ctx, root)
    return net
