# SPDX-License-Identifier: Apache-2.0
"""Layers: blocks that networks are put together from."""

from ...core.base.doors import facade
from ..block import Block, HybridBlock, SymbolBlock
from . import activations, basic_layers, conv_layers
from .activations import *  # noqa: F403
from .basic_layers import *  # noqa: F403
from .conv_layers import *  # noqa: F403

__all__ = [
    "Block",
    "HybridBlock",
    "SymbolBlock",
    *activations.__all__,
    *basic_layers.__all__,
    *conv_layers.__all__,
]


facade(__name__)
